import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { charts } from '../../../src/report/charts/index.js';
import { execute } from '../../support/command-line.js';
import { root } from '../../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-charts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guide = readFileSync(path.join(root, 'docs', 'guide', 'charts.md'), 'utf8');
const calls = [...guide.matchAll(/`(charts\.(\w+)\(.*)`/g)].map((match) => ({
  call: match[1]!,
  name: match[2]!,
}));

describe('docs/guide/charts.md', () => {
  it('has a line for every chart', () => {
    expect([...new Set(calls.map(({ name }) => name))].sort()).toEqual(Object.keys(charts).sort());
  });

  it('draws every chart as it stands, without a warning', async () => {
    const snippet = /```ts\n([\s\S]+?)```/
      .exec(guide)![1]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replaceAll('display.table', 'shown.push');
    const own = calls.filter(({ call }) => !call.includes('(records'));
    const told = own.map(
      ({ call }) =>
        `{ const chart = ${call}; told.push([(await gondwana.renderChart(chart)).warnings, chartRows(chart).length]); }`,
    );
    const file = path.join(folder, 'charts.mjs');
    writeFileSync(
      file,
      `const [shown, told] = [[], []];\n${snippet}\n${told.join('\n')}\nconsole.log(JSON.stringify([shown[0].length, told]));`,
    );
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    const [rows, drawn] = JSON.parse(stdout) as [number, [string[], number][]];
    expect(rows).toBe(14); // models with runs on all of Core
    expect(drawn).toHaveLength(14);
    for (const [warnings, count] of drawn) expect([warnings, count > 0]).toEqual([[], true]);
  });
});
