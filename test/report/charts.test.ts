import { decode } from 'fast-png';
import { expect, test } from 'vitest';
import { convergenceChart } from '../../src/report/charts/convergence.js';
import { AVAILABLE, legendColumns, wrapped } from '../../src/report/charts/chart.js';
import { scoresChart } from '../../src/report/charts/scores.js';
import { darkTheme, lightTheme } from '../../src/report/charts/theme.js';
import { renderChart } from '../../src/report/render-chart.js';
import { meanInterval } from '../../src/statistics/summary.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

const records = syntheticRecords();
interface Layer {
  readonly data: { readonly values: readonly Record<string, unknown>[] };
  readonly mark: { readonly type: string };
}
const layersOf = (spec: object): Layer[] => (spec as { layer: Layer[] }).layer;
const rowsOf = (spec: object, type: string): Record<string, unknown>[] =>
  layersOf(spec)
    .filter((layer) => layer.mark.type === type)
    .flatMap((layer) => layer.data.values);
const notesOf = (spec: object): string[] => (spec as { usermeta: { notes: string[] } }).usermeta.notes;

test('intervals in the score chart are those of our statistics, and nothing is left to be estimated', () => {
  const spec = scoresChart(records);
  const frozen = records
    .filter((record) => record.arm === 'frozen, none')
    .map((record) => record.scores[0]!.value);
  const { mean, interval } = meanInterval(frozen);
  const row = rowsOf(spec, 'point').find((point) => point.arm === 'frozen, none' && point.group === 'tiles')!;
  expect([row.mean, row.low, row.high]).toEqual([mean, interval!.low, interval!.high]);
  expect(JSON.stringify(spec)).not.toMatch(/"extent"|errorbar|errorband|bootstrap/);
});

test('the score chart has a dot an arm and evaluation, a tick a seed, and a line a trivial predictor', () => {
  const spec = scoresChart(records);
  expect(rowsOf(spec, 'point')).toHaveLength(10);
  expect(rowsOf(spec, 'tick')).toHaveLength(30);
  expect(rowsOf(spec, 'text').map((row) => row.label)).toEqual(['all crown 0.159', 'all background 0.341']);
  const places = scoresChart(records, { split: 'away', by: 'place' });
  expect(new Set(rowsOf(places, 'point').map((row) => row.group))).toEqual(
    new Set(['YELL-541', 'OSBS-029', 'SOAP-061']),
  );
});

test('one seed draws a dot without an interval', () => {
  const spec = scoresChart(syntheticRecords({ seeds: [1] }));
  expect(rowsOf(spec, 'point')[0]).toMatchObject({ low: null, high: null });
  expect(rowsOf(spec, 'point')[0]!.text).toMatch(/no interval$/);
  expect(
    layersOf(spec).find((layer) => layer.mark.type === 'rule' && layer.data.values.length === 0),
  ).toBeDefined();
});

test('no point is cut by the axis', () => {
  const spec = scoresChart(records);
  const layer = layersOf(spec)[0] as unknown as { encoding: { x: { scale: { domain: [number, number] } } } };
  const [low, high] = layer.encoding.x.scale.domain;
  for (const row of [...rowsOf(spec, 'tick'), ...rowsOf(spec, 'text')]) {
    expect(row.value as number).toBeGreaterThan(low);
    expect(row.value as number).toBeLessThan(high);
  }
});

const xOf = (spec: object) =>
  (
    layersOf(spec)[0] as unknown as {
      encoding: {
        x: { scale: { domain: [number, number] }; axis: { values: number[] } };
        y: { scale: { domain: [number, number] } };
      };
    }
  ).encoding.x;

test('the axis of a score stays within 0 … 1; an interval that reaches outside is cut there, which is said', () => {
  const wide = syntheticRecords({ seeds: [0, 1], arms: ['frozen, z-score'] }).map((record) => ({
    ...record,
    scores: record.scores.map((row) => ({ ...row, value: record.definition.seed === 1 ? 0.9 : 0.1 })),
  }));
  const spec = scoresChart(wide);
  expect(xOf(spec).scale.domain).toEqual([0, 1]);
  const bars = rowsOf(spec, 'rule').filter((row) => row.from !== undefined);
  expect(bars.map((row) => [row.from, row.to])).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(notesOf(spec)).toEqual([
    '2 intervals are longer than the axis and cut at its ends; the table has their widths.',
  ]);
  expect(notesOf(scoresChart(records))).toEqual([]);
});

test('labels of the score axis, with two decimals, differ also where all scores are alike', () => {
  const [low, high] = xOf(
    scoresChart(syntheticRecords({ seeds: [0], arms: ['frozen, z-score'], trivial: false })),
  ).scale.domain;
  expect(high - low).toBeGreaterThanOrEqual(0.06 - 1e-12);
});

test('the axis of epochs names whole epochs that were run, and only those', () => {
  const upTo = (epochs: number) =>
    xOf(
      convergenceChart(
        records.map((record) => ({
          ...record,
          curve:
            record.curve.length === 0
              ? []
              : Array.from({ length: epochs }, (_, i) => ({ ...record.curve[0]!, epoch: i + 1 })),
        })),
      ),
    );
  expect(upTo(1)).toMatchObject({ scale: { domain: [0.5, 1.5] }, axis: { values: [1] } });
  expect(upTo(2)).toMatchObject({ scale: { domain: [1, 2] }, axis: { values: [1, 2] } });
  expect(upTo(12).axis.values).toEqual([2, 4, 6, 8, 10, 12]);
  expect(upTo(100).axis.values).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('a long name takes several lines and a legend as many columns as there is room for', async () => {
  expect(wrapped('frozen with z-score of the training split', 20)).toEqual([
    'frozen with z-score',
    'of the training',
    'split',
  ]);
  expect(wrapped('a'.repeat(45), 20).map((line) => line.length)).toEqual([20, 20, 5]);
  expect(legendColumns(['tiles', 'sliding window'], 100).expr).toBe(
    `max(1, min(2, floor((${AVAILABLE} - 100) / 128)))`,
  );
  const long = records.map((record) => ({
    ...record,
    arm: `${record.arm} and a rather long name of this arm`,
  }));
  for (const spec of [scoresChart(long), convergenceChart(long)]) {
    const { svg, warnings } = await renderChart(spec);
    expect(warnings).toEqual([]);
    expect(svg).not.toContain('…');
  }
});

test('missing and infinite scores are left out and counted', () => {
  const odd = records.map((record, i) =>
    i > 1
      ? record
      : { ...record, scores: record.scores.map((row) => ({ ...row, value: i === 0 ? Infinity : null })) },
  );
  const spec = scoresChart(odd);
  expect(notesOf(spec)).toEqual(['4 values are missing or not finite and left out.']);
  expect(rowsOf(spec, 'tick')).toHaveLength(26);
  const withNaN = records.map((record, i) =>
    i > 0 ? record : { ...record, curve: record.curve.map((row) => ({ ...row, trainLoss: Number.NaN })) },
  );
  expect(notesOf(convergenceChart(withNaN, { measure: 'trainLoss' }))).toEqual([
    '6 values are missing or not finite and left out.',
  ]);
});

test('the convergence chart has a line a seed and one for the mean of each arm', () => {
  const [seeds, means] = layersOf(convergenceChart(records));
  expect(seeds!.data.values).toHaveLength(15 * 6);
  expect(means!.data.values).toHaveLength(5 * 6);
  const first = records
    .filter((record) => record.arm === 'frozen, none')
    .map((record) => record.curve[0]!.validationScore!);
  const row = means!.data.values.find((value) => value.arm === 'frozen, none' && value.epoch === 1)!;
  expect(row.value).toBeCloseTo(first.reduce((a, b) => a + b) / 3, 12);
});

test('200,000 points are put together, the specification stays below 1 MB and says so', () => {
  const long = records
    .filter((record) => record.curve.length > 0)
    .map((record) => ({
      ...record,
      curve: Array.from({ length: 14_000 }, (_, i) => ({
        epoch: i + 1,
        trainLoss: 1 / (i + 1),
        validationScore: 0.5,
        seconds: 1,
      })),
    }));
  const spec = convergenceChart(long, { measure: 'trainLoss' });
  expect(JSON.stringify(spec).length).toBeLessThan(1_000_000);
  expect(layersOf(spec)[0]!.data.values).toEqual([]);
  expect(notesOf(spec)[0]).toMatch(
    /^210000 points are too many for one chart: the lines are means over seeds of \d+ epochs each\.$/,
  );
});

test('every chart names dataset, split, evaluation and run count', () => {
  const { context } = (
    scoresChart(records, { split: 'away', by: 'place' }) as unknown as { usermeta: { context: string } }
  ).usermeta;
  expect(context).toMatch(/^neon-crowns, away, tiles, 15 runs \(5 arms × 3 seeds\)\./);
});

test('a chart of nothing, of an unknown split or of several datasets is a typed error', () => {
  const error = (code: string) => expect.objectContaining({ code }) as Error;
  expect(() => scoresChart([])).toThrowError(error('CHART_INPUT'));
  expect(() => scoresChart(records, { split: 'nowhere' })).toThrowError(/"nowhere"/);
  const two = [...records, { ...records[0]!, definition: { ...records[0]!.definition, dataset: 'mados' } }];
  expect(() => convergenceChart(two)).toThrowError(
    expect.objectContaining({ hint: expect.stringContaining('neon-crowns, mados') as string }) as Error,
  );
});

test('a chart renders to compiled Vega, SVG with text and PNG, the same each time and without warnings', async () => {
  const spec = scoresChart(records);
  const [a, b] = [await renderChart(spec), await renderChart(spec)];
  expect(a.warnings).toEqual([]);
  expect(a.vega.$schema).toBe('https://vega.github.io/schema/vega/v5.json');
  expect(a.vega).toHaveProperty('marks');
  expect(a.svg).toContain('frozen, z-score');
  expect(Buffer.from(a.png).equals(Buffer.from(b.png))).toBe(true);
  expect(Buffer.from((await renderChart(spec, { theme: darkTheme })).png).equals(Buffer.from(a.png))).toBe(
    false,
  );
});

test('text is drawn: leaving it out changes many pixels', async () => {
  const spec = scoresChart(records);
  const plain = decode((await renderChart({ ...spec, title: null as never }, { scale: 1 })).png);
  const titled = decode((await renderChart(spec, { scale: 1 })).png);
  expect(titled.height).toBeGreaterThan(plain.height + 20);
  let dark = 0;
  // the title's band: rows above 20 px hold nothing but text
  for (let i = 0; i < titled.width * 20; i++) if (titled.data[i * titled.channels]! < 128) dark++;
  expect(dark).toBeGreaterThan(100);
});

test('text widths come from the font: a wide word makes a wider margin than a narrow one of as many letters', async () => {
  const spec = (name: string) => ({
    data: { values: [{ name, v: 1 }] },
    width: 100,
    mark: 'bar',
    encoding: { y: { field: 'name', type: 'nominal' }, x: { field: 'v', type: 'quantitative' } },
  });
  const widthOf = async (name: string) => decode((await renderChart(spec(name), { scale: 1 })).png).width;
  expect((await widthOf('MMMMMMMM')) - (await widthOf('iiiiiiii'))).toBeGreaterThan(40);
});

test('a NaN in the data becomes null, and a specification that does not compile is a typed error', async () => {
  const { vega } = await renderChart({
    data: { values: [{ x: Number.NaN }, { x: 1 }] },
    mark: 'point',
    encoding: { x: { field: 'x', type: 'quantitative' } },
  });
  expect(JSON.stringify(vega)).toContain('{"x":null}');
  await expect(renderChart({ mark: 'no-such-mark', data: { values: [] } })).rejects.toMatchObject({
    code: 'CHART_SPEC',
  });
});

test('a dark viewer finds no colour of the chart left open, and the specification’s own stay', async () => {
  const spec = {
    title: 'T',
    data: { values: [{ a: 1 }] },
    mark: 'bar',
    encoding: { x: { field: 'a', type: 'quantitative' } },
  };
  const configOf = async (config: object): Promise<Record<string, unknown>> =>
    (await renderChart({ ...spec, config })).vega.config as Record<string, unknown>;
  const { text, muted, line } = lightTheme;
  // the members that the dark theme of vega-embed 6 sets
  expect(await configOf({ axis: { grid: false } })).toMatchObject({
    title: { color: text, subtitleColor: muted },
    axis: { domainColor: line, gridColor: line, tickColor: line },
    style: { 'guide-label': { fill: text }, 'guide-title': { fill: muted } },
  });
  expect(
    await configOf({ title: { color: 'red', subtitleColor: 'blue' }, axis: { gridColor: 'green' } }),
  ).toMatchObject({ title: { color: 'red', subtitleColor: 'blue' }, axis: { gridColor: 'green' } });
});

test('a mark that does not exist is named with the nearest one', async () => {
  const bars = { mark: { type: 'bars' }, encoding: {} };
  const data = { values: [] };
  for (const [spec, where] of [
    [{ data, ...bars }, 'mark'],
    [{ data, layer: [{ mark: 'rule' }, bars] }, 'layer[1].mark'],
  ] as const) {
    await expect(renderChart(spec)).rejects.toMatchObject({
      code: 'CHART_SPEC',
      where,
      hint: expect.stringContaining('Did you mean "bar"?'),
    });
  }
});
