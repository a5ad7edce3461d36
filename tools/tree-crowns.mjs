// Writes reports/tree-crowns.md and .json from the store of the study. usage: node tools/tree-crowns.mjs [STORE]
// STORE: default results/tree-crowns, what `npx gondwana run tree-crowns` fills
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runTool, say, SetUpError } from './lib/process.mjs';

const PLACES = [
  ['test', 'another strip of the training image'],
  ['away', 'three other images'],
];
const METRICS = ['AP50', 'mAP'];

function armRow(arm, records, meanInterval) {
  const own = records.filter((record) => record.arm === arm);
  const scores = PLACES.flatMap(([split]) =>
    METRICS.map((metric) => {
      const isAsked = (row) =>
        row.split === split && row.place === 'all' && row.metric === metric && row.className === null;
      const { mean, halfWidth } = meanInterval(own.map((run) => run.scores.find(isAsked)?.value ?? null));
      return { split, metric, mean, halfWidth };
    }),
  );
  return { arm, runs: own.length, scores };
}

const cell = ({ mean, halfWidth }) =>
  mean === null ? '–' : halfWidth === null ? mean.toFixed(3) : `${mean.toFixed(3)} ± ${halfWidth.toFixed(3)}`;

function page(rows) {
  const columns = PLACES.flatMap(([split]) => METRICS.map((metric) => `${metric}, ${split}`));
  const lines = rows.map(({ arm, runs, scores }) => `| ${arm} | ${runs} | ${scores.map(cell).join(' | ')} |`);
  return `# Tree crowns as boxes

Written by \`node tools/tree-crowns.mjs\` from the store of the study \`tree-crowns\`: a small Faster R-CNN on frozen features of EfficientNet-Lite0, trained on a strip of
one NEON image. ${PLACES.map(([split, what]) => `\`${split}\`: ${what}`).join('; ')}. Mean over seeds ± half of its 95 % interval.

| arm | runs | ${columns.join(' | ')} |
| --- | ---: |${' ---: |'.repeat(columns.length)}
${lines.join('\n')}
`;
}

await runTool(async () => {
  const folder = path.resolve(root, process.argv[2] ?? 'results/tree-crowns');
  const [{ openStore }, { meanInterval }] = await Promise.all([
    import('../dist/results/store.js'),
    import('../dist/statistics/summary.js'),
  ]);
  const store = openStore(folder);
  const { records } = store.readAll();
  if (records.length === 0)
    throw new SetUpError(`${folder} has no records: run the study tree-crowns first.`);
  const planned = store.readPlan()?.runs ?? records; // in the order of the study, whichever run ended first
  const trained = planned.filter(({ definition }) => definition.encoder !== 'none');
  const arms = [...new Set([...trained, ...planned].map(({ arm }) => arm))];
  const rows = arms.map((arm) => armRow(arm, records, meanInterval));
  const { versions, engine } = records[0];
  const file = (ending) => path.join(root, `reports/tree-crowns.${ending}`);
  writeFileSync(file('json'), `${JSON.stringify({ versions, engine, rows }, null, 2)}\n`);
  writeFileSync(file('md'), page(rows));
  say(page(rows));
});
