import { expect, test } from 'vitest';
import {
  armPlaceSummary,
  armSummary,
  groupArms,
  seedScores,
  summaryRows,
} from '../../src/statistics/arms.js';
import { remarks } from '../../src/statistics/remarks.js';
import { ARMS, syntheticRecords } from '../fixtures/results/synthetic-store.js';
import { regressionRecords } from '../fixtures/results/synthetic-tasks.js';

const records = syntheticRecords();

test('records are grouped by arm, with their seeds in rising order', () => {
  const arms = groupArms(records.toReversed());
  expect(arms.map((arm) => arm.name).sort()).toEqual(
    [...ARMS.map((arm) => arm.name), 'all background', 'all crown'].sort(),
  );
  const frozen = arms.find((arm) => arm.name === 'frozen, none')!;
  expect(frozen.runs.map((run) => run.definition.seed)).toEqual([0, 1, 2]);
  expect(arms.filter((arm) => arm.isTrivial).map((arm) => arm.runs.length)).toEqual([1, 1]);
});

test('arms of one name but another definition stay apart and are told apart', () => {
  const [first, second] = records;
  const other = { ...second!, definition: { ...second!.definition, decoder: 'linear' } };
  const longer = {
    ...second!,
    definition: { ...second!.definition, settings: { ...second!.definition.settings, epochs: 9 } },
  };
  expect(groupArms([first!, other]).map((arm) => arm.name)).toEqual([
    'frozen, z-score · unet',
    'frozen, z-score · linear',
  ]);
  expect(groupArms([first!, longer]).map((arm) => arm.name)).toEqual([
    'frozen, z-score · variant 1',
    'frozen, z-score · variant 2',
  ]);
});

test('a score is found by split, place, evaluation, metric and class', () => {
  const arm = groupArms(records)[0]!;
  const value = (query: object) => armSummary(arm, { split: 'test', ...query }).mean!;
  expect(value({})).toBeCloseTo(0.666, 1);
  const queries = [
    {},
    { evaluation: 'sliding-window' },
    { split: 'away' },
    { split: 'away', place: 'SOAP-061' },
    { metric: 'IoU', className: 'crown' },
    { metric: 'mF1' },
  ];
  expect(new Set(queries.map(value)).size).toBe(queries.length);
  expect(armSummary(arm, { split: 'nowhere' })).toMatchObject({ mean: null, interval: null, missing: 3 });
  expect(seedScores(arm, { split: 'test' }).map((score) => score.seed)).toEqual([0, 1, 2]);
});

test('the mean of places weighs every place the same, run by run', () => {
  const arm = groupArms(records)[0]!;
  const places = ['YELL-541', 'OSBS-029', 'SOAP-061'];
  const means = places.map((place) => armSummary(arm, { split: 'away', place }).mean!);
  const over = armPlaceSummary(arm, { split: 'away' }, places);
  expect(over.mean).toBeCloseTo(means.reduce((a, b) => a + b) / 3, 12);
  expect(over.count).toBe(3);
  expect(armPlaceSummary(arm, { split: 'away' }, [...places, 'nowhere'])).toMatchObject({
    mean: null,
    missing: 3,
  });
});

test('the summary has one row an arm with the mean and ± of each split', () => {
  const rows = summaryRows(records);
  expect(Object.keys(rows[0]!)).toEqual([
    'dataset',
    'arm',
    'runs',
    'mIoU test',
    '± test',
    'mIoU away',
    '± away',
  ]);
  expect(rows.find((row) => row.arm === 'all crown')).toMatchObject({
    runs: 1,
    'mIoU test': 0.159,
    '± test': null,
  });
  expect(Object.keys(summaryRows(records, { places: true })[0]!)).toContain('mIoU away, OSBS-029');
});

test('sound records raise no remark', () => {
  expect(remarks(records)).toEqual([]);
});

test('equal scores over different seeds raise a remark that names arm and seeds', () => {
  const same = records.map((record) =>
    record.arm === 'frozen, none'
      ? { ...record, scores: records.find((r) => r.arm === 'frozen, none')!.scores }
      : record,
  );
  expect(remarks(same)).toEqual([
    expect.objectContaining({ code: 'EQUAL_OVER_SEEDS', arms: ['frozen, none'], dataset: 'neon-crowns' }),
  ]);
  expect(remarks(same)[0]!.text).toContain('Seeds 0, 1 and 2');
});

test('arms with other normalisations but equal inputs raise a remark', () => {
  const inputs = records[0]!.inputs;
  const found = remarks(records.map((record) => (record.inputs.length > 0 ? { ...record, inputs } : record)));
  expect(found.map((remark) => remark.code)).toEqual(['EQUAL_INPUTS']);
  expect(found[0]!.arms).toContain('fine-tuned, none');
});

test('runs on other data, engines or modes raise remarks', () => {
  const [first, ...others] = records;
  const odd = {
    ...first!,
    dataHash: 'other',
    engine: { ...first!.engine, threads: 64 },
    definition: { ...first!.definition, mode: 'as-published' as const },
  };
  expect(remarks([odd, ...others]).map((remark) => remark.code)).toEqual([
    'MIXED_DATA',
    'MIXED_MODE',
    'MIXED_ENGINE',
  ]);
});

test('datasets with several metrics have columns of their own, held-out splits before that of the choice', () => {
  const rows = summaryRows([...records, ...regressionRecords()]);
  expect(Object.keys(rows.find((row) => row.dataset === 'forest-biomass')!)).toEqual([
    ...['dataset', 'arm', 'runs', 'RMSE test', '± RMSE test', 'RMSE away', '± RMSE away'],
    ...['RMSE val', '± RMSE val'],
  ]);
  // all background has 0.341 in the tiles of test, and an error of 100 · (1 − 0.341)
  expect(rows.find((row) => row.arm === 'all background')).toMatchObject({ 'mIoU test': 0.341 });
  expect(rows.find((row) => row.arm === 'mean')!['RMSE test']).toBeCloseTo(65.9, 9);
  expect(Object.keys(summaryRows(regressionRecords())[0]!)).toContain('± test');
});

test('without an evaluation each run gives the number of the one that its protocol asks for', () => {
  const whole = regressionRecords();
  const arm = groupArms(whole)[0]!;
  expect(armSummary(arm, { split: 'val' }).mean).not.toBeNull();
  expect(armSummary(arm, { split: 'val', evaluation: 'tiles' }).mean).toBeNull();
  const asked = records.map((record) => ({
    ...record,
    definition: {
      ...record.definition,
      settings: { ...record.definition.settings, evaluation: 'sliding-window' },
    },
  }));
  // the sliding window of a trivial predictor is 0.002 lower
  expect(summaryRows(asked).find((row) => row.arm === 'all crown')!['mIoU test']).toBeCloseTo(0.157, 12);
  expect(summaryRows(records).find((row) => row.arm === 'all crown')!['mIoU test']).toBe(0.159);
});
