"""Best values after 16 trials of Optuna's TPE, for 3 objectives and 100 seeds each.

usage: pip install optuna==4.5.0 numpy==2.4.6; python make_vectors.py > vectors.json
The objectives stand a second time, in TypeScript, in test/training/search/tpe.test.ts.
"""

import json
import math

import optuna

SEEDS = 100
TRIALS = 16


def rates(trial):
    """GEO-Bench-2's space: learning rate and batch size. Smaller is better."""
    rate = trial.suggest_float("learningRate", 1e-6, 1e-3, log=True)
    batch = trial.suggest_categorical("batchSize", [8, 16, 32])
    return (math.log10(rate) + 4.3) ** 2 + {8: 0.1, 16: 0.0, 32: 0.2}[batch]


def branin(trial):
    """Branin's function, two linear floats. Smaller is better."""
    x = trial.suggest_float("x", -5, 10)
    y = trial.suggest_float("y", 0, 15)
    valley = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def mixed(trial):
    """Whole numbers on a logarithmic and on a stepped scale, a float and a name. Larger is better."""
    width = trial.suggest_int("width", 1, 256, log=True)
    depth = trial.suggest_int("depth", 2, 20, step=3)
    share = trial.suggest_float("share", 0, 1)
    kind = trial.suggest_categorical("kind", ["a", "b", "c", "d"])
    penalty = (math.log2(width) - 4) ** 2 / 4 + abs(depth - 11) / 6 + 3 * abs(share - 0.7)
    return 2 - penalty - {"a": 0.6, "b": 0.0, "c": 0.9, "d": 0.3}[kind]


def best(objective, direction, seed):
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=TRIALS)
    return study.best_value


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    objectives = {"rates": (rates, "minimize"), "branin": (branin, "minimize"), "mixed": (mixed, "maximize")}
    vectors = {
        name: {"direction": direction, "best": [best(objective, direction, seed) for seed in range(SEEDS)]}
        for name, (objective, direction) in objectives.items()
    }
    print(json.dumps({"optuna": optuna.__version__, "trials": TRIALS, "objectives": vectors}, indent=1))
