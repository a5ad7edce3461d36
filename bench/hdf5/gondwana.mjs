// Reads folders of HDF5 samples: a process that answers one JSON line for each it gets.
// {"read": FOLDER}: every dataset of every file; seconds of the processor and on the clock.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Hdf5File } from '../../dist/io/hdf5/hdf5-file.js';
import { serve } from '../serve.mjs';

async function read({ read: folder }) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.hdf5'))
    .sort()
    .map((name) => path.join(folder, name));
  const clock = performance.now();
  const before = process.cpuUsage();
  let check = 0;
  for (const name of files) {
    const file = await Hdf5File.open(name);
    for (const dataset of file.datasetPaths) {
      const { data, shape } = file.read(dataset);
      check += data[7 * shape[1] + 11];
    }
    file.close();
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - clock) / 1000, check };
}

await serve({ node: process.version }, read);
