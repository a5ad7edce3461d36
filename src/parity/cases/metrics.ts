import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { sampleImage } from '../../datasets/image.js';
import { resizeNearest } from '../../datasets/resize-nearest.js';
import { BandTotals } from '../../datasets/statistics/band-totals.js';
import { startEngine } from '../../engine/engine.js';
import { resize } from '../../engine/ops/resize.js';
import { tf } from '../../engine/tf.js';
import type { ImageBatch } from '../../evaluation/prediction-grid.js';
import { slideWindows, windowStarts } from '../../evaluation/slide-windows.js';
import { createLoss } from '../../losses/create-loss.js';
import { averageScore } from '../../metrics/averages.js';
import { classCounts } from '../../metrics/classification.js';
import { ConfusionMatrix } from '../../metrics/confusion-matrix.js';
import { createMetric } from '../../metrics/create-metric.js';
import { meanOfPresent, segmentationScores } from '../../metrics/segmentation-scores.js';
import { fillInvalid } from '../../preprocessing/fill-invalid.js';
import { zScore } from '../../preprocessing/normalizers.js';
import { preprocess } from '../../preprocessing/preprocess.js';
import { roundHalfEven } from '../../round-half-even.js';
import { BestEpoch } from '../../training/best-epoch.js';
import { firstValueDifference } from '../fixtures/values.js';
import { judge, type CaseEntry } from './judge.js';

const number = z.number();
const row = z.array(number);
const grid = z.array(row);
const orNull = z.array(number.nullable());

const schema = z.object({
  segmentation: z.looseObject({
    classes: z.int(),
    ignore: z.int(),
    target: z.array(grid),
    prediction: z.array(grid),
  }),
  all_ignored_batch: z.object({ target: grid }),
  multilabel: z.object({
    target: grid,
    probability: grid,
    threshold: number,
    f1PerLabel: orNull,
    microF1: number,
    macroF1OverDefined: number,
  }),
  regression: z.object({
    target: row,
    prediction: row,
    targetNodata: number,
    rmse: number,
    mae: number,
    n: z.int(),
  }),
  bilinear: z.object({
    input: grid,
    size: z.tuple([number, number]),
    halfPixelCentres: grid,
    alignCorners: grid,
  }),
  label_resize: z.object({ input: grid, size: z.tuple([number, number]), nearest: grid }),
  sliding_windows: z.object({
    cases: z.array(z.object({ length: z.int(), crop: z.int(), count: z.int(), startsBeforeRounding: row })),
  }),
  zscore: z.object({
    input: z.array(grid),
    nodata: number,
    mean: row,
    populationStd: row,
    output: z.array(grid),
  }),
  checkpoint_choice: z.object({
    values: z.array(z.union([number, z.literal('NaN')])),
    mode: z.enum(['max', 'min']),
    patience: z.int(),
    stopAfterEpoch: z.int(),
    bestEpoch: z.int(),
    best: number,
  }),
});
type Cases = z.infer<typeof schema>;

/** What the file asks of us, by section: what we compute, by the file's names. */
const SECTIONS: { readonly [S in keyof Cases]: (given: Cases[S]) => unknown } = {
  segmentation: segmentationOf,
  all_ignored_batch: allIgnored,
  multilabel({ target, probability, threshold }) {
    const metric = createMetric('multilabel', { classCount: target[0]!.length, threshold });
    for (const [index, labels] of target.entries()) metric.add(probability[index]!, labels);
    const { microF1, macroF1: macroF1OverDefined } = metric.scores();
    return { f1PerLabel: metric.perClass()['F1'], microF1, macroF1OverDefined };
  },
  regression({ target, prediction, targetNodata: ignoreIndex }) {
    const metric = createMetric('regression', { ignoreIndex });
    metric.add(prediction, target);
    const { RMSE: rmse, MAE: mae } = metric.scores();
    return { rmse, mae, n: target.filter((value) => value !== ignoreIndex).length };
  },
  bilinear: ({ input, size }) => ({
    halfPixelCentres: resized(input, size, false),
    alignCorners: resized(input, size, true),
  }),
  label_resize({ input, size: [height, width] }) {
    const from = { height: input.length, width: input[0]!.length };
    return { nearest: rows(resizeNearest(Uint8Array.from(input.flat()), from, { height, width }), width) };
  },
  sliding_windows: slidingWindows,
  zscore: zScored,
  checkpoint_choice({ values, mode, patience }) {
    const follow = new BestEpoch(mode === 'max', { patience });
    const stopAfterEpoch = values.findIndex((value) => {
      follow.add(Number(value));
      return follow.isOver;
    });
    return { stopAfterEpoch, bestEpoch: follow.best?.epoch, best: follow.best?.value };
  },
};

/** The inputs of a section, which have no counterpart in what is computed. */
const GIVEN = [
  'why',
  'rule',
  'rules',
  'input',
  'target',
  'prediction',
  'probability',
  'values',
  'size',
  'classes',
  'ignore',
  'threshold',
  'targetNodata',
  'nodata',
  'mode',
  'patience',
];

/** Sums of a few dozen numbers; resizing works in single precision. */
const TOLERANCE = { atol: 1e-6, rtol: 1e-6 };

/** One file of numbers that losses, metrics, windows and resizing have to give. */
export const runMetricCases = (file: string, entry: CaseEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    await startEngine();
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const cases = schema.parse(document);
    for (const [section, compute] of Object.entries(SECTIONS)) {
      const given = (document as Readonly<Record<string, Record<string, unknown>>>)[section]!;
      const expected = Object.fromEntries(Object.entries(given).filter(([name]) => !GIVEN.includes(name)));
      const got = await (compute as (given: unknown) => unknown)(cases[section as keyof Cases]);
      const difference = firstValueDifference(section, got, expected, TOLERANCE);
      if (difference !== undefined) return difference;
    }
    return undefined;
  });

const rows = (data: ArrayLike<number>, width: number): number[][] =>
  Array.from({ length: data.length / width }, (_, at) =>
    Array.from(data).slice(at * width, (at + 1) * width),
  );

function segmentationOf({ classes: classCount, ignore, target, prediction }: Cases['segmentation']): unknown {
  const whole = new ConfusionMatrix(classCount, ignore);
  const perImage = target.map((labels, image) => {
    const matrix = new ConfusionMatrix(classCount, ignore);
    matrix.add(labels.flat(), prediction[image]!.flat());
    whole.merge(matrix);
    return segmentationScores(matrix).mIoULabelled;
  });
  const { classes, accuracy, mIoU, mIoULabelled } = segmentationScores(whole);
  return {
    confusionRowsAreTruth: rows(whole.counts, classCount),
    iou: classes.map(({ IoU }) => IoU),
    precision: classes.map(({ precision }) => precision),
    recall: classes.map(({ recall }) => recall),
    f1: classes.map(({ F1 }) => F1),
    accuracy,
    mIoUOverLabelledClasses: mIoULabelled,
    mIoUOverClassesSeenAnywhere: mIoU,
    microJaccard: averageScore('IoU', classCounts(whole), 'micro'),
    meanOfImageMIoU: meanOfPresent(perImage),
  };
}

/** Loss 0 with a gradient of zeros, and no score. */
function allIgnored({ target }: Cases['all_ignored_batch']): unknown {
  const [ignoreIndex, classCount] = [target[0]![0]!, 3];
  const loss = createLoss({ name: 'cross-entropy', ignoreIndex });
  const [value, slope] = tf.tidy(() => {
    const labels = tf.tensor2d(target, undefined, 'int32');
    const { value: at, grad } = tf.valueAndGrad((x) => loss(x, labels))(
      tf.ones([...labels.shape, classCount]),
    );
    return [at.dataSync()[0]!, tf.sum(tf.abs(grad)).dataSync()[0]!];
  });
  const metric = createMetric('segmentation', { classCount, ignoreIndex });
  metric.add(new Uint8Array(target.flat().length), target.flat());
  const scores = Object.values(metric.scores());
  if (value === 0 && slope === 0 && scores.every((score) => score === null)) return {};
  throw new Error(
    `all_ignored_batch: the loss is ${value}, its slope ${slope}, the scores are ${scores.join(', ')}`,
  );
}

const resized = (input: number[][], [height, width]: [number, number], alignCorners: boolean): number[][] =>
  tf.tidy(() => {
    const image = tf.tensor4d(input.flat(), [1, input.length, input[0]!.length, 1]);
    return rows(resize(image, [height, width], { mode: 'bilinear', alignCorners }).dataSync(), width);
  });

/** Starts, how many there are, and that a constant field comes back as it was. */
async function slidingWindows({ cases }: Cases['sliding_windows']): Promise<unknown> {
  const found = [];
  for (const { length, crop, startsBeforeRounding } of cases) {
    const starts = windowStarts(Math.max(length, crop), crop); // a shorter image is padded
    const due = startsBeforeRounding.map(roundHalfEven);
    const isDue = starts.join() === due.join();
    found.push({
      length,
      crop,
      count: starts.length,
      startsBeforeRounding: isDue ? startsBeforeRounding : starts,
    });
  }
  const data = new Float32Array(5 * 7).fill(3);
  const field: ImageBatch = { data, count: 1, timeCount: 1, height: 5, width: 7, bandCount: 1 };
  const merged = await slideWindows(field, (images) => ({ ...images, channelCount: 1 }), { size: 3 });
  if (!merged.data.every((value) => value === 3))
    throw new Error('a constant field does not come back as it was');
  return { cases: found };
}

function zScored({ input, nodata }: Cases['zscore']): unknown {
  const [height, width, bandCount] = [input[0]!.length, input[0]![0]!.length, input.length];
  const data = new Float64Array(height * width * bandCount);
  for (const [band, plane] of input.entries())
    for (const [pixel, value] of plane.flat().entries()) data[pixel * bandCount + band] = value;
  const valid = Uint8Array.from(data, (value) => (value === nodata ? 0 : 1));
  const summaries = input.map((_, band) => {
    const totals = new BandTotals('float64', false);
    totals.add(data, valid, band, bandCount);
    return totals.summary(`band-${band}`);
  });
  const bands = summaries.map(({ band }) => band);
  const [mean, std] = [summaries.map((summary) => summary.mean!), summaries.map((summary) => summary.std!)];
  const image = { ...sampleImage({ data, timeCount: 1, height, width, bands }), valid };
  const sample = {
    id: 'case',
    split: 'train',
    facts: {},
    images: { optical: image },
    target: { kind: 'class', label: 0 },
  } as const;
  const statistics = { optical: { bands, mean, std } };
  const { images } = preprocess(sample, [zScore({ statistics }), fillInvalid()]);
  const output = bands.map((_, band) =>
    rows(
      Array.from(images['optical']!.data as ArrayLike<number>).filter((__, at) => at % bandCount === band),
      width,
    ),
  );
  return { mean, populationStd: std, output };
}
