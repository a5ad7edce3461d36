"""Forward passes of encoders in PyTorch: a process that answers one JSON line for each it gets.

usage: python peer.py   (torch, timm, torchvision, numpy; versions in ../main-job/requirements.txt)
{"prepare": NAME, "folder": FOLDER}: writes random weights (FOLDER/NAME.pth) and images (FOLDER/NAME.f32, [batch, height,
width, band]); {"load": NAME, "folder": FOLDER, "precision": "float32" | "bfloat16"}: reads them; {"run": NAME, "save":
PREFIX}: one forward pass, seconds of the processor and on the clock; the features go to PREFIX.0.f32 … in the axes [batch,
height, width, channel] where PREFIX is given; {"memory": true}: the peak of this process in MB.
"""
import json
import os
import resource
import sys
import time

import numpy
import timm
import torch
import torchvision

THREADS = len(os.sched_getaffinity(0))
torch.set_num_threads(THREADS)


def vit():
    model = timm.create_model("vit_base_patch16_224", num_classes=0)
    return model, lambda x: model.forward_intermediates(x, indices=[3, 5, 7, 11], intermediates_only=True, norm=False)


def resnet():
    model = timm.create_model("resnet50", features_only=True, out_indices=(1, 2, 3, 4))
    return model.to(memory_format=torch.channels_last), model


def stages(model, wanted):
    """The maps behind some of torchvision's `features`, which keep [batch, height, width, channel]."""
    def forward(x):
        maps = []
        for index, layer in enumerate(model.features):
            x = layer(x)
            if index in wanted:
                maps.append(x.permute(0, 3, 1, 2))
        return maps
    return forward


def swin_stage():
    model = torchvision.models.SwinTransformer([4, 4], 128, [2], [4], [7, 7], stochastic_depth_prob=0.0)
    return model, stages(model, [1])


def satlas():
    model = torchvision.models.swin_v2_b()
    return model, stages(model, [1, 3, 5, 7])


# name: model, images of a batch, side in pixels
MODELS = {
    "vit-b16": (vit, 8, 224),
    "resnet50": (resnet, 8, 224),
    "swin-b-stage": (swin_stage, 8, 224),
    "satlas-swin-b": (satlas, 2, 256),
}
models = {}


def prepare(name, folder):
    build, batch, side = MODELS[name]
    torch.manual_seed(0)
    model, _ = build()
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):  # statistics that tell a mean from a variance
            module.running_mean.uniform_(-0.5, 0.5)
            module.running_var.uniform_(0.5, 2)
        if isinstance(module, torch.nn.LayerNorm):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.uniform_(module.bias, -0.5, 0.5)
    torch.save(model.state_dict(), os.path.join(folder, name + ".pth"))
    torch.randn(batch, side, side, 3).numpy().tofile(os.path.join(folder, name + ".f32"))
    return {"shape": [batch, side, side, 3]}


def load(name, folder, precision):
    build, batch, side = MODELS[name]
    model, forward = build()
    model.load_state_dict(torch.load(os.path.join(folder, name + ".pth")))
    model.eval()
    images = numpy.fromfile(os.path.join(folder, name + ".f32"), numpy.float32).reshape(batch, side, side, 3)
    x = torch.from_numpy(images).permute(0, 3, 1, 2)  # channels last, which convolutions are fastest with
    models[name] = (forward, x if name == "resnet50" else x.contiguous(), precision)
    return {"parameters": sum(parameter.numel() for parameter in model.parameters())}


def run(name, save=None):
    forward, x, precision = models[name]
    before, clock = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
        maps = forward(x)
    wall, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_SELF)
    if save:
        for index, values in enumerate(maps):
            values.permute(0, 2, 3, 1).float().contiguous().numpy().tofile(f"{save}.{index}.f32")
    return {"maps": len(maps), "wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def answer(question):
    if "prepare" in question:
        return prepare(question["prepare"], question["folder"])
    if "load" in question:
        return load(question["load"], question["folder"], question["precision"])
    if "run" in question:
        return run(question["run"], question.get("save"))
    return {"peakMB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}


def main():
    versions = {"torch": torch.__version__, "timm": timm.__version__, "torchvision": torchvision.__version__}
    print(json.dumps({"threads": THREADS, **versions}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


main()
