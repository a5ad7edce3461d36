"""Resamples a leaderboard's runs with numpy and SciPy, and with pandas: a process that answers one JSON line for each it gets.

usage: python peer.py   (numpy, pandas, scipy; versions in requirements.txt)
{"make": FILE} writes 14 models x 19 datasets x 5 seeds;
{"numpy": FILE, "resamples": N} reads the runs, normalises them, resamples them in each cell and answers with the percentile
intervals of every model's pooled interquartile mean, seconds of the processor and on the clock;
{"pandas": FILE, "resamples": N} does the same group by group, with the draws of seed 100 + i for resample i.
"""
import json
import sys
import time

import numpy
import pandas
import scipy
from scipy.stats import trim_mean

MODELS, DATASETS, SEEDS = 14, 19, 5
# resamples held in memory at once; larger ones leave the caches
CHUNK = 500


def make(file):
    random = numpy.random.default_rng(8)
    skill = random.uniform(0.4, 0.9, MODELS)
    rows = [
        (f"model-{model:02d}", f"dataset-{dataset:02d}", seed, skill[model] * (0.6 + dataset / 50) + random.normal(0, 0.02))
        for model in range(MODELS)
        for dataset in range(DATASETS)
        for seed in range(SEEDS)
    ]
    pandas.DataFrame(rows, columns=["model", "dataset", "seed", "score"]).to_csv(file, index=False)
    return {"rows": len(rows)}


def runs(file):
    table = pandas.read_csv(file)
    scores = table.groupby("dataset")["score"]
    low, high = scores.transform("min"), scores.transform("max")
    return table.assign(score=(table["score"] - low) / (high - low))


def vectorised(file, resamples):
    table = runs(file).sort_values(["model", "dataset", "seed"])
    scores = table["score"].to_numpy().reshape(MODELS, DATASETS, SEEDS)
    random = numpy.random.default_rng(0)
    iqm = numpy.empty((MODELS, resamples))
    for model in range(MODELS):
        for start in range(0, resamples, CHUNK):
            count = min(CHUNK, resamples - start)
            picks = random.integers(0, SEEDS, (count, DATASETS, SEEDS), dtype=numpy.int64)
            drawn = numpy.take_along_axis(scores[model][None], picks, axis=2).reshape(count, -1)
            iqm[model, start : start + count] = trim_mean(drawn, 0.25, axis=1)
    return iqm


def grouped(file, resamples):
    table = runs(file)
    rows = []
    for i in range(resamples):
        drawn = table.groupby(["model", "dataset"]).sample(frac=1, replace=True, random_state=100 + i)
        rows.append(drawn.groupby("model")["score"].apply(lambda scores: trim_mean(scores, 0.25)))
    return numpy.array(rows).T


def timed(way, file, resamples):
    clock, processor = time.perf_counter(), time.process_time()
    iqm = way(file, resamples)
    interval = numpy.percentile(iqm, [2.5, 97.5], axis=1)
    seconds = {"cpu": time.process_time() - processor, "wall": time.perf_counter() - clock}
    return {**seconds, "low": interval[0].tolist(), "high": interval[1].tolist(), "first": iqm[:, 0].tolist(), "mean": iqm.mean(axis=1).tolist()}


def main():
    versions = {"numpy": numpy.__version__, "pandas": pandas.__version__, "scipy": scipy.__version__}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "make" in asked:
            answer = make(asked["make"])
        elif "numpy" in asked:
            answer = timed(vectorised, asked["numpy"], asked["resamples"])
        else:
            answer = timed(grouped, asked["pandas"], asked["resamples"])
        print(json.dumps(answer), flush=True)


main()
