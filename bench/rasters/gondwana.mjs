// Reads folders of GeoTIFFs in two threads: a process that answers one JSON line for each it gets.
// {"read": FOLDER, "keep": false}: seconds of the processor and on the clock; keep: every raster has memory of its own.
// {"read": FOLDER, "times": N}: the folder N times over, with the peak of this process's memory in MB.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readGeoTiffs } from '../../dist/io/geotiff/read-many.js';
import { serve } from '../serve.mjs';

const THREADS = 2;
async function read({ read: folder, keep = false, times = 1 }) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.tif'))
    .sort()
    .map((name) => path.join(folder, name));
  const all = Array.from({ length: times }, () => files).flat();
  const clock = performance.now();
  const before = process.cpuUsage();
  let check = 0;
  for await (const { data, width, bandCount } of readGeoTiffs(all, { threads: THREADS, recycle: !keep })) {
    check += data[(7 * width + 11) * bandCount + 2];
  }
  const { user, system } = process.cpuUsage(before);
  return {
    cpu: (user + system) / 1e6,
    wall: (performance.now() - clock) / 1000,
    check: check / times,
    peakMB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

await serve({ node: process.version }, read);
