// A leaderboard of 14 models on 19 datasets with 5 seeds, resampled 10,000 times: beside numpy with SciPy, and beside pandas,
// in turn within one run; and 100,000 compacted runs read and aggregated. Writes bench/results/statistics.json.
import path from 'node:path';
import { besideReader, median, round, saveResult } from './bench-peer.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

const RESAMPLES = 10_000;
/** pandas takes some 50 ms a resample; its time grows with their number, so that few are enough. */
const PANDAS_RESAMPLES = 40;
const RUNS = 100_000;
/** Upper limits: ours / numpy, ours / pandas, with pandas's draws / pandas (processor time a resample); seconds of the processor. */
const LIMITS = { numpy: 0.8, pandas: 0.01, exact: 0.1, leaderboardSeconds: 1, loadSeconds: 3 };
/** Sums in another order differ by some units in the last place. */
const EQUAL = 1e-12;
/** Percentiles of 10,000 resamples drawn by two generators: their error is some 2 % of the interval, which is about 0.05. */
const ALIKE = 0.005;

const largest = (a, b) => Math.max(...a.map((value, at) => Math.abs(value - b[at])));

/** Runs the comparison and prints it; exit code 0 where all limits are kept. */
export async function statisticsBench({ rounds }) {
  await setUp();
  return besideReader('statistics', 'pandas with scipy', async ({ peer, ours, folder, machine }) => {
    const file = path.join(folder, 'runs.csv');
    await peer.ask({ make: file });
    const turns = [];
    for (let turn = 0; turn <= rounds; turn++) {
      const numpy = await peer.ask({ numpy: file, resamples: RESAMPLES });
      const fast = await ours.ask({ fast: file, resamples: RESAMPLES });
      const pandas = await peer.ask({ pandas: file, resamples: PANDAS_RESAMPLES });
      const exact = await ours.ask({ exact: file, resamples: RESAMPLES });
      const same = await ours.ask({ exact: file, resamples: PANDAS_RESAMPLES });
      const differences = {
        exact: Math.max(...['low', 'high', 'mean', 'first'].map((key) => largest(same[key], pandas[key]))),
        fast: Math.max(largest(fast.low, numpy.low), largest(fast.high, numpy.high)),
      };
      if (!(differences.exact <= EQUAL))
        throw new Error(`the draws of pandas give other numbers: ${differences.exact}`);
      if (!(differences.fast <= ALIKE)) throw new Error(`intervals differ from numpy's: ${differences.fast}`);
      const times = { numpy, fast, pandas, exact };
      const seconds = Object.fromEntries(
        Object.entries(times).map(([name, { cpu, wall }]) => [name, { cpu, wall }]),
      );
      if (turn > 0) turns.push({ ...seconds, differences }); // the first warms the compilers
    }
    const store = path.join(folder, 'store');
    await ours.ask({ fill: store, runs: RUNS });
    const loads = [];
    for (let turn = 0; turn < rounds; turn++) loads.push(await ours.ask({ load: store }));
    const scale = PANDAS_RESAMPLES / RESAMPLES;
    const of = (compute) => round(median(turns.map(compute)), 4);
    const result = {
      numpy: of(({ fast, numpy }) => fast.cpu / numpy.cpu),
      numpyWall: of(({ fast, numpy }) => fast.wall / numpy.wall),
      pandas: of(({ fast, pandas }) => (fast.cpu * scale) / pandas.cpu),
      exact: of(({ exact, pandas }) => (exact.cpu * scale) / pandas.cpu),
      leaderboardSeconds: of(({ fast }) => fast.cpu),
      leaderboardWall: of(({ fast }) => fast.wall),
      loadSeconds: round(median(loads.map(({ cpu }) => cpu)), 4),
      loadWall: round(median(loads.map(({ wall }) => wall)), 4),
    };
    const content = { rounds, resamples: RESAMPLES, pandasResamples: PANDAS_RESAMPLES, runs: RUNS, machine };
    saveResult('statistics', { ...content, limits: LIMITS, result, turns, loads });
    print(result);
    return Object.entries(LIMITS).every(([name, limit]) => result[name] <= limit) ? 0 : 1;
  });
}

function print(result) {
  const line = (what, name) =>
    say(`${what.padEnd(70)} ${String(result[name]).padStart(8)} (${LIMITS[name]})`);
  say('14 models, 19 datasets, 5 seeds, 10,000 resamples (limits in brackets)');
  line('ours / numpy with SciPy, processor', 'numpy');
  line('ours / pandas, processor a resample', 'pandas');
  line('ours with the draws of pandas / pandas, equal numbers', 'exact');
  line('ours, seconds of the processor', 'leaderboardSeconds');
  line('100,000 compacted runs read and aggregated, seconds of the processor', 'loadSeconds');
  say(
    `on the clock: ${result.leaderboardWall} s and ${result.loadWall} s; one thread, so that more is other work of the machine`,
  );
  say('\nWritten: bench/results/statistics.json');
}
