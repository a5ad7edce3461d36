import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { completeProtocol, readProtocolManifest } from '../../src/manifests/protocol-manifest.js';
import { comparisonSheet } from '../../src/published/comparison-sheet.js';
import { compareWithPublished } from '../../src/published/compare-published.js';
import type { RunRecord, ScoreRow, Settings } from '../../src/results/run-record.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

interface Given {
  readonly dataset?: string;
  readonly encoder?: string;
  readonly decoder?: string;
  readonly protocol?: string;
  readonly mode?: RunRecord['definition']['mode'];
  readonly faults?: Readonly<Record<string, boolean>>;
  readonly settings?: Settings;
  readonly seed?: number;
  readonly scores?: Readonly<Record<string, number>>;
  readonly split?: string;
}

/** A run as a study with this protocol would make it. */
function run(given: Given = {}): RunRecord {
  const { dataset = 'hls-burn-scars', encoder = 'prithvi-v1-100m', decoder = 'upernet' } = given;
  const { mode = 'as-published', seed = 0, scores = { mIoU: 0.83 }, protocol = 'pangaea' } = given;
  const manifest = readDatasetManifest(dataset);
  const { settings: main, datasets, asPublished } = readProtocolManifest(protocol);
  const {
    encoderMode = 'frozen',
    encoderWeights = 'pretrained',
    normalization = 'z-score',
    ...changed
  } = given.settings ?? {};
  const settings = {
    encoderMode,
    encoderWeights,
    normalization,
    ...completeProtocol({
      ...main,
      ...datasets[dataset],
      ...(mode === 'as-published' && asPublished),
      ...changed,
    }),
  } as unknown as Settings;
  const [template] = syntheticRecords({ trivial: false });
  const row = ([metric, value]: [string, number]): ScoreRow => ({
    split: given.split ?? 'test',
    place: 'all',
    evaluation: settings.evaluation as ScoreRow['evaluation'],
    metric,
    className: null,
    value,
  });
  return {
    ...template!,
    id: `${seed}`.padStart(8, '0'),
    arm:
      Object.entries(given.settings ?? {})
        .flat()
        .join(' ') || 'main',
    task: manifest.task,
    definition: {
      ...template!.definition,
      dataset,
      encoder,
      decoder,
      settings,
      mode,
      seed,
      ...(given.faults && { faults: given.faults }),
    },
    scores: Object.entries(scores).map(row),
  };
}

const rowOf = (
  records: RunRecord[],
  table: string,
  dataset = 'hls-burn-scars',
  encoder = 'prithvi-v1-100m',
  metric = 'mIoU',
) =>
  compareWithPublished(records, table).filter(
    (row) => row.dataset === dataset && row.encoder === encoder && row.metric === metric,
  );

describe('runs beside a published table', () => {
  it('that are like it are compared in its unit, with the interval of their seeds', () => {
    const records = [0.82, 0.83, 0.855].map((mIoU, seed) => run({ seed, scores: { mIoU } }));
    const [row] = rowOf(records, 'pangaea-table-5');
    expect(row).toMatchObject({ published: 83.62, unit: '%', isComparable: true, runs: 3, reasons: [] });
    // mean of 82, 83 and 85.5; t(0.975, 2) = 4.3027, s = 1.8028
    expect(row!.own).toBeCloseTo(83.5, 10);
    expect(row!.halfWidth).toBeCloseTo((4.3027 * 1.8028) / Math.sqrt(3), 2);
    expect(row!.difference).toBeCloseTo(-0.12, 10);
  });

  it('have no interval with one seed', () => {
    expect(rowOf([run()], 'pangaea-table-5')[0]).toMatchObject({ isComparable: true, halfWidth: null });
  });

  it.each<[string, Given, RegExp]>([
    ['mode', { mode: 'corrected' }, /^mode is corrected, the paper's numbers are as-published/],
    ['faults', { faults: { 'precision-recall': false } }, /^faults are switched off: precision-recall/],
    ['decoder', { decoder: 'linear-pixel' }, /^decoder is linear-pixel, not upernet/],
    ['labels', { settings: { labelFraction: 0.5 } }, /^labelFraction is 0.5, not 1$/],
    ['encoder mode', { settings: { encoderMode: 'fine-tuned' } }, /^encoderMode is fine-tuned, not frozen$/],
    ['normalisation', { settings: { normalization: 'none' } }, /^normalization is none, not z-score$/],
    ['protocol', { settings: { epochs: 2 } }, /^epochs is 2, not 80$/],
    ['weights', { settings: { encoderWeights: 'random' } }, /starts from random weights/],
    ['split', { split: 'val' }, /^no mIoU on split test/],
    ['metric', { scores: { mF1: 0.9 } }, /^no mIoU on split test/],
  ])('are not compared when the %s differs, and the row says so', (_, given, reason) => {
    const [row] = rowOf([run(given)], 'pangaea-table-5');
    expect(row!.reasons).toHaveLength(1);
    expect(row).toMatchObject({ isComparable: false, own: null, difference: null });
    expect(row!.reasons.join('\n')).toMatch(reason);
  });

  it('of another protocol have their first differences listed and the rest counted', () => {
    const [row] = rowOf([run({ protocol: 'geobench2' })], 'pangaea-table-5');
    expect(row!.reasons.at(-1)).toMatch(/^and \d+ more settings$/);
  });

  it('are beside a row they are not like in the arm that differs least, however many lines are shown', () => {
    const others = {
      epochs: 2,
      batchSize: 3,
      weightDecay: 0.7,
      gradientClip: 3,
      warmUp: 0.7,
      validateEvery: 3,
    };
    const [less, more] = [
      { ...others, learningRate: 0.3 },
      { ...others, learningRate: 0.3, momentum: 0.1, gamma: 0.7, accumulate: 5 },
    ];
    for (const order of [
      [more, less],
      [less, more],
    ]) {
      const [row] = rowOf(
        order.map((settings) => run({ settings })),
        'pangaea-table-5',
      );
      expect(row!.reasons.at(-1)).toBe('and 1 more settings');
    }
  });

  it('are counted by rows of the table, of which one may stand beside several arms', () => {
    const records = [run(), run({ settings: { checkpointBlocks: true } }), run({ encoder: 'clay-v1-base' })];
    const rows = compareWithPublished(records, 'pangaea-table-5');
    expect(rows).toHaveLength(154 + 2);
    expect(comparisonSheet(rows, 't').title).toBe('t: 1 of 154 rows have runs that are comparable');
  });

  it('stand beside the row with their share of labels', () => {
    const rows = rowOf([run({ settings: { labelFraction: 0.1 } })], 'pangaea-table-a1');
    expect(rows.filter(({ isComparable }) => isComparable).map(({ settings }) => settings)).toEqual([
      { labelFraction: 0.1, encoderMode: 'frozen', normalization: 'z-score' },
    ]);
  });

  it('meet exchanged headings by what they print', () => {
    const records = [run({ scores: { mIoU: 0.8, mPrecision: 0.7, mRecall: 0.9 } })];
    // the paper's "mPrec" is recall, and a run as published calls it precision as well
    expect(rowOf(records, 'pangaea-table-a1', undefined, undefined, 'mRecall')[2]!.own).toBeCloseTo(70, 10);
  });

  it('of a series meet the row of their modality and fusion', () => {
    const own = { dataset: 'pastis-r', encoder: 'croma-optical' };
    const rows = rowOf([run(own)], 'pangaea-table-a3', 'pastis-r', 'croma-optical');
    expect(rows.map(({ settings, isComparable }) => [settings.temporal, isComparable])).toEqual([
      ['linear', false],
      ['ltae', true],
    ]);
  });

  it('say of every other row why it has no runs', () => {
    const rows = compareWithPublished([run()], 'pangaea-table-5');
    expect(rows).toHaveLength(154);
    expect(rows.filter(({ isComparable, reasons }) => isComparable === reasons.length > 0)).toEqual([]);
    expect(new Set(rows.flatMap(({ reasons }) => reasons))).toContain('no run on mados');
    expect(new Set(rows.flatMap(({ reasons }) => reasons))).toContain(
      'no run of dofa-base on hls-burn-scars',
    );
  });

  it('for which the table has no row come last', () => {
    const rows = compareWithPublished([run({ encoder: 'clay-v1-base' })], 'pangaea-table-5');
    expect(rows.at(-1)).toMatchObject({
      encoder: 'clay-v1-base',
      published: null,
      reasons: ['Table 5 has no row of clay-v1-base on hls-burn-scars'],
    });
  });

  it('stand beside the mean of released runs, whose search is no part of the protocol', () => {
    const own = run({
      dataset: 'gb2-burn-scars',
      encoder: 'clay-v1-base',
      decoder: 'unet-smp',
      protocol: 'geobench2',
      settings: {
        encoderMode: 'fine-tuned',
        learningRate: 0.0003,
        batchSize: 32,
        decoderOptions: { layout: 'terratorch' },
      },
    });
    const [row] = rowOf([own], 'geobench2-runs-full', 'gb2-burn-scars', 'clay-v1-base');
    expect(row).toMatchObject({ isComparable: true, publishedRuns: 5 });
    expect(row!.published).toBeCloseTo(0.8931478, 7); // mean of the five released runs
    expect(row!.publishedDeviation).toBeCloseTo(0.00947887, 8);
  });

  it('have the optimiser that released runs had, where it is not the protocol’s', () => {
    const own = (optimizer: string): RunRecord =>
      run({
        dataset: 'm-nz-cattle',
        encoder: 'resnet50-unet',
        decoder: 'unet-smp',
        protocol: 'geobench',
        settings: { encoderMode: 'fine-tuned', optimizer, labelFraction: 0.1 },
      });
    const tenth = (record: RunRecord) =>
      rowOf([record], 'geobench-segmentation-runs', 'm-nz-cattle', 'resnet50-unet').find(
        ({ settings }) => settings.labelFraction === 0.1,
      );
    expect(tenth(own('sgd'))).toMatchObject({ isComparable: true, publishedRuns: 12 });
    expect(tenth(own('adamw'))!.reasons).toEqual(['optimizer is adamw, not sgd']);
  });

  it('of records before a setting came have its default', () => {
    const { neck: _neck, dates: _dates, momentum: _momentum, ...settings } = run().definition.settings;
    const record = run();
    const [row] = rowOf([{ ...record, definition: { ...record.definition, settings } }], 'pangaea-table-5');
    expect(row!.isComparable).toBe(true);
  });

  it('cannot stand beside a table that describes', () => {
    expect(() => compareWithPublished([run()], 'pangaea-table-2')).toThrowError(
      expect.objectContaining({ code: 'TABLE_WITHOUT_SCORES' }),
    );
  });
});
