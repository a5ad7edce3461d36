import { expect, test } from 'vitest';
import { answerInWords } from '../../src/report/answer.js';
import { compareArms, compareWithTrivial } from '../../src/report/findings.js';
import { datasetViews } from '../../src/report/view.js';
import type { RunRecord, Settings } from '../../src/results/run-record.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

const QUERY = { split: 'test' };
const words = (records: readonly RunRecord[]): string[] =>
  datasetViews(records)
    .flatMap((view) => answerInWords(view))
    .map((paragraph) =>
      paragraph.text
        .replace(/<[^>]*>/g, '')
        .replace(/&nbsp;|\s+/g, ' ')
        .trim(),
    );

/** Records of arms with the given scores by seed; all else as in the synthetic study. */
function study(arms: readonly { settings: Settings; scores: readonly (number | null)[] }[]): RunRecord[] {
  const base = syntheticRecords({ seeds: [0] })[0]!;
  return arms.flatMap(({ settings, scores }, arm) =>
    scores.map((value, seed) => ({
      ...base,
      id: `${arm}${seed}`.padEnd(32, 'a'),
      arm: Object.values(settings).join(', '),
      definition: { ...base.definition, settings, seed },
      scores: [
        { split: 'test', place: 'all', evaluation: 'tiles' as const, metric: 'mIoU', className: null, value },
      ],
    })),
  );
}

test('arms that differ in one setting are compared, the higher one first, with what else varies', () => {
  const comparisons = compareArms(datasetViews(syntheticRecords())[0]!.arms, QUERY);
  const described = comparisons.map(
    (c) => `${c.axis}: ${c.values.join(' > ')} | ${c.context.map(({ value }) => value).join(', ')}`,
  );
  expect(described.sort()).toEqual([
    'encoder mode: fine-tuned > frozen | imagenet, no normalisation',
    'encoder mode: fine-tuned > frozen | imagenet, z-score',
    'encoder weights: imagenet > none | fine-tuned, z-score',
    'normalisation: z-score > no normalisation | fine-tuned, imagenet',
    'normalisation: z-score > no normalisation | frozen, imagenet',
  ]);
  expect(comparisons.every((c) => c.difference.mean! > 0)).toBe(true);
});

test('a difference is called larger only where its paired interval leaves out 0', () => {
  // by Student’s t with 2 degrees of freedom: 0.05 ± 4.303 · 0.001 / √3 and 0.01 ± 4.303 · 0.02 / √3
  const clear = study([
    { settings: { a: 1 }, scores: [0.6, 0.62, 0.64] },
    { settings: { a: 2 }, scores: [0.549, 0.57, 0.591] },
  ]);
  const unclear = study([
    { settings: { a: 1 }, scores: [0.6, 0.62, 0.64] },
    { settings: { a: 2 }, scores: [0.61, 0.59, 0.63] },
  ]);
  expect(compareArms(datasetViews(clear)[0]!.arms, QUERY)[0]).toMatchObject({
    verdict: 'larger',
    values: ['1', '2'],
  });
  expect(compareArms(datasetViews(unclear)[0]!.arms, QUERY)[0]).toMatchObject({ verdict: 'smaller' });
  expect(words(clear)[0]).toBe(
    'The 95 % interval of the one difference in mIoU on test (neon-crowns, tiles) excludes 0 (in brackets, paired over 3 seeds). A: 1 beats 2 by 0.050 (0.048 to 0.052).',
  );
  expect(words(unclear)[0]).toContain('(neon-crowns, tiles) includes 0 (in brackets');
  expect(words(unclear)[0]).toContain('A: 1 and 2 cannot be told apart, 0.010 (−0.040 to 0.060).');
});

test('the words turn round with the numbers', () => {
  const turned = study([
    { settings: { mode: 'frozen' }, scores: [0.7, 0.71, 0.72] },
    { settings: { mode: 'tuned' }, scores: [0.6, 0.611, 0.62] },
  ]);
  expect(words(turned)[0]).toContain('Mode: frozen beats tuned by 0.100');
});

test('one seed gives no interval and no verdict', () => {
  const records = syntheticRecords({ seeds: [2] });
  const [first, second] = words(records);
  expect(first).toMatch(/^The 5 differences in mIoU on test \(neon-crowns, tiles\) are of one seed each\./);
  expect(first).not.toMatch(/beats|excludes/);
  expect(first!.match(/chance/g)).toHaveLength(1);
  expect(first).toMatch(/One seed gives no interval: each of them may be chance\.$/);
  expect(second).toMatch(/^On test the highest score is that of /);
  expect(second).toMatch(/all 5 learned arms lie above it\.$/);
});

test('arms without an interval, and arms below the trivial predictor, claim no interval', () => {
  const trivial = syntheticRecords({ arms: [] });
  const told = (scores: readonly (readonly number[])[]): string =>
    words([...study(scores.map((of, a) => ({ settings: { a }, scores: of }))), ...trivial]).join(' ');
  // all background has 0.341
  expect(told([[0.5], [0.6], [0.2]])).toContain('has 0.341: 2 of 3 learned arms lie above it, “2” does not.');
  expect(told([[0.5], [0.2]])).toContain('has 0.341: 1 of 2 learned arms lies above it, “1” does not.');
  expect(told([[0.1], [0.2]])).toContain('has 0.341: no learned arm lies above it.');
  // 0.35 ± 12.7 · 0.01 holds 0.341
  expect(told([[0.34, 0.36], [0.2]])).toContain(
    'has 0.341: “0” lies above it with the mean only; “1” does not.',
  );
  expect(
    told([
      [0.34, 0.36],
      [0.345, 0.355],
    ]),
  ).toContain('both learned arms lie above it with the mean, but not');
  expect(told([[0.5, 0.501], [0.6], [0.34, 0.36]])).toContain(
    'has 0.341: 1 of 3 learned arms lies above it with the whole interval; “2” with the mean only; “1” with a single run.',
  );
  expect(told([[0.5], [0.2]])).not.toMatch(/0 of|interval;/);
});

test('one common seed among others is said once to be no judgement', () => {
  const [first] = words(
    study([
      { settings: { a: 1 }, scores: [0.6, 0.62, 0.64] },
      { settings: { a: 2 }, scores: [0.5, 0.521, 0.54] },
      { settings: { a: 3 }, scores: [0.4] },
    ]),
  );
  expect(first).toMatch(/One seed gives no interval: the differences on one common seed may be chance\.$/);
  expect(first!.match(/chance/g)).toHaveLength(1);
});

test('a split whose pixels are mostly of one place says so', () => {
  const records = syntheticRecords().map((record) => ({
    ...record,
    scores: record.scores.map((row) =>
      row.metric === 'support' && row.place !== 'YELL-541' ? { ...row, value: 1_000 } : row,
    ),
  }));
  // 752,640 + 351,232 px against 2 × 2,000 px
  expect(words(records)[2]).toMatch(/^On away \(3 places; YELL-541 holds 100 % of the pixels\) the highest/);
  expect(words(syntheticRecords())[2]).toMatch(/^On away \(3 places\) the highest/);
});

test('equal differences on every seed, missing values and lone arms are said as they are', () => {
  const exact = study([
    { settings: { a: 1 }, scores: [0.5, 0.75] },
    { settings: { a: 2 }, scores: [0.25, 0.5] },
  ]);
  expect(words(exact)[0]).toContain(
    '1 differs from 2 by exactly 0.250 on every seed, so that no interval can be given',
  );
  const empty = study([
    { settings: { a: 1 }, scores: [0.5, null] },
    { settings: { a: 2 }, scores: [null, 0.5] },
  ]);
  expect(words(empty)[0]).toContain('no common seed with a score');
  const lone = study([
    { settings: { a: 1, b: 1 }, scores: [0.5, 0.6] },
    { settings: { a: 2, b: 2 }, scores: [0.4, 0.45] },
  ]);
  expect(compareArms(datasetViews(lone)[0]!.arms, QUERY)[0]).toMatchObject({
    axis: 'a, b',
    values: ['1, 1', '2, 2'],
  });
  expect(words(study([{ settings: { a: 1 }, scores: [0.5, 0.6] }]))[0]).toMatch(
    /^On test the highest mean is that of 1/,
  );
  expect(words(syntheticRecords({ arms: [] }))).toEqual([
    'On neon-crowns only trivial predictors have run; they answer no question.',
  ]);
});

test('learned arms are set against the best trivial predictor', () => {
  const arms = datasetViews(syntheticRecords())[0]!.arms;
  const test_ = compareWithTrivial(arms, QUERY)!;
  expect([test_.best.name, test_.value, test_.better.length]).toEqual(['all background', 0.341, 5]);
  const away = compareWithTrivial(arms, { split: 'away' })!;
  expect(away.unclear.map((arm) => arm.name)).toEqual(['from scratch, z-score']);
  expect(away.single).toEqual([]);
});
