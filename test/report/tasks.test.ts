import { expect, test } from 'vitest';
import { convergenceChart } from '../../src/report/charts/convergence.js';
import { scoresChart } from '../../src/report/charts/scores.js';
import { renderReport } from '../../src/report/document.js';
import { compareArms, compareWithTrivial } from '../../src/report/findings.js';
import { datasetViews, scoreDecimals } from '../../src/report/view.js';
import { answerInWords } from '../../src/report/answer.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { classificationRecords, regressionRecords } from '../fixtures/results/synthetic-tasks.js';
import { syntheticPlan, syntheticRecords } from '../fixtures/results/synthetic-store.js';

const textOf = (page: string): string =>
  page
    .replace(/<script[^>]*>[\s\S]*?<\/script>|<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ');
const words = (records: readonly RunRecord[]): string[] =>
  datasetViews(records)
    .flatMap((view) => answerInWords(view))
    .map(({ text }) =>
      text
        .replace(/<[^>]*>/g, '')
        .replace(/&nbsp;|\s+/g, ' ')
        .trim(),
    );
const regression = regressionRecords();
const classification = classificationRecords();
const axis = (spec: object, name: 'x' | 'y') =>
  (
    spec as {
      layer: { encoding: Record<string, { title: string; scale: { domain: number[] }; axis: object }> }[];
    }
  ).layer.at(-1)!.encoding[name]!;
const context = (spec: object) =>
  (spec as { usermeta: { title: string; context: string; notes: string[] } }).usermeta;

test('of two arms of a regression the one with the smaller error is the better, by as much as it is smaller', () => {
  const comparisons = compareArms(datasetViews(regression)[0]!.arms, { split: 'test' });
  expect(comparisons.map(({ axis: name, values }) => `${name}: ${values.join(' < ')}`).sort()).toEqual([
    'encoder mode: fine-tuned < frozen',
    'encoder mode: fine-tuned < frozen',
    'encoder weights: imagenet < none',
    'normalisation: z-score < no normalisation',
    'normalisation: z-score < no normalisation',
  ]);
  const mirrored = compareArms(datasetViews(syntheticRecords())[0]!.arms, { split: 'test' });
  for (const [i, { difference, better }] of comparisons.entries()) {
    // RMSE is 100 · (1 − mIoU): the same differences, 100 times as large
    expect(difference.mean).toBeCloseTo(100 * mirrored[i]!.difference.mean!, 9);
    expect(difference.interval!.low).toBeCloseTo(100 * mirrored[i]!.difference.interval!.low, 9);
    expect(difference.interval!.high).toBeCloseTo(100 * mirrored[i]!.difference.interval!.high, 9);
    expect(better.name).toBe(mirrored[i]!.better.name);
  }
});

test('the words of a regression say lower, below and the unit’s digits', () => {
  const [first, second] = words(regression);
  expect(first).toMatch(
    /differences in RMSE on test \(forest-biomass, whole images, lower is better\) have a 95 % /,
  );
  expect(first).toMatch(/imagenet beats none by 1\d\.\d\d \(\d+\.\d\d to /);
  expect(second).toMatch(
    /^On test the lowest mean is that of fine-tuned, z-score, 3[12]\.\d\d ± \d\.\d\d, the highest that of “from scratch, z-score” with 4\d\.\d\d\. The best trivial predictor, “mean”, has 65\.90: all 5 learned arms lie below it with the whole interval\.$/,
  );
  expect(words(regressionRecords({ seeds: [1] }))[0]).toMatch(/scores \d+\.\d\d lower than frozen/);
});

test('a learned arm with a greater error than the mean of the labels is not better', () => {
  const worse = regression.map((record) =>
    record.arm === 'frozen, none'
      ? { ...record, scores: record.scores.map((row) => ({ ...row, value: row.value! * 3 })) }
      : record,
  );
  const found = compareWithTrivial(datasetViews(worse)[0]!.arms, { split: 'test' })!;
  expect([found.best.name, found.better.length]).toEqual(['mean', 4]);
  expect(found.notBetter.map(({ name }) => name)).toEqual(['frozen, none']);
  expect(words(worse)[1]).toContain('“frozen, none” does not.');
});

test('errors are shown with four digits of a middling one, shares with three decimals', () => {
  const decimals = (scale: number) => scoreDecimals(regressionRecords({ scale }), 'RMSE');
  // a middling RMSE is about half of the scale: 50, 5000, 0.005
  expect([decimals(100), decimals(10_000), decimals(0.01)]).toEqual([2, 0, 6]);
  expect(scoreDecimals(regression, 'R2')).toBe(3);
  expect(scoreDecimals(classification, 'accuracy')).toBe(3);
});

test('charts of a regression have its metric and loss, and an axis in the unit of the target', () => {
  const scores = scoresChart(regression, { split: 'test' });
  expect(context(scores).title).toBe('RMSE on test');
  expect(axis(scores, 'x')).toMatchObject({ title: 'RMSE, lower is better', axis: { tickCount: 6 } });
  expect(axis(scores, 'x').axis).not.toHaveProperty('format');
  const [low, high] = axis(scores, 'x').scale.domain;
  expect(low).toBeGreaterThan(25);
  expect(high).toBeGreaterThan(65.9);
  const small = scoresChart(regressionRecords({ scale: 0.01 }), { split: 'test' });
  expect(axis(small, 'x').scale.domain[1]).toBeLessThan(0.01);
  const curve = convergenceChart(regression);
  expect(context(curve)).toMatchObject({ title: 'Validation RMSE by epoch' });
  expect(context(curve).context).toContain('forest-biomass, val, whole images, 15 runs');
  expect(axis(curve, 'y')).toMatchObject({ title: 'RMSE, lower is better' });
  expect(axis(convergenceChart(regression, { measure: 'trainLoss' }), 'y')).toMatchObject({ title: 'MSE' });
});

test('charts of a classification name the score that chose the epoch and the loss of the study', () => {
  expect(context(scoresChart(classification)).title).toBe('accuracy on test');
  expect(context(convergenceChart(classification)).title).toBe('Validation mF1 by epoch');
  expect(axis(convergenceChart(classification, { measure: 'trainLoss' }), 'y').title).toBe('focal');
  expect(axis(convergenceChart(syntheticRecords(), { measure: 'trainLoss' }), 'y').title).toBe(
    'cross entropy',
  );
});

test('arms with other losses are drawn with the word that their heights cannot be compared', () => {
  const mixed = regression.map((record) =>
    record.arm.startsWith('frozen')
      ? {
          ...record,
          definition: { ...record.definition, settings: { ...record.definition.settings, loss: 'huber' } },
        }
      : record,
  );
  expect(context(convergenceChart(mixed, { measure: 'trainLoss' })).notes).toEqual([
    'Arms differ in what is drawn (huber, MSE): their heights cannot be compared.',
  ]);
  expect(context(convergenceChart(mixed)).notes).toEqual([]);
});

test('the page of a regression has its other scores, no classes, and the lowest mean in bold', async () => {
  const page = await renderReport({ records: regression });
  const text = textOf(page);
  expect(page).not.toContain('<section id="classes">');
  expect(page).toContain('<section id="other-scores">');
  expect(text).toMatch(/arm MSE \(lower is better\) MAE \(lower is better\) R2 pearson/);
  expect(text).toContain('RMSE (lower is better, in the unit of the target)');
  expect(text).toContain('test (22 images)');
  expect(text).toContain('Bold: lowest mean of the learned arms.');
  expect(text).toContain('Difference: by how much the first is lower.');
  expect([...page.matchAll(/<strong>([\d.]+) <span/g)][0]![1]).toMatch(/^3[12]\.\d\d$/);
  expect(text).not.toMatch(/mIoU|tiles|sliding|cross entropy| NaN|undefined/);
});

test('the page of a classification counts images, not pixels, and has no IoU of classes', async () => {
  const text = textOf(await renderReport({ records: classification }));
  expect(text).toContain('differences in accuracy on test (land-use, images)');
  expect(text).toContain('forest (14 images)');
  expect(text).toContain('In brackets: images of the class in the truth.');
  expect(text).toMatch(/YELL-541 22 images/);
  expect(text).toContain('one score of the images of all places');
  expect(text).toContain('calibrationError (lower is better)');
  expect(text).not.toMatch(/\bpx\b|pixels|tiles|\bIoU\b/);
});

test('one page holds datasets of several tasks, each with its own metric', async () => {
  const records = [...syntheticRecords(), ...regression, ...classification];
  const text = textOf(await renderReport({ records, plan: syntheticPlan(records) }));
  for (const part of [
    'mIoU on test (neon-crowns, tiles)',
    'RMSE on test (forest-biomass, whole images, lower',
  ])
    expect(text).toContain(part);
  expect(text).toContain('accuracy on test (land-use, images)');
  const missing = await renderReport({ records: regression, plan: syntheticPlan(records) });
  expect(textOf(missing)).toContain('neon-crowns, frozen, z-score: seeds 0, 1, 2');
});

test('arms whose protocols evaluate in other ways are compared by their own', async () => {
  const mixed = regression.map((record) =>
    record.arm.startsWith('frozen')
      ? {
          ...record,
          definition: {
            ...record.definition,
            settings: { ...record.definition.settings, evaluation: 'tiled' },
          },
          scores: record.scores.map((row) => ({ ...row, evaluation: 'tiled' as const })),
        }
      : record,
  );
  const comparisons = compareArms(datasetViews(mixed)[0]!.arms, { split: 'test' });
  expect(comparisons.every(({ difference }) => difference.mean !== null)).toBe(true);
  const text = textOf(await renderReport({ records: mixed }));
  expect(text).toContain('(forest-biomass, as each arm is evaluated, lower is better)');
  expect(text).not.toContain('no common seed with a score');
});
