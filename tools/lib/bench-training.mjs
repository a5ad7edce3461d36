// Training steps beside PyTorch from the same weights, inputs and labels, in turn within one run, with losses and the
// gradients of the first step compared; writes bench/results/training.json.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { median, round, saveResult } from './bench-peer.mjs';
import { startServer } from './bench-server.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** Upper limits of ours / PyTorch in float32, processor time, or of the peak of our process. */
const ROWS = [
  { name: 'upernet', precision: 'float32', limit: 0.95 },
  { name: 'vit-s16', precision: 'float32', limit: 1 },
  { name: 'vit-s16', precision: 'bfloat16', limit: 0.8 },
  { name: 'vit-s16', precision: 'float32', checkpoints: true, limitMB: 1400 },
];
/** √(Σ difference² / Σ gradient²) in float32; UPerNet normalises pooled maps of 1 × 1 pixel by 8 values, which enlarges rounding. */
const GRADIENT_LIMIT = 1e-3;

/** Runs the comparison and prints its table; exit code 0 where every limit is kept. */
export async function trainingBench({ python, rounds }) {
  process.env.OMP_WAIT_POLICY ??= 'PASSIVE'; // as in bench-encoders.mjs
  await setUp();
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  const machine = { processor: cpus()[0]?.model, cores: cpus().length };
  const rows = [];
  try {
    for (const row of ROWS) {
      const peer = startServer(python, ['bench/training/peer.py']);
      const ours = startServer(process.execPath, ['bench/training/gondwana.mjs']);
      try {
        Object.assign(machine, await peer.ready, await ours.ready);
        const { name, precision, checkpoints = false } = row;
        await peer.ask({ prepare: name, folder });
        const { gradientError } = await ours.ask({ load: name, folder, precision, checkpoints });
        const runs = [];
        for (let turn = 0; turn <= rounds; turn++) {
          runs.push({ peer: await peer.ask({ step: name }), ours: await ours.ask({ step: name }) });
        }
        const timed = runs.slice(1); // the first fills caches
        const ratio = (key) => round(median(timed.map((run) => run.ours[key] / run.peer[key])));
        const { peakMB } = await ours.ask({ memory: true });
        const { peakMB: peerPeakMB } = await peer.ask({ memory: true });
        rows.push({
          ...row,
          ...{ cpuRatio: ratio('cpu'), wallRatio: ratio('wall'), gradientError, peakMB, peerPeakMB, runs },
        });
        say(describe(rows.at(-1)));
      } finally {
        peer.stop();
        ours.stop();
      }
    }
    saveResult('training', { rounds, machine, rows });
    say('\nWritten: bench/results/training.json');
    const isWithin = ({ cpuRatio, limit = Infinity, peakMB, limitMB = Infinity, precision, gradientError }) =>
      cpuRatio <= limit && peakMB <= limitMB && (precision !== 'float32' || gradientError <= GRADIENT_LIMIT);
    return rows.every(isWithin) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe({ name, precision, checkpoints, limit, limitMB, gradientError, runs, ...row }) {
  const last = runs.at(-1);
  const mark = (value) => (value === undefined ? '' : ` (${value})`);
  return (
    `${name} ${precision}${checkpoints ? ', checkpoints' : ''}: processor ${row.cpuRatio.toFixed(2)}${mark(limit)}, ` +
    `clock ${row.wallRatio.toFixed(2)}, peak ${row.peakMB} MB${mark(limitMB)} against ${row.peerPeakMB} MB, ` +
    `loss after ${runs.length} steps ${last.ours.loss.toFixed(5)} against ${last.peer.loss.toFixed(5)}, ` +
    `gradients differ by ${gradientError.toExponential(1)}`
  );
}
