"""Reads folders of HDF5 samples with h5py: a process that answers one JSON line for each it gets.

usage: python peer.py   (numpy, h5py; versions in requirements.txt)
{"make": FOLDER, "kind": NAME, "count": N} writes N samples as GEO-Bench has them, one dataset of int16 a band;
{"read": FOLDER} reads every dataset of every file and answers with seconds of the processor and on the clock.
"""
import glob
import json
import os
import sys
import time

import h5py
import numpy

# pixels a side, bands, and how h5py stores a dataset
KINDS = {
    "bands": (64, 12, {}),
    "large": (512, 1, {}),
    "deflate": (512, 1, {"compression": "gzip", "shuffle": True, "chunks": (128, 128)}),
    "lzf": (512, 1, {"compression": "lzf", "chunks": (128, 128)}),
}


def scene(seed, size, band):
    """Slow waves with the noise of a sensor: reflectances of 300 to 2800."""
    random = numpy.random.default_rng([seed, band])
    y, x = numpy.mgrid[0:size, 0:size]
    wave = (numpy.sin((x + 40 * band) / 37 + seed) + numpy.cos((y - 20 * band) / 51) + 2) / 4
    return numpy.round(300 + 2500 * wave + random.normal(0, 60, (size, size))).clip(0, None).astype("int16")


def make(folder, kind, count):
    size, bands, storage = KINDS[kind]
    for seed in range(count):
        with h5py.File(os.path.join(folder, f"{kind}-{seed:05d}.hdf5"), "w") as file:
            for band in range(bands):
                file.create_dataset(f"{band + 1:02d} - Band", data=scene(seed, size, band), **storage)
    return {"made": count}


def read_one(path):
    with h5py.File(path, "r") as file:
        return [file[name][()] for name in file]


def read(folder):
    files = sorted(glob.glob(os.path.join(folder, "*.hdf5")))
    clock, processor = time.perf_counter(), time.process_time()
    total = sum(int(pixels[7, 11]) for file in files for pixels in read_one(file))
    return {"cpu": time.process_time() - processor, "wall": time.perf_counter() - clock, "check": total}


def main():
    print(json.dumps({"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "make" in asked:
            print(json.dumps(make(asked["make"], asked["kind"], asked["count"])), flush=True)
        else:
            print(json.dumps(read(asked["read"])), flush=True)


main()
