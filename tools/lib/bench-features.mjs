// What kept features save, beside a PyTorch loop that computes them anew, and what reading files costs a training step;
// writes bench/results/features.json.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { median, round, saveResult } from './bench-peer.mjs';
import { startServer } from './bench-server.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** Of ours; the loop, which takes longest, runs with the first. */
const SEEDS = [0, 1];
const EPOCHS = 8;
/** Of the scores of two programs whose draws differ; the spread over seeds where that is larger. */
const SCORE_TOLERANCE = 0.05;
const RATES = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5];

const COMMON = {
  ...{ normalization: 'none', evaluation: 'whole', validateEvery: 1, schedule: 'constant' },
  ...{ crop: 'none', dropLast: false },
};

/** A linear probe of ViT-B/16 at seven rates: all seven / the first, which computes the features. */
const SWEEP = {
  ...{ datasets: ['bench-scenes'], encoders: ['vit-b16-imagenet'], decoders: ['linear-head'], seeds: [0] },
  settings: { ...COMMON, encoderMode: 'frozen', inputSize: 224, epochs: 5 },
  vary: { learningRate: RATES },
};
/** The same of every pixel, whose decoder and scores take longer than the features of an image. */
const PIXEL_SWEEP = { ...SWEEP, datasets: ['bench-singles'], decoders: ['linear-pixel'] };

/** UPerNet on six dates of ViT-B/16, with PANGAEA's linear mapping of dates. */
const SERIES = {
  ...{ datasets: ['bench-series'], encoders: ['vit-b16-imagenet'], decoders: ['upernet'], seeds: SEEDS },
  settings: {
    ...{ ...COMMON, encoderMode: 'frozen', inputSize: 64, temporal: 'linear' },
    ...{ batchSize: 2, epochs: EPOCHS, learningRate: 1e-3 },
  },
};

/** Fine-tuning of ViT-S/16 on crops of images of 512 × 512 pixels with six bands. */
const READING = {
  ...{ datasets: ['bench-tiffs'], encoders: ['vit-small-random'], decoders: ['linear-pixel'], seeds: [0] },
  settings: {
    ...{ ...COMMON, crop: 'random', evaluation: 'sliding-window', encoderMode: 'fine-tuned', bands: 'adapt' },
    ...{ encoderWeights: 'random', inputSize: 224, batchSize: 8, epochs: 2, validateEvery: 2 },
  },
};

/** Runs the comparisons and prints them; exit code 0 where every limit is kept. */
export async function featuresBench({ python }) {
  process.env.OMP_WAIT_POLICY ??= 'PASSIVE'; // as in bench-encoders.mjs
  await setUp();
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  const peer = startServer(python, ['bench/features/peer.py']);
  const ours = startServer(process.execPath, ['bench/features/gondwana.mjs']);
  try {
    const [own, theirs] = [await ours.ready, await peer.ready];
    const machine = { processor: cpus()[0]?.model, cores: cpus().length, ...own, ...theirs };
    await peer.ask({ make: folder });
    const rows = [
      await reading(ours, folder),
      await sweep(ours, folder, { name: 'sweep', what: 'a linear probe', study: SWEEP, limit: 1.3 }),
      await sweep(ours, folder, {
        name: 'pixel-sweep',
        what: 'a linear probe of pixels',
        study: PIXEL_SWEEP,
      }),
      await series(ours, peer, folder),
    ];
    saveResult('features', { machine, rows });
    say('\nWritten: bench/results/features.json');
    return rows.every(({ isWithin }) => isWithin) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    peer.stop();
    ours.stop();
  }
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const cpuOf = ({ cpu }) => cpu;

async function sweep(ours, folder, { name, what, study, limit = null }) {
  const { runs } = await ours.ask({ folder, study });
  const ratio = round(sum(runs.map(cpuOf)) / runs[0].cpu);
  const wallRatio = round(sum(runs.map(({ wall }) => wall)) / runs[0].wall);
  say(
    `seven rates of ${what}: ${ratio.toFixed(2)} × one run${limit === null ? '' : ` (${limit})`}, clock ${wallRatio.toFixed(2)} ×`,
  );
  return { name, limit, ratio, wallRatio, isWithin: limit === null || ratio <= limit, runs };
}

async function series(ours, peer, folder) {
  const own = [];
  // a store of its own for each seed: every run computes its features
  for (const seed of SEEDS)
    own.push(...(await ours.ask({ folder, study: { ...SERIES, seeds: [seed] } })).runs);
  const theirs = await peer.ask({ loop: folder, seed: SEEDS[0], epochs: EPOCHS });
  const ratio = (key) => round(theirs[key] / median(own.map((run) => run[key])));
  const scores = own.map((run) => run.scores.test);
  const difference = round(Math.abs(sum(scores) / scores.length - theirs.scores.test));
  const noise = round(Math.max(SCORE_TOLERANCE, Math.max(...scores) - Math.min(...scores)));
  const [times, wallTimes] = [ratio('cpu'), ratio('wall')];
  say(
    `frozen UPerNet on six dates: ${times.toFixed(2)} × as fast as the loop (1.7), clock ${wallTimes.toFixed(2)} ×, ` +
      `test mIoU ${scores.map((score) => score.toFixed(3)).join(' and ')} against ${theirs.scores.test.toFixed(3)}`,
  );
  const isWithin = times >= 1.7 && difference <= noise;
  return {
    name: 'series',
    limit: 1.7,
    times,
    wallTimes,
    difference,
    noise,
    isWithin,
    ours: own,
    peer: theirs,
  };
}

async function reading(ours, folder) {
  const pairs = [];
  for (let turn = 0; turn < 4; turn++) {
    const secondsOf = async (memory) => {
      const { runs } = await ours.ask({ folder, study: READING, memory });
      return runs[0].seconds.train;
    };
    // either comes first in turn: a machine that slows down meanwhile favours neither
    const seconds = {};
    for (const memory of turn % 2 === 0 ? ['all', 'none'] : ['none', 'all'])
      seconds[memory] = await secondsOf(memory);
    pairs.push({ ready: seconds.all, read: seconds.none });
  }
  const ratio = round(median(pairs.slice(1).map(({ ready, read }) => read / ready)));
  say(
    `training steps with files read and decoded: ${ratio.toFixed(2)} × those of ready samples on the clock (1.1)`,
  );
  return { name: 'reading', limit: 1.1, ratio, isWithin: ratio <= 1.1, pairs };
}
