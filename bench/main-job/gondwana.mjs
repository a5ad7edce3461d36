// The main job in Gondwana: a process that computes one run at a time when it is told to.
// Reads one JSON line { arm, seed, epochs } at a time from stdin and answers with one, as peer.py does. The times
// hold more than the peer's: whole images by sliding windows, scores by place.
import { createInterface } from 'node:readline';
import { startEngine } from '../../dist/engine/engine.js';
import { executeRun } from '../../dist/studies/execute-run.js';
import { loadStudy } from '../../dist/studies/load-study.js';
import { planStudy } from '../../dist/studies/plan-study.js';
import { Session } from '../../dist/studies/session.js';

const engine = await startEngine();
const study = await loadStudy('quickstart');
const session = new Session({
  study,
  engine,
  versions: {},
  store: undefined,
  emit: () => undefined,
  signal: new AbortController().signal,
  isCheck: false,
  processes: 1,
});
// reading images is not measured, as in the peer
const opened = await session.dataset((await study.plan()).runs[0].definition, () => undefined);
for (const split of Object.keys(opened.dataset.manifest.splits))
  for (const entry of await opened.dataset.entries(split)) await opened.cache.read(split, entry);

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
say({ ready: true, threads: engine.threads, engine: engine.library });
for await (const line of createInterface({ input: process.stdin })) {
  const { arm, seed, epochs } = JSON.parse(line);
  const plan = await planStudy({ ...study, seeds: [seed], settings: { epochs } });
  const run = plan.runs.find((candidate) => candidate.arm === arm);
  const [processor, clock] = [process.cpuUsage(), performance.now()];
  const record = await executeRun(run, session);
  const wall = (performance.now() - clock) / 1000;
  const { user, system } = process.cpuUsage(processor);
  const score = (split) =>
    record.scores.find(
      (row) =>
        row.split === split && row.place === 'all' && row.evaluation === 'tiles' && row.metric === 'mIoU',
    ).value;
  say({
    scores: { validation: score('validation'), test: score('test'), away: score('away') },
    wall,
    cpu: (user + system) / 1e6,
  });
}
process.exit(0);
