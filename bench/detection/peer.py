"""Faster R-CNN on ResNet-50 in torchvision: a process that answers one JSON line for each it gets.

usage: python peer.py   (torch, torchvision, numpy)
{"prepare": FOLDER}: builds the model and writes its weights (model.pth), images (images.raw) and boxes (boxes.json);
{"step": true}: one step of AdamW over two images; {"detect": true}: detections of one image; both tell seconds of the
processor and on the clock, the loss or the number of detections.
"""
import json
import os
import resource
import sys
import time

import torch
import torchvision
from torch import nn
from torchvision.models import resnet50
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.detection import FasterRCNN
from torchvision.models.detection.rpn import AnchorGenerator
from torchvision.ops import FeaturePyramidNetwork, MultiScaleRoIAlign

THREADS = len(os.sched_getaffinity(0))
torch.set_num_threads(THREADS)
BATCH, SIDE, OBJECTS = 2, 400, 20
RATE, DECAY = 1e-5, 0.01


class Backbone(nn.Module):
    """Four levels of 256 channels, no pooled one: GEO-Bench-2's form."""

    out_channels = 256

    def __init__(self):
        super().__init__()
        levels = {f"layer{at + 1}": str(at) for at in range(4)}
        self.body = IntermediateLayerGetter(resnet50(weights=None), return_layers=levels)
        self.fpn = FeaturePyramidNetwork([256, 512, 1024, 2048], 256)

    def forward(self, images):
        return self.fpn(self.body(images))


def build():
    return FasterRCNN(
        Backbone(), num_classes=2, min_size=SIDE, max_size=SIDE, image_mean=[0, 0, 0], image_std=[1, 1, 1],
        rpn_anchor_generator=AnchorGenerator(((32,), (64,), (128,), (256,)), ((0.5, 1.0, 2.0),) * 4),
        box_roi_pool=MultiScaleRoIAlign(["0", "1", "2", "3"], 7, 2),
    )


state = {}


def prepare(folder):
    torch.manual_seed(0)
    model = build()
    images = torch.randn(BATCH, 3, SIDE, SIDE)
    corners = torch.rand(BATCH, OBJECTS, 2) * (SIDE - 100)
    boxes = torch.cat([corners, corners + 20 + torch.rand(BATCH, OBJECTS, 2) * 80], 2)
    torch.save(model.state_dict(), os.path.join(folder, "model.pth"))
    images.permute(0, 2, 3, 1).contiguous().numpy().tofile(os.path.join(folder, "images.raw"))
    with open(os.path.join(folder, "boxes.json"), "w") as file:
        json.dump(boxes.reshape(BATCH, -1).tolist(), file)
    targets = [{"boxes": own, "labels": torch.ones(OBJECTS, dtype=torch.int64)} for own in boxes]
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=DECAY)
    state.update(model=model, images=images, targets=targets, optimizer=optimizer)
    return {}


def step():
    state["model"].train()
    state["optimizer"].zero_grad()
    loss = sum(state["model"](list(state["images"]), state["targets"]).values())
    loss.backward()
    state["optimizer"].step()
    return {"loss": loss.item()}


def detect():
    state["model"].eval()
    with torch.no_grad():
        (found,) = state["model"]([state["images"][0]])
    return {"count": len(found["scores"])}


def timed(run):
    before, clock = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    value = run()
    wall, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_SELF)
    return {**value, "wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def answer(question):
    if "prepare" in question:
        return prepare(question["prepare"])
    return timed(step if "step" in question else detect)


def main():
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__}
    print(json.dumps({"threads": THREADS, **versions}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
