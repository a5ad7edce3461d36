// Forward passes of encoders beside PyTorch with the same weights, images and threads, in turn within one run; writes
// bench/results/encoders.json. The peer's Python as for the main job (bench/main-job/requirements.txt).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { median, round, saveResult } from './bench-peer.mjs';
import { startServer } from './bench-server.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** Upper limits of ours / PyTorch in float32, processor time. */
const ROWS = [
  { name: 'vit-b16', precision: 'float32', limit: 0.95 },
  { name: 'vit-b16', precision: 'bfloat16', limit: 0.65 },
  { name: 'resnet50', precision: 'float32', limit: 0.85 },
  { name: 'swin-b-stage', precision: 'float32', limit: 0.9 },
  { name: 'satlas-swin-b', precision: 'float32', limit: 0.9 },
];
/** Of a process that has computed ViT-B/16 on 8 images. */
const MEMORY = { name: 'vit-b16', limitMB: 1600 };
/** Largest difference of features in float32, as a share of the largest feature. */
const FEATURE_LIMIT = 1e-5;

const PEER = 'bench/encoders/peer.py';
const OURS = 'bench/encoders/gondwana.mjs';

function readFloats(file) {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

/** Largest difference as a share of the largest feature, and √(Σ difference² / Σ feature²): the worst map's. */
function featureError(ours, theirs, maps) {
  const errors = Array.from({ length: maps }, (_, map) => {
    const [a, b] = [readFloats(`${ours}.${map}.f32`), readFloats(`${theirs}.${map}.f32`)];
    if (a.length !== b.length) throw new Error(`map ${map}: ${a.length} features against ${b.length}`);
    let [largest, difference, squares, errorSquares] = [0, 0, 0, 0];
    for (let i = 0; i < a.length; i++) {
      const error = Math.abs(a[i] - b[i]);
      largest = Math.max(largest, Math.abs(b[i]));
      difference = Math.max(difference, error);
      squares += b[i] ** 2;
      errorSquares += error ** 2;
    }
    return { largest: difference / largest, relative: Math.sqrt(errorSquares / squares) };
  });
  return {
    largest: Math.max(...errors.map(({ largest }) => largest)),
    relative: Math.max(...errors.map(({ relative }) => relative)),
  };
}

/** Runs the comparison and prints its table; exit code 0 where every limit is kept. */
export async function encoderBench({ python, rounds }) {
  // threads that wait in a loop would count as processor time on a machine that others use too
  process.env.OMP_WAIT_POLICY ??= 'PASSIVE';
  await setUp();
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  const servers = [];
  const start = (command, file) => {
    const server = startServer(command, [file]);
    servers.push(server);
    return server;
  };
  try {
    const peer = start(python, PEER);
    const ours = start(process.execPath, OURS);
    const machine = { processor: cpus()[0]?.model, cores: cpus().length };
    Object.assign(machine, await peer.ready, await ours.ready);
    const rows = [];
    for (const { name, precision, limit } of ROWS) {
      await peer.ask({ prepare: name, folder });
      await peer.ask({ load: name, folder, precision: 'float32' });
      await ours.ask({ load: name, folder, precision });
      const [theirMaps, ourMaps] = [path.join(folder, 'peer'), path.join(folder, 'ours')];
      const { maps } = await peer.ask({ run: name, save: theirMaps });
      await ours.ask({ run: name, save: ourMaps });
      const error = featureError(ourMaps, theirMaps, maps);
      const runs = [];
      for (let turn = 0; turn < rounds; turn++) {
        runs.push({ peer: await peer.ask({ run: name }), ours: await ours.ask({ run: name }) });
      }
      const ratio = (key) => round(median(runs.map((run) => run.ours[key] / run.peer[key])));
      const row = { name, precision, limit, cpuRatio: ratio('cpu'), wallRatio: ratio('wall'), error, runs };
      if (precision === 'bfloat16') {
        await peer.ask({ load: name, folder, precision });
        await peer.ask({ run: name });
        const theirs = [];
        for (let turn = 0; turn < rounds; turn++) theirs.push(await peer.ask({ run: name }));
        row.peerInBfloat16 = { runs: theirs };
      }
      rows.push(row);
      say(describe(row));
    }
    for (const server of servers) server.stop();
    const memory = { ...MEMORY };
    for (const [side, server] of [
      ['oursMB', start(process.execPath, OURS)],
      ['peerMB', start(python, PEER)],
    ]) {
      await server.ready;
      await server.ask({ load: MEMORY.name, folder, precision: 'float32' });
      await server.ask({ run: MEMORY.name });
      await server.ask({ run: MEMORY.name });
      memory[side] = (await server.ask({ memory: true })).peakMB;
    }
    saveResult('encoders', { rounds, machine, rows, memory });
    say(
      `peak of ${MEMORY.name}: ${memory.oursMB} MB (${MEMORY.limitMB}), PyTorch ${memory.peerMB} MB\n\nWritten: bench/results/encoders.json`,
    );
    const isEqual = rows.every(
      ({ precision, error }) => precision !== 'float32' || error.largest <= FEATURE_LIMIT,
    );
    const isFast = rows.every(({ cpuRatio, limit }) => cpuRatio <= limit);
    return isEqual && isFast && memory.oursMB <= MEMORY.limitMB ? 0 : 1;
  } finally {
    for (const server of servers) server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const describe = ({ name, precision, limit, cpuRatio, wallRatio, error, runs }) =>
  `${name} ${precision}`.padEnd(24) +
  ` processor ${cpuRatio.toFixed(2)} (${limit}), clock ${wallRatio.toFixed(2)},` +
  ` ${(1000 * median(runs.map((run) => run.ours.cpu))).toFixed(0)} ms against ${(1000 * median(runs.map((run) => run.peer.cpu))).toFixed(0)} ms,` +
  ` features differ by ${error.largest.toExponential(1)} of the largest, ${error.relative.toExponential(1)} in all`;
