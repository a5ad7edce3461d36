// Time to decode folders of GeoTIFFs beside rasterio, both with two threads, in turn within one run; writes
// bench/results/rasters.json. rasterio comes from the Python that GONDWANA_PEER_PYTHON names, else it is installed into
// bench/.venv-rasters (bench/rasters/requirements.txt, 60 MB).
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { besideReader, median, round, saveResult } from './bench-peer.mjs';
import { startServer } from './bench-server.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

/** Upper limits of ours / rasterio, processor time. */
const LIMITS = { none: 0.9, deflate: 0.9, lzw: 3, zstd: 2.5 };
/** Memory that an epoch over 10,000 small samples may take. */
const EPOCH = { samples: 10_000, limitMB: 1024 };

/** Runs the comparison and prints its table; exit code 0 where every ratio and the memory keep their limit. */
export async function rasterBench({ files, rounds }) {
  await setUp();
  return besideReader('rasters', 'rasterio', async ({ peer, ours, folder, machine }) => {
    const rows = [];
    for (const [codec, limit] of Object.entries(LIMITS)) {
      const place = path.join(folder, codec);
      mkdirSync(place);
      await peer.ask({ make: place, codec, count: files });
      const runs = [];
      for (let turn = 0; turn <= rounds; turn++) {
        const theirs = await peer.ask({ read: place });
        const own = await ours.ask({ read: place });
        const kept = await ours.ask({ read: place, keep: true });
        if (own.check !== theirs.check || kept.check !== theirs.check)
          throw new Error(`${codec}: the pixels differ`);
        if (turn > 0) runs.push({ theirs, own, kept }); // the first fills the caches of the disk and the compiler
      }
      const of = (side, key) => median(runs.map((run) => run[side][key]));
      const ratio = (side, key) => round(median(runs.map((run) => run[side][key] / run.theirs[key])));
      rows.push({
        codec,
        limit,
        cpuRatio: ratio('own', 'cpu'),
        wallRatio: ratio('own', 'wall'),
        cpuRatioKept: ratio('kept', 'cpu'),
        wallRatioKept: ratio('kept', 'wall'),
        ms: {
          ours: round((of('own', 'cpu') * 1000) / files, 2),
          rasterio: round((of('theirs', 'cpu') * 1000) / files, 2),
        },
        runs,
      });
      rmSync(place, { recursive: true });
    }
    const epoch = await epochMemory(peer, path.join(folder, 'small'));
    saveResult('rasters', { files, rounds, machine, rows, epoch });
    print(rows, epoch, files);
    const isWithin = rows.every((row) => row.cpuRatio <= row.limit) && epoch.peakMB <= EPOCH.limitMB;
    return isWithin ? 0 : 1;
  });
}

/** Peak memory of a fresh process that reads small samples as an epoch does, every raster with memory of its own. */
async function epochMemory(peer, place) {
  const count = 100;
  mkdirSync(place);
  await peer.ask({ make: place, codec: 'small', count });
  const reader = startServer(process.execPath, ['bench/rasters/gondwana.mjs']);
  await reader.ready;
  const { cpu, wall, peakMB } = await reader.ask({ read: place, times: EPOCH.samples / count, keep: true });
  reader.stop();
  return { samples: EPOCH.samples, limitMB: EPOCH.limitMB, cpu: round(cpu), wall: round(wall), peakMB };
}

function print(rows, epoch, files) {
  say(`${files} files of 512 × 512 × 6 uint16, two threads; "kept": every raster has memory of its own`);
  say(
    '          ours / rasterio, processor  (limit)  clock   kept: processor  clock   processor a file: ours  rasterio',
  );
  for (const row of rows) {
    say(
      row.codec.padEnd(10) +
        row.cpuRatio.toFixed(2).padStart(26) +
        `(${row.limit})`.padStart(9) +
        row.wallRatio.toFixed(2).padStart(7) +
        row.cpuRatioKept.toFixed(2).padStart(18) +
        row.wallRatioKept.toFixed(2).padStart(7) +
        `${row.ms.ours.toFixed(1)} ms`.padStart(25) +
        `${row.ms.rasterio.toFixed(1)} ms`.padStart(10),
    );
  }
  say(
    `\n${epoch.samples} samples of 64 × 64 × 13: peak of ${epoch.peakMB} MB (${epoch.limitMB}), ${epoch.wall.toFixed(1)} s`,
  );
  say('\nWritten: bench/results/rasters.json');
}
