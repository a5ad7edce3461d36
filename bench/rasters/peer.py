"""Reads folders of GeoTIFFs with rasterio in two threads: a process that answers one JSON line for each it gets.

usage: python peer.py   (numpy, rasterio; versions in requirements.txt)
{"make": FOLDER, "codec": NAME, "count": N} writes N files of 512 x 512 pixels with 6 bands of uint16 in tiles of 256;
{"make": FOLDER, "codec": "small", "count": N} files of 64 x 64 with 13 bands, as a benchmark's samples are;
{"read": FOLDER} reads every file to [height, width, band] and answers with seconds of the processor and on the clock.
"""
import glob
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import rasterio
from rasterio.transform import from_origin

THREADS = 2
CODECS = {
    "none": {},
    "deflate": {"compress": "DEFLATE"},
    "lzw": {"compress": "LZW"},
    "zstd": {"compress": "ZSTD", "predictor": 2},
    "small": {"compress": "DEFLATE"},
}


def scene(seed, size, bands):
    """Slow waves with the noise of a sensor: reflectances of 300 to 2800."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:size, 0:size]
    wave = [(numpy.sin((x + 40 * band) / 37 + seed) + numpy.cos((y - 20 * band) / 51) + 2) / 4 for band in range(bands)]
    noise = random.normal(0, 60, (bands, size, size))
    return numpy.round(300 + 2500 * numpy.stack(wave) + noise).clip(0, None).astype("uint16")


def make(folder, codec, count):
    size, bands, tile = (64, 13, 64) if codec == "small" else (512, 6, 256)
    for seed in range(count):
        profile = {"driver": "GTiff", "width": size, "height": size, "count": bands, "dtype": "uint16"}
        profile |= {"crs": "EPSG:32633", "transform": from_origin(399960, 4800000, 10, 10), "interleave": "pixel"}
        profile |= {"tiled": True, "blockxsize": tile, "blockysize": tile} | CODECS[codec]
        with rasterio.open(os.path.join(folder, f"{codec}-{seed:05d}.tif"), "w", **profile) as file:
            file.write(scene(seed, size, bands))
    return {"made": count}


def read_one(file):
    with rasterio.open(file) as source:
        return numpy.ascontiguousarray(source.read().transpose(1, 2, 0))


def read(folder, pool):
    files = sorted(glob.glob(os.path.join(folder, "*.tif")))
    clock, processor = time.perf_counter(), time.process_time()
    total = sum(int(pixels[7, 11, 2]) for pixels in pool.map(read_one, files))
    return {"cpu": time.process_time() - processor, "wall": time.perf_counter() - clock, "check": total}


def main():
    pool = ThreadPoolExecutor(THREADS)
    print(json.dumps({"rasterio": rasterio.__version__, "gdal": rasterio.__gdal_version__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "make" in asked:
            print(json.dumps(make(asked["make"], asked["codec"], asked["count"])), flush=True)
        else:
            print(json.dumps(read(asked["read"], pool)), flush=True)


main()
