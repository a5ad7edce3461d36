// Runs of studies on the arrays that peer.py made: a process that answers one JSON line for each it gets.
// {"folder": FOLDER, "study": SOME MEMBERS, "memory": "all" | "none"}: every run of the study one after the other from a store
// of its own, with seconds of the processor and on the clock, seconds of its training, and scores; with `none` no sample is
// kept in memory.
import { mkdtempSync, readFileSync, rmSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineDataset } from '../../dist/datasets/dataset.js';
import { sampleImage } from '../../dist/datasets/image.js';
import { startEngine } from '../../dist/engine/engine.js';
import { openStore } from '../../dist/results/store.js';
import { executeRun } from '../../dist/studies/execute-run.js';
import { registerDefinition } from '../../dist/studies/load-plugin.js';
import { planStudy } from '../../dist/studies/plan-study.js';
import { Session } from '../../dist/studies/session.js';
import { serve } from '../serve.mjs';

const CLASSES = ['one', 'two', 'three'];
const RGB = ['B4', 'B3', 'B2'];

const namesIn = (root, split, suffix) =>
  readdirSync(root)
    .filter((name) => name.startsWith(`${split}-`) && name.endsWith(suffix))
    .sort()
    .map((name) => ({ id: name.slice(0, -suffix.length) }));

const labelsOf = (root, id, side) => {
  const data = new Uint8Array(readFileSync(path.join(root, `${id}.u8`)));
  const labels = { data, height: side, width: side };
  return { kind: 'mask', labels, stored: labels };
};

const manifestWith = (bands, scale) => ({
  task: 'segmentation',
  modalities: {
    optical: { bands, statistics: [{ source: 'by design', ...scale }] },
  },
  classes: CLASSES,
  splits: ['train', 'val', 'test'],
});

const arrays = (id, side, timeCount) =>
  defineDataset(id, {
    manifest: manifestWith(RGB, { mean: [0, 0, 0], std: [1, 1, 1] }),
    entries: (split, { root }) => namesIn(root, split, '.f32'),
    read({ id: name }, { root }) {
      const { buffer } = new Uint8Array(readFileSync(path.join(root, `${name}.f32`)));
      const data = new Float32Array(buffer);
      const optical = sampleImage({ data, height: side, width: side, bands: RGB, timeCount });
      return { images: { optical }, target: labelsOf(root, name, side) };
    },
  });

const BANDS = ['B02', 'B03', 'B04', 'B8A', 'B11', 'B12'];
const tiffs = defineDataset('bench-tiffs', {
  manifest: manifestWith(BANDS, { mean: BANDS.map(() => 1500), std: BANDS.map(() => 250) }),
  entries: (split, { root }) => namesIn(root, split, '.tif'),
  read: async ({ id }, io) => ({
    images: { optical: await io.raster(`${id}.tif`) },
    target: labelsOf(io.root, id, 512),
  }),
});

for (const definition of [arrays('bench-series', 64, 6), arrays('bench-singles', 224, 1), tiffs])
  registerDefinition(definition, 'bench');

const engine = await startEngine();

async function answer({ folder, study, memory = 'all' }) {
  const store = openStore(mkdtempSync(path.join(tmpdir(), 'gondwana-bench-store-')));
  const whole = {
    ...{ name: 'bench', title: 'How fast?', protocol: 'pangaea', ...study },
    data: {
      'bench-series': path.join(folder, 'series'),
      'bench-singles': path.join(folder, 'singles'),
      'bench-tiffs': path.join(folder, 'tiffs'),
    },
    ...(study.encoders.includes('vit-b16-imagenet') && {
      weights: { 'vit-b16-imagenet': path.join(folder, `${study.datasets[0].replace('bench-', '')}.pth`) },
    }),
  };
  const session = new Session({
    ...{ study: whole, engine, versions: {}, store, isCheck: false, emit: () => undefined },
    signal: new AbortController().signal,
    processes: memory === 'all' ? 1 : 1e5, // who share the memory
  });
  const { runs } = await planStudy(whole);
  const results = [];
  try {
    for (const run of runs.filter(({ definition }) => definition.encoder !== 'none')) {
      const opened = await session.dataset(run.definition, () => undefined);
      if (memory === 'all')
        for (const split of Object.keys(opened.dataset.manifest.splits))
          for (const entry of await opened.dataset.entries(split)) await opened.cache.read(split, entry);
      const [processor, clock] = [process.cpuUsage(), performance.now()];
      const { cost, scores } = await executeRun(run, session);
      const wall = (performance.now() - clock) / 1000;
      const { user, system } = process.cpuUsage(processor);
      const score = (split) =>
        scores.find(
          (row) =>
            row.split === split && row.place === 'all' && row.metric === 'mIoU' && row.className === null,
        ).value;
      results.push({
        ...{ arm: run.arm, seed: run.definition.seed, wall, cpu: (user + system) / 1e6 },
        ...{ seconds: cost.seconds, scores: { val: score('val'), test: score('test') } },
      });
    }
  } finally {
    rmSync(store.folder, { recursive: true, force: true });
  }
  return { runs: results };
}

await serve({ engine: engine.library, threads: engine.threads }, answer);
process.exit(0);
