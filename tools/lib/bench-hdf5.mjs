// Time to read HDF5 samples beside h5py, in turn within one run; writes bench/results/hdf5.json. h5py comes from the
// Python that GONDWANA_PEER_PYTHON names, else it is installed into bench/.venv-hdf5 (bench/hdf5/requirements.txt).
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { besideReader, median, round, saveResult } from './bench-peer.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** What a sample is. */
const KINDS = {
  bands: '12 datasets of 64 × 64',
  large: 'one of 512 × 512',
  deflate: 'one of 512 × 512, chunks, shuffle and Deflate',
  lzf: 'one of 512 × 512, chunks, LZF',
};

/** Runs the comparison and prints its table; exit code 0 where the numbers are the same. */
export async function hdf5Bench({ files, rounds }) {
  await setUp({ engine: false });
  return besideReader('hdf5', 'h5py', async ({ peer, ours, folder, machine }) => {
    const rows = [];
    for (const [kind, sample] of Object.entries(KINDS)) {
      const place = path.join(folder, kind);
      mkdirSync(place);
      await peer.ask({ make: place, kind, count: files });
      const runs = [];
      for (let turn = 0; turn <= rounds; turn++) {
        const theirs = await peer.ask({ read: place });
        const own = await ours.ask({ read: place });
        if (own.check !== theirs.check) throw new Error(`${kind}: the numbers differ`);
        if (turn > 0) runs.push({ theirs, own }); // the first fills the caches of the disk and the compiler
      }
      const ratio = (key) => round(median(runs.map((run) => run.own[key] / run.theirs[key])));
      const ms = (side) => round((median(runs.map((run) => run[side].cpu)) * 1000) / files, 2);
      rows.push({
        kind,
        sample,
        cpuRatio: ratio('cpu'),
        wallRatio: ratio('wall'),
        ms: { ours: ms('own'), h5py: ms('theirs') },
        runs,
      });
      rmSync(place, { recursive: true });
    }
    saveResult('hdf5', { files, rounds, machine, rows });
    print(rows, files);
    return 0;
  });
}

function print(rows, files) {
  say(`${files} files of int16, one thread`);
  say(`${'a file'.padEnd(48)}ours / h5py, processor  clock   processor a file: ours      h5py`);
  for (const { sample, cpuRatio, wallRatio, ms } of rows) {
    say(
      sample.padEnd(48) +
        cpuRatio.toFixed(2).padStart(22) +
        wallRatio.toFixed(2).padStart(7) +
        `${ms.ours.toFixed(2)} ms`.padStart(25) +
        `${ms.h5py.toFixed(2)} ms`.padStart(10),
    );
  }
  say('\nWritten: bench/results/hdf5.json');
}
