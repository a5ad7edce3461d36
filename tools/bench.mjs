// Ratios of times against the peers, both sides in turn within one run: the median over seeds, and the ratio of the
// sums, which counts the features of a frozen encoder that our first seed computes and the others keep. Writes
// bench/results/NAME.json.
// usage: npm run bench [-- main-job | encoders | training | features | detection | kernels | rasters | hdf5 | leaderboard | scale | statistics] [--seeds 3] [--trained-seeds 3] [--epochs 6] [--files 100] [--rounds 5]
// The peer needs a Python with bench/main-job/requirements.txt (3 GB): bench/.venv, or the one that
// GONDWANA_PEER_PYTHON names; `npm run bench -- set-up` makes bench/.venv.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, runTool, say } from './lib/process.mjs';
import { detectionBench } from './lib/bench-detection.mjs';
import { encoderBench } from './lib/bench-encoders.mjs';
import { featuresBench } from './lib/bench-features.mjs';
import { hdf5Bench } from './lib/bench-hdf5.mjs';
import { kernelBench } from './lib/bench-kernels.mjs';
import { leaderboardBench } from './lib/bench-leaderboard.mjs';
import { median, round } from './lib/bench-peer.mjs';
import { rasterBench } from './lib/bench-rasters.mjs';
import { scaleBench } from './lib/bench-scale.mjs';
import { statisticsBench } from './lib/bench-statistics.mjs';
import { trainingBench } from './lib/bench-training.mjs';
import { startServer } from './lib/bench-server.mjs';
import { setUp } from './set-up.mjs';

const venv = path.join(root, 'bench/.venv');
const ownPython = path.join(venv, 'bin/python');

/** What the peer calls the arms of the quickstart study; upper limits of ours / peer, processor time. */
const ARMS = [
  { arm: 'frozen, z-score', peer: { frozen: true, zscore: true, pretrained: true }, limit: 0.75 },
  { arm: 'frozen, not normalised', peer: { frozen: true, zscore: false, pretrained: true }, limit: 0.75 },
  { arm: 'fine-tuned, z-score', peer: { frozen: false, zscore: true, pretrained: true }, limit: 1 },
  { arm: 'fine-tuned, not normalised', peer: { frozen: false, zscore: false, pretrained: true }, limit: 1 },
  { arm: 'from scratch, z-score', peer: { frozen: false, zscore: true, pretrained: false }, limit: 1 },
];

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** Python with PyTorch; without one, says how to get it. */
function findPeer() {
  const python = process.env.GONDWANA_PEER_PYTHON ?? ownPython;
  if (existsSync(python)) return python;
  say(
    `PEER_MISSING: there is no Python with PyTorch at ${python}\n  to do: npm run bench -- set-up, or set GONDWANA_PEER_PYTHON`,
  );
  return undefined;
}

async function mainJob({ seeds, trainedSeeds, epochs }) {
  const python = findPeer();
  if (!python) return 3;
  await setUp();
  const { fetchDataset } = await import('../dist/datasets/loaded-dataset.js');
  const { fetchWeights } = await import('../dist/encoders/fetch-weights.js');
  const { readSceneDatasetManifest } = await import('../dist/manifests/scene-manifest.js');
  const { readEncoderManifest } = await import('../dist/manifests/encoder-manifest.js');
  const data = path.join(await fetchDataset(readSceneDatasetManifest('neon-crowns')), 'deepforest/data');
  const weights = await fetchWeights(readEncoderManifest('efficientnet-lite0'));
  const peer = startServer(python, ['bench/main-job/peer.py', data, weights]);
  const ours = startServer(process.execPath, ['bench/main-job/gondwana.mjs']);
  try {
    const machine = {
      processor: cpus()[0]?.model,
      cores: cpus().length,
      node: process.version,
      ours: await ours.ready,
      peer: await peer.ready,
    };
    const rows = [];
    for (const { arm, peer: question, limit } of ARMS) {
      const runs = [];
      for (let seed = 0; seed < (question.frozen ? seeds : trainedSeeds); seed++) {
        const theirs = await peer.ask({ ...question, seed, epochs });
        const own = await ours.ask({ arm, seed, epochs });
        runs.push({ seed, ours: own, peer: theirs });
        say(
          `${arm}, seed ${seed}: processor ${own.cpu.toFixed(1)} s against ${theirs.cpu.toFixed(1)} s, test mIoU ${own.scores.test.toFixed(3)} against ${theirs.scores.test.toFixed(3)}`,
        );
      }
      const ratio = (key) => median(runs.map((run) => run.ours[key] / run.peer[key]));
      const scores = (side) =>
        Object.fromEntries(
          ['validation', 'test', 'away'].map((split) => [
            split,
            round(mean(runs.map((run) => run[side].scores[split]))),
          ]),
        );
      const total = (key) =>
        runs.reduce((sum, run) => sum + run.ours[key], 0) / runs.reduce((sum, run) => sum + run.peer[key], 0);
      rows.push({
        arm,
        limit,
        cpuRatio: round(ratio('cpu')),
        wallRatio: round(ratio('wall')),
        cpuRatioOfSums: round(total('cpu')),
        ours: scores('ours'),
        peer: scores('peer'),
        runs,
      });
    }
    const file = path.join(root, 'bench/results/main-job.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      file,
      `${JSON.stringify({ bench: 'main-job', date: new Date().toISOString(), seeds, trainedSeeds, epochs, machine, rows }, null, 2)}\n`,
    );
    say('');
    say(
      'arm                          ours / peer, processor: median  of sums  (limit)   clock   test mIoU: ours  peer',
    );
    for (const row of rows) {
      say(
        `${row.arm.padEnd(28)} ${row.cpuRatio.toFixed(2).padStart(30)} ${row.cpuRatioOfSums.toFixed(2).padStart(8)} ${`(${row.limit})`.padStart(8)} ${row.wallRatio.toFixed(2).padStart(7)} ${row.ours.test.toFixed(3).padStart(17)} ${row.peer.test.toFixed(3).padStart(5)}`,
      );
    }
    say(`\nWritten: bench/results/main-job.json`);
    return rows.every((row) => row.cpuRatio <= row.limit && row.cpuRatioOfSums <= row.limit) ? 0 : 1;
  } finally {
    peer.stop();
    ours.stop();
  }
}

function setUpPeer() {
  for (const [command, args] of [
    ['python3', ['-m', 'venv', venv]],
    [ownPython, ['-m', 'pip', 'install', '-r', path.join(root, 'bench/main-job/requirements.txt')]],
  ]) {
    const { status } = spawnSync(command, args, { stdio: 'inherit' });
    if (status !== 0) return 1;
  }
  return 0;
}

await runTool(async () => {
  const options = {
    seeds: { type: 'string', default: '3' },
    'trained-seeds': { type: 'string' },
    epochs: { type: 'string', default: '6' },
    files: { type: 'string', default: '100' },
    rounds: { type: 'string' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const name = positionals[0] ?? 'main-job';
  const rounds = Number(values.rounds ?? (name === 'scale' ? 2 : 5)); // a round of tasks on a cluster takes half a minute
  if (name === 'set-up') return setUpPeer();
  if (name === 'main-job') {
    const seeds = Number(values.seeds);
    const trainedSeeds = Number(values['trained-seeds'] ?? seeds); // of the arms whose encoder is trained: they take longest
    return mainJob({ seeds, trainedSeeds, epochs: Number(values.epochs) });
  }
  if (['encoders', 'training', 'features', 'detection'].includes(name)) {
    const python = findPeer();
    const compare = {
      encoders: encoderBench,
      training: trainingBench,
      features: featuresBench,
      detection: detectionBench,
    }[name];
    return python ? compare({ python, rounds }) : 3;
  }
  if (name === 'kernels') return kernelBench();
  if (name === 'scale') return scaleBench({ rounds });
  if (name === 'leaderboard') return leaderboardBench({ rounds });
  if (name === 'hdf5') return hdf5Bench({ files: Number(values.files), rounds });
  if (name === 'statistics') return statisticsBench({ rounds });
  if (name === 'rasters') return rasterBench({ files: Number(values.files), rounds });
  say(
    'usage: npm run bench [-- main-job | encoders | training | features | detection | kernels | rasters | hdf5 | leaderboard | scale | statistics | set-up] [--seeds N] [--trained-seeds N] [--epochs N] [--files N] [--rounds N]',
  );
  return 2;
});
