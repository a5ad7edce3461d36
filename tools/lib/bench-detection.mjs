// One training step over two images and one detection, 400 × 400 px, of Faster R-CNN on ResNet-50 beside torchvision from
// the same weights, images and boxes, in turn within one run; writes bench/results/detection.json.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { median, round, saveResult } from './bench-peer.mjs';
import { startServer } from './bench-server.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** Upper limit of ours / torchvision's processor time. */
const LIMIT = 1.2;

/** Runs the comparison and prints its table; exit code 0 where the limit is kept. */
export async function detectionBench({ python, rounds }) {
  process.env.OMP_WAIT_POLICY ??= 'PASSIVE'; // as in bench-encoders.mjs
  await setUp();
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  const peer = startServer(python, ['bench/detection/peer.py']);
  const ours = startServer(process.execPath, ['bench/detection/gondwana.mjs']);
  try {
    const machine = { processor: cpus()[0]?.model, cores: cpus().length };
    Object.assign(machine, await peer.ready, await ours.ready);
    await peer.ask({ prepare: folder });
    await ours.ask({ load: folder });
    const rows = [];
    for (const what of ['step', 'detect']) {
      const runs = [];
      for (let turn = 0; turn <= rounds; turn++)
        runs.push({ peer: await peer.ask({ [what]: true }), ours: await ours.ask({ [what]: true }) });
      const timed = runs.slice(1); // the first fills caches
      const ratio = (key) => round(median(timed.map((run) => run.ours[key] / run.peer[key])));
      rows.push({ name: what, limit: LIMIT, cpuRatio: ratio('cpu'), wallRatio: ratio('wall'), runs });
      say(describe(rows.at(-1)));
    }
    saveResult('detection', { rounds, machine, rows });
    say('\nWritten: bench/results/detection.json');
    return rows.every(({ cpuRatio }) => cpuRatio <= LIMIT) ? 0 : 1;
  } finally {
    peer.stop();
    ours.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe({ name, limit, cpuRatio, wallRatio, runs }) {
  const { peer, ours } = runs.at(-1);
  const said = ({ loss, count, cpu }) =>
    `${loss === undefined ? `${count} detections` : `loss ${loss.toFixed(3)}`}, ${cpu.toFixed(2)} s`;
  return `${name}: processor ${cpuRatio.toFixed(2)} (${limit}), clock ${wallRatio.toFixed(2)}; ${said(ours)} against ${said(peer)}`;
}
