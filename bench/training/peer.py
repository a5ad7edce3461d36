"""Training steps in PyTorch: a process that answers one JSON line for each it gets.

usage: python peer.py   (torch, timm, numpy; versions in ../main-job/requirements.txt)
{"prepare": NAME, "folder": FOLDER}: builds a model and writes its weights (NAME.pth), inputs and labels (NAME.*.raw) and
the gradients of the first step (NAME.gradients.pth); {"step": NAME}: one step of AdamW: loss, seconds of the processor and
on the clock; {"memory": true}: the peak of this process in MB.
"""
import json
import os
import resource
import sys
import time

import timm
import torch
from torch import nn
from torch.nn import functional

THREADS = len(os.sched_getaffinity(0))
torch.set_num_threads(THREADS)
BATCH, SIDE, CLASSES = 8, 224, 7
RATE, DECAY = 1e-4, 0.05


def unit(before, after, size):
    return [nn.Conv2d(before, after, size, padding=size // 2), nn.BatchNorm2d(after), nn.ReLU()]


class UPerNet(nn.Module):
    """Of four maps of 768 channels at strides 4 to 32, in PANGAEA's names, without dropout."""

    def __init__(self, before=768, width=512, scales=(1, 2, 3, 6)):
        super().__init__()
        self.psp_modules = nn.ModuleList(
            nn.Sequential(nn.AdaptiveAvgPool2d(scale), *unit(before, width, 1)) for scale in scales)
        self.bottleneck = nn.Sequential(*unit(before + len(scales) * width, width, 3))
        self.lateral_convs = nn.ModuleList(nn.Sequential(*unit(before, width, 1)) for _ in range(3))
        self.fpn_convs = nn.ModuleList(nn.Sequential(*unit(width, width, 3)) for _ in range(3))
        self.fpn_bottleneck = nn.Sequential(*unit(4 * width, width, 3))
        self.conv_seg = nn.Conv2d(width, CLASSES, 1)

    def forward(self, maps):
        like = lambda x, other: functional.interpolate(x, size=other.shape[2:], mode="bilinear")
        scenes = [like(module(maps[-1]), maps[-1]) for module in self.psp_modules]
        levels = [module(x) for module, x in zip(self.lateral_convs, maps)]
        levels.append(self.bottleneck(torch.cat([maps[-1], *scenes], 1)))
        for level in range(3, 0, -1):
            levels[level - 1] = levels[level - 1] + like(levels[level], levels[level - 1])
        outputs = [module(x) for module, x in zip(self.fpn_convs, levels)] + [levels[-1]]
        joined = torch.cat([outputs[0], *(like(x, outputs[0]) for x in outputs[1:])], 1)
        return functional.interpolate(self.conv_seg(self.fpn_bottleneck(joined)), size=(SIDE, SIDE), mode="bilinear")


def upernet():
    maps = [torch.randn(BATCH, 768, SIDE // stride, SIDE // stride) for stride in (4, 8, 16, 32)]
    model = UPerNet().to(memory_format=torch.channels_last)
    return model, [x.to(memory_format=torch.channels_last) for x in maps], torch.randint(CLASSES, (BATCH, SIDE, SIDE))


def vit():
    model = timm.create_model("vit_small_patch16_224", num_classes=CLASSES)
    return model, [torch.randn(BATCH, 3, SIDE, SIDE)], torch.randint(CLASSES, (BATCH,))


MODELS = {"upernet": upernet, "vit-s16": vit}
tasks = {}


def loss_of(name):
    model, inputs, labels, _ = tasks[name]
    return functional.cross_entropy(model(inputs if name == "upernet" else inputs[0]), labels)


def prepare(name, folder):
    torch.manual_seed(0)
    model, inputs, labels = MODELS[name]()
    path = os.path.join(folder, name)
    tasks[name] = (model, inputs, labels, torch.optim.AdamW(model.parameters(), RATE, weight_decay=DECAY))
    torch.save(model.state_dict(), path + ".pth")
    for index, x in enumerate(inputs):
        x.permute(0, 2, 3, 1).contiguous().numpy().tofile(f"{path}.{index}.raw")
    labels.int().numpy().tofile(path + ".labels.raw")
    model.train()
    kept = {key: value.clone() for key, value in model.state_dict().items()}
    loss_of(name).backward()
    torch.save({key: value.grad for key, value in model.named_parameters()}, path + ".gradients.pth")
    model.load_state_dict(kept)
    return {}


def step(name):
    model, _, _, optimizer = tasks[name]
    before, clock = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    optimizer.zero_grad()
    loss = loss_of(name)
    loss.backward()
    optimizer.step()
    value = loss.item()
    wall, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_SELF)
    return {"loss": value, "wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def answer(question):
    if "prepare" in question:
        return prepare(question["prepare"], question["folder"])
    if "step" in question:
        return step(question["step"])
    return {"peakMB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}


def main():
    print(json.dumps({"threads": THREADS, "torch": torch.__version__, "timm": timm.__version__}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
