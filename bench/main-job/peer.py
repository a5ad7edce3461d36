"""The main job in PyTorch: a process that trains one arm at a time when it is told to.

usage: python peer.py DATA_FOLDER WEIGHTS   (torch, timm, numpy, pillow; versions in requirements.txt)
Reads one JSON line {"frozen", "zscore", "pretrained", "seed", "epochs"} at a time from stdin and answers with one:
scores of the best epoch by validation mIoU, seconds on the clock, seconds of the processor.
"""
import json
import os
import resource
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy
import timm
import torch
from PIL import Image
from torch import nn
from torch.nn import functional

THREADS = len(os.sched_getaffinity(0))
TILE = 224
BATCH = 8
torch.set_num_threads(THREADS)


def read_scene(folder, name):
    file = next(entry for entry in (name + ".png", name + ".tif") if os.path.exists(os.path.join(folder, entry)))
    image = numpy.asarray(Image.open(os.path.join(folder, file)).convert("RGB"))
    mask = numpy.zeros(image.shape[:2], numpy.int64)
    for box in ElementTree.parse(os.path.join(folder, name + ".xml")).iter("bndbox"):
        left, top, right, bottom = (int(float(box.findtext(key))) for key in ("xmin", "ymin", "xmax", "ymax"))
        mask[top:bottom, left:right] = 1
    return image, mask


def cut(scene, first, last):
    image, mask = scene
    corners = [(y, x) for y in range(0, image.shape[0] - TILE + 1, TILE) for x in range(first, last - TILE + 1, TILE)]
    crop = lambda array: numpy.stack([array[y : y + TILE, x : x + TILE] for y, x in corners])
    return crop(image), crop(mask)


def load(folder):
    tile = read_scene(folder, "2019_YELL_2_528000_4978000_image_crop2")
    width = tile[0].shape[1]
    others = [read_scene(folder, name) for name in ("2019_YELL_2_541000_4977000_image_crop", "OSBS_029", "SOAP_061")]
    away = [cut(scene, 0, scene[0].shape[1]) for scene in others]
    return {
        "train": cut(tile, 0, 7 * TILE),
        "validation": cut(tile, 7 * TILE, 8 * TILE),
        "test": cut(tile, 8 * TILE, width),
        "away": tuple(numpy.concatenate(parts) for parts in zip(*away)),
    }


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = timm.create_model("tf_efficientnet_lite0", features_only=True, pretrained=False)
        channels = self.encoder.feature_info.channels()
        width = channels[-1]
        levels = []
        for skip, out in zip(channels[-2::-1], (128, 64, 48, 32)):
            levels.append(nn.Sequential(*self.step(width + skip, out), *self.step(out, out)))
            width = out
        self.levels = nn.ModuleList(levels)
        self.head = nn.Conv2d(width, 2, 1)
        for module in self.encoder.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eps = 1e-3

    @staticmethod
    def step(before, after):
        return nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()

    def forward(self, images, frozen):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            features = self.encoder(images)
        x = features[-1]
        for level, skip in zip(self.levels, features[-2::-1]):
            x = level(torch.cat([functional.interpolate(x, size=skip.shape[-2:], mode="nearest"), skip], 1))
        return functional.interpolate(self.head(x), size=images.shape[-2:], mode="bilinear")


def load_weights(model, file):
    """The file and timm list the same tensors in the same order under other names."""
    whole = timm.create_model("tf_efficientnet_lite0", pretrained=False).state_dict()
    values = torch.load(file, map_location="cpu", weights_only=True).values()
    named = dict(zip(whole, values))
    own = model.encoder.state_dict()
    model.encoder.load_state_dict({name: named[name] for name in own})


def mean_iou(counts):
    union = counts.sum(0) + counts.sum(1) - numpy.diag(counts)
    return float((numpy.diag(counts) / union).mean())


def run(splits, weights, frozen, zscore, pretrained, seed, epochs):
    torch.manual_seed(seed)
    random = numpy.random.RandomState(seed)
    model = UNet()
    if pretrained:
        load_weights(model, weights)
    pixels = splits["train"][0].astype(numpy.float32)
    mean, spread = (pixels.mean((0, 1, 2)), pixels.std((0, 1, 2))) if zscore else (0.0, 1.0)

    def batch(split, indices):
        image = (splits[split][0][indices].astype(numpy.float32) - mean) / spread
        return torch.from_numpy(image).float().permute(0, 3, 1, 2), torch.from_numpy(splits[split][1][indices])

    def score(split):
        counts = numpy.zeros((2, 2))
        with torch.no_grad():
            for start in range(0, len(splits[split][0]), BATCH):
                images, truth = batch(split, slice(start, start + BATCH))
                answer = model(images, True).argmax(1)
                counts += numpy.bincount((truth * 2 + answer).numpy().ravel(), minlength=4).reshape(2, 2)
        return mean_iou(counts)

    decoder = list(model.levels.parameters()) + list(model.head.parameters())
    groups = [{"params": decoder, "lr": 1e-3}]
    if not frozen:
        groups.append({"params": model.encoder.parameters(), "lr": 1e-4})
    optimizer = torch.optim.AdamW(groups, weight_decay=0.05)
    best = None
    count = len(splits["train"][0])
    for _ in range(epochs):
        model.train()
        if frozen:
            model.encoder.eval()
        order = random.permutation(count)
        for start in range(0, count, BATCH):
            images, truth = batch("train", order[start : start + BATCH])
            if random.rand() < 0.5:
                images, truth = images.flip(-1), truth.flip(-1)
            loss = functional.cross_entropy(model(images, frozen), truth)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        validation = score("validation")
        if best is None or validation > best["validation"]:
            best = {"validation": validation, "test": score("test"), "away": score("away")}
    return best


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    splits = load(sys.argv[1])
    print(json.dumps({"ready": True, "threads": THREADS, "torch": torch.__version__, "timm": timm.__version__}), flush=True)
    for line in sys.stdin:
        processor, clock = processor_seconds(), time.perf_counter()
        scores = run(splits, sys.argv[2], **json.loads(line))
        times = {"wall": time.perf_counter() - clock, "cpu": processor_seconds() - processor}
        print(json.dumps({"scores": scores, **times}), flush=True)


main()
