// Runs of studies on the arrays that peer.py made: a process that answers one JSON line for each it gets.
// {"folder": FOLDER, "study": SOME MEMBERS, "memory": "all" | "none"}: every run of the study one after the other from a store
// of its own, with seconds of the processor and on the clock, seconds of its training, and scores; with `none` no sample is
// kept in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEngine } from '../../dist/engine/engine.js';
import { openStore } from '../../dist/results/store.js';
import { executeRun } from '../../dist/studies/execute-run.js';
import { loadPlugin } from '../../dist/studies/load-plugin.js';
import { planStudy } from '../../dist/studies/plan-study.js';
import { Session } from '../../dist/studies/session.js';
import { serve } from '../serve.mjs';

await loadPlugin(path.join(import.meta.dirname, 'datasets.mjs'));

const engine = await startEngine();

async function answer({ folder, study, memory = 'all' }) {
  const store = openStore(mkdtempSync(path.join(tmpdir(), 'gondwana-bench-store-')));
  const whole = {
    ...{ name: 'bench', title: 'How fast?', protocol: 'pangaea', ...study },
    data: {
      'bench-series': path.join(folder, 'series'),
      'bench-singles': path.join(folder, 'singles'),
      'bench-scenes': path.join(folder, 'singles'),
      'bench-tiffs': path.join(folder, 'tiffs'),
    },
    ...(study.encoders.includes('vit-b16-imagenet') && {
      weights: {
        'vit-b16-imagenet': path.join(
          folder,
          study.datasets.includes('bench-series') ? 'series.pth' : 'singles.pth',
        ),
      },
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
      const metric = opened.dataset.manifest.task === 'segmentation' ? 'mIoU' : 'accuracy';
      const score = (split) =>
        scores.find(
          (row) =>
            row.split === split && row.place === 'all' && row.metric === metric && row.className === null,
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
