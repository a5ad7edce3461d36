"""A frozen encoder under a decoder in PyTorch, which computes the features anew at every step: a process that answers one
JSON line for each it gets.

usage: python peer.py   (torch, timm, numpy, rasterio; versions in ../main-job/requirements.txt and ../rasters/requirements.txt)
{"make": FOLDER} writes weights of ViT-B/16 (series.pth, singles.pth), series of six dates and single images as raw arrays, and
GeoTIFFs; {"loop": FOLDER, "seed": N, "epochs": N}: UPerNet on the series: seconds of the processor and on the clock, mIoU.
"""
import json
import os
import sys
import time

import numpy
import rasterio
import timm
import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "training"))
import peer as training  # noqa: E402  its UPerNet

THREADS = len(os.sched_getaffinity(0))
torch.set_num_threads(THREADS)
CLASSES, DATES, BATCH, RATE, DECAY = 3, 6, 2, 1e-3, 0.05
SERIES = {"train": 8, "val": 4, "test": 4}
SINGLES = {"train": 48, "val": 8, "test": 8}
TIFFS = {"train": 48, "val": 1, "test": 1}
LAYERS = (3, 5, 7, 11)


def blocks(random, side, block=16):
    cells = random.integers(0, CLASSES, (side // block, side // block))
    return cells.repeat(block, 0).repeat(block, 1).astype("uint8")


def scene(random, labels, dates, noise=0.7):
    """Each class has a colour of its own, which sways over the dates."""
    colours = numpy.eye(CLASSES, 3, dtype="float32")[labels]
    sway = random.normal(1, 0.2, (dates, 1, 1, 1))
    return (colours[None] * sway + random.normal(0, noise, (dates, *labels.shape, 3))).astype("float32")


def make_arrays(folder, name, counts, side, dates):
    os.makedirs(os.path.join(folder, name))
    random = numpy.random.default_rng(5)
    for split, count in counts.items():
        for index in range(count):
            labels = blocks(random, side)
            path = os.path.join(folder, name, f"{split}-{index:02d}")
            scene(random, labels, dates).tofile(path + ".f32")
            labels.tofile(path + ".u8")


def make_tiffs(folder, side=512):
    os.makedirs(os.path.join(folder, "tiffs"))
    random = numpy.random.default_rng(7)
    for split, count in TIFFS.items():
        for index in range(count):
            path = os.path.join(folder, "tiffs", f"{split}-{index:02d}")
            labels = blocks(random, side, 64)
            pixels = random.normal(1200, 60, (6, side, side)) + 300.0 * labels
            profile = {"driver": "GTiff", "width": side, "height": side, "count": 6, "dtype": "uint16"}
            profile |= {"interleave": "pixel", "tiled": True, "blockxsize": 256, "blockysize": 256, "compress": "DEFLATE"}
            with rasterio.open(path + ".tif", "w", **profile) as file:
                file.write(pixels.clip(0, None).round().astype("uint16"))
            labels.tofile(path + ".u8")


def encoder(side):
    torch.manual_seed(0)
    return timm.create_model("vit_base_patch16_224", num_classes=0, img_size=side).eval()


def make(folder):
    for name, counts, side, dates in (("series", SERIES, 64, DATES), ("singles", SINGLES, 224, 1)):
        torch.save(encoder(side).state_dict(), os.path.join(folder, name + ".pth"))
        make_arrays(folder, name, counts, side, dates)
    make_tiffs(folder)
    return {"made": True}


def load(folder, split):
    names = sorted(name[:-4] for name in os.listdir(folder) if name.startswith(split) and name.endswith(".f32"))
    images = [numpy.fromfile(os.path.join(folder, name + ".f32"), "float32") for name in names]
    labels = [numpy.fromfile(os.path.join(folder, name + ".u8"), "uint8") for name in names]
    side = round(labels[0].size ** 0.5)
    stacked = numpy.stack(images).reshape(len(names), DATES, side, side, 3).transpose(0, 1, 4, 2, 3)
    return torch.from_numpy(stacked.copy()), torch.from_numpy(numpy.stack(labels).reshape(-1, side, side).astype("int64"))


class Decoder(nn.Module):
    """Dates by one weighted sum, PANGAEA's pyramid of four maps of one size, UPerNet with its dropout."""

    def __init__(self, width=768):
        super().__init__()
        self.dates = nn.Linear(DATES, 1)
        self.up4 = nn.Sequential(nn.ConvTranspose2d(width, width, 2, 2), nn.BatchNorm2d(width), nn.GELU(), nn.ConvTranspose2d(width, width, 2, 2))
        self.up2 = nn.ConvTranspose2d(width, width, 2, 2)
        self.upernet = training.UPerNet(before=width)
        self.upernet.conv_seg = nn.Sequential(nn.Dropout2d(0.1), nn.Conv2d(512, CLASSES, 1))

    def forward(self, maps, side):
        a, b, c, d = (self.dates(x.movedim(1, -1)).squeeze(-1) for x in maps)
        pyramid = [self.up4(a), self.up2(b), c, functional.max_pool2d(d, 2)]
        training.SIDE = side
        return self.upernet(pyramid)


@torch.no_grad()
def features(model, images):
    """Date by date, as PANGAEA does: four maps of [batch, date, channel, height, width]."""
    dates = [model.forward_intermediates(images[:, date], indices=list(LAYERS), intermediates_only=True) for date in range(DATES)]
    return [torch.stack([maps[level] for maps in dates], 1) for level in range(len(LAYERS))]


def miou(model, decoder, images, labels):
    decoder.eval()
    with torch.no_grad():
        parts = [decoder(features(model, images[at : at + BATCH]), images.shape[-1]).argmax(1) for at in range(0, len(images), BATCH)]
    decoder.train()
    found = torch.cat(parts)
    both = [((found == k) & (labels == k)).sum() / ((found == k) | (labels == k)).sum() for k in range(CLASSES)]
    return float(sum(both) / CLASSES)


def loop(folder, seed, epochs):
    model = encoder(64)
    model.load_state_dict(torch.load(os.path.join(folder, "series.pth")))
    data = {split: load(os.path.join(folder, "series"), split) for split in SERIES}
    clock, processor = time.perf_counter(), time.process_time()
    torch.manual_seed(seed)
    decoder = Decoder().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(decoder.parameters(), RATE, weight_decay=DECAY)
    best, kept = -1, None
    for _ in range(epochs):
        order = torch.randperm(SERIES["train"])
        for at in range(0, len(order), BATCH):
            images, labels = (part[order[at : at + BATCH]] for part in data["train"])
            optimizer.zero_grad()
            functional.cross_entropy(decoder(features(model, images), images.shape[-1]), labels).backward()
            optimizer.step()
        score = miou(model, decoder, *data["val"])
        if score > best:
            best, kept = score, {name: value.clone() for name, value in decoder.state_dict().items()}
    decoder.load_state_dict(kept)
    scores = {"val": miou(model, decoder, *data["val"]), "test": miou(model, decoder, *data["test"])}
    return {"cpu": time.process_time() - processor, "wall": time.perf_counter() - clock, "scores": scores}


def answer(question):
    if "make" in question:
        return make(question["make"])
    return loop(question["loop"], question["seed"], question["epochs"])


if __name__ == "__main__":
    say = lambda value: print(json.dumps(value), flush=True)
    say({"torch": torch.__version__, "timm": timm.__version__, "peerThreads": THREADS})
    for line in sys.stdin:
        say(answer(json.loads(line)))
