// Resamples a leaderboard's runs, and loads compacted stores: a process that answers one JSON line for each it gets.
// {"fast": FILE, "resamples": N} with draws of our own, {"exact": FILE, "resamples": N} with those of pandas;
// {"fill": FOLDER, "runs": N} makes a compacted store, {"load": FOLDER} reads and aggregates it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createRandom } from '../../dist/random.js';
import { compactRecords, readRunScores } from '../../dist/results/compact.js';
import { importRuns } from '../../dist/results/import-runs.js';
import { aggregate } from '../../dist/statistics/aggregate.js';
import { bootstrap } from '../../dist/statistics/bootstrap.js';
import { pandasDraws, randomDraws } from '../../dist/statistics/draws.js';
import { normalize } from '../../dist/statistics/normalize.js';
import { summarizeResamples } from '../../dist/statistics/resample-summary.js';
import { scoreMatrix } from '../../dist/statistics/score-matrix.js';
import { serve } from '../serve.mjs';

function leaderboard(file, resamples, draws) {
  const matrix = normalize(scoreMatrix(importRuns(file).runs));
  const drawn = bootstrap(matrix, 'pooled-iqm', { resamples, draws });
  const rows = summarizeResamples(drawn);
  return {
    low: rows.map(({ interval }) => interval.low),
    high: rows.map(({ interval }) => interval.high),
    mean: rows.map(({ mean }) => mean),
    first: drawn.values.map((values) => values[0]),
  };
}

/** A record of about the size that a segmentation of ten classes has. */
function recordOf(run) {
  const [model, dataset, seed] = [run % 100, Math.floor(run / 100) % 50, Math.floor(run / 5000)];
  const id = run.toString(16).padStart(16, '0');
  const score = (metric, className, value) => ({
    split: 'test',
    place: 'all',
    evaluation: 'tiles',
    metric,
    className,
    value,
  });
  const value = ((run * 2654435761) % 1000003) / 1000003;
  return {
    schema: 'gondwana-run/1',
    id,
    attempt: id,
    study: 'bench',
    arm: `arm ${model}`,
    definition: {
      dataset: `dataset-${dataset}`,
      encoder: `encoder-${model}`,
      decoder: 'unet',
      settings: { evaluation: 'tiles', epochs: 50, learningRate: 1e-4 },
      seed,
      mode: 'corrected',
      datasetManifest: id,
      weights: null,
      revision: 1,
    },
    dataHash: id,
    counts: {},
    inputs: [],
    scores: [
      score('mIoU', null, value),
      ...Array.from({ length: 10 }, (_, at) => score('IoU', `class ${at}`, value)),
    ],
    curve: Array.from({ length: 20 }, (_, at) => ({
      epoch: at + 1,
      trainLoss: 1 / (at + 1),
      validationScore: value,
      seconds: 1,
    })),
    selectedEpoch: 20,
    examples: [],
    cost: {
      parameters: 1,
      trainableParameters: 1,
      seconds: { train: 20 },
      peakResidentBytes: 1,
      processes: 1,
    },
    engine: { name: 'cpu', library: '1', api: '1', device: 'cpu', threads: 1, processor: 'p', notices: [] },
    versions: {},
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:00:20.000Z',
  };
}

async function fill(folder, runs) {
  mkdirSync(path.join(folder, 'segments'), { recursive: true });
  const size = 5000;
  for (let start = 0; start < runs; start += size)
    await compactRecords(
      folder,
      Array.from({ length: Math.min(size, runs - start) }, (_, at) => recordOf(start + at)),
    );
  return {};
}

async function load(folder) {
  const matrix = normalize(scoreMatrix(await readRunScores(folder)));
  const iqm = aggregate(matrix, 'pooled-iqm');
  return { models: iqm.length, first: iqm[0] };
}

const questions = {
  fast: ({ fast, resamples }) => leaderboard(fast, resamples, randomDraws(createRandom(0))),
  exact: ({ exact, resamples }) => leaderboard(exact, resamples, pandasDraws({ firstSeed: 100 })),
  fill: (asked) => fill(asked.fill, asked.runs),
  load: (asked) => load(asked.load),
};

await serve({ node: process.version }, async (asked) => {
  const clock = performance.now();
  const before = process.cpuUsage();
  const name = Object.keys(questions).find((question) => question in asked);
  const answer = await questions[name](asked);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - clock) / 1000, ...answer };
});
