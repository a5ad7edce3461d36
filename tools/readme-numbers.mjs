// Writes the numbers of README.md from the table of a study. usage: node tools/readme-numbers.mjs [CSV]
// CSV: the tidy table beside a report; default reports/quickstart/results.csv
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCsv } from './lib/csv.mjs';
import { root, runTool, say } from './lib/process.mjs';

const columns = [
  ['test, tiles', 'test', 'tiles'],
  ['test, sliding window', 'test', 'sliding-window'],
  ['other images, tiles', 'away', 'tiles'],
];

/** One line an arm: mIoU as mean ± half of the 95 % interval over seeds, and the seconds of a run. */
export async function scoreTable(rows) {
  const { meanInterval } = await import('../dist/statistics/summary.js');
  const overall = rows.filter((row) => row.metric === 'mIoU' && row.place === 'all' && row.class === '');
  const arms = [...new Set(overall.map((row) => row.arm))];
  const lines = [`| mIoU | runs | ${columns.map(([title]) => title).join(' | ')} | seconds a run |`];
  lines.push(`| --- | ---: |${' ---: |'.repeat(columns.length + 1)}`);
  for (const arm of arms) {
    const own = overall.filter((row) => row.arm === arm);
    const runs = new Map(own.map((row) => [row.run, Number(row.seconds)]));
    const cells = columns.map(([, split, evaluation]) => {
      const scores = own.filter(
        (row) => row.split === split && row.evaluation === evaluation && row.value !== '',
      );
      const { mean, halfWidth } = meanInterval(scores.map((row) => Number(row.value)));
      if (mean === null) return '–';
      return halfWidth === null ? mean.toFixed(3) : `${mean.toFixed(3)} ± ${halfWidth.toFixed(3)}`;
    });
    const seconds = [...runs.values()].reduce((sum, value) => sum + value, 0) / runs.size;
    lines.push(`| ${arm} | ${runs.size} | ${cells.join(' | ')} | ${seconds.toFixed(0)} |`);
  }
  return lines.join('\n');
}

/** The text with what stands between the marks `numbers:NAME` and `/numbers` replaced. */
export function fill(text, name, content) {
  const place = new RegExp(`(<!-- numbers:${name} -->\\n)[\\s\\S]*?(<!-- /numbers -->)`);
  if (!place.test(text)) throw new Error(`there is no place marked numbers:${name}`);
  return text.replace(place, (_all, begin, end) => `${begin}\n${content}\n\n${end}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runTool(async () => {
    const csv = path.resolve(root, process.argv[2] ?? 'reports/quickstart/results.csv');
    const readme = path.join(root, 'README.md');
    const rows = readCsv(readFileSync(csv, 'utf8'));
    const study = rows[0]?.study;
    if (study !== 'quickstart')
      throw new Error(`${csv} holds the study "${study}", not "quickstart" in full`);
    const table = await scoreTable(rows);
    const note =
      'Means over seeds with 95 % intervals (Student’s t), written by `tools/readme-numbers.mjs` from [the stored results](reports/published/quickstart.parquet).';
    writeFileSync(`${readme}.tmp`, fill(readFileSync(readme, 'utf8'), 'quickstart', `${table}\n\n${note}`));
    renameSync(`${readme}.tmp`, readme);
    say(table);
  });
}
