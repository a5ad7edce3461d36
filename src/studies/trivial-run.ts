import type { Dataset } from '../datasets/dataset.js';
import { SplitScores, type Scored, type SplitEvaluation } from '../evaluation/split-scores.js';
import { isObjectTask, type AnswerTask, type ObjectTask } from '../manifests/answer-task.js';
import type { Metric, Numbers } from '../metrics/metric.js';
import type { ObjectMetric } from '../metrics/object-metric.js';
import { summarizeObjects } from '../metrics/trivial-detectors.js';
import { summarizeTargets } from '../metrics/trivial-predictors.js';
import { createRandom } from '../random.js';
import type { Mode, RunRecord, ScoreRow } from '../results/run-record.js';
import { isObjectAnswer, numbersOf, objectsOf, type Answer } from '../training/answer.js';
import { Feed, type Item } from '../training/feed.js';
import { isDense } from '../training/task.js';
import { truthOf } from '../training/truth.js';
import { metricFor, objectMetricFor } from './objective.js';
import { scoredSplits, scoresWholeImages, validationSplit } from './prepare-run.js';
import { frame, reporter, startWatch } from './run-frame.js';
import type { RunSettings } from './run-settings.js';
import { scoreRows } from './score-rows.js';
import type { OpenedDataset, Session } from './session.js';
import type { PlannedRun } from './study.js';

type TrivialSettings = Pick<RunSettings, 'evaluation' | 'wholeImages' | 'inputSize'> & {
  readonly predictedClass: number | 'majority' | 'mean' | 'grid' | 'random';
};

/** The same answer to everything, learned from the training labels alone: what any model must beat. */
export async function executeTrivialRun(run: PlannedRun, session: Session): Promise<RunRecord> {
  const watch = startWatch();
  const settings = run.definition.settings as unknown as TrivialSettings;
  const report = reporter(run, session);
  const opened = await session.dataset(run.definition, (note) => report('prepare', 0, { note }));
  const { dataset } = opened;
  const { task } = dataset.manifest;
  const feed = labelFeed(opened, session.options.isCheck);
  const answers = async function* (
    items: readonly Item[],
  ): AsyncGenerator<{ answer: Answer; place: string; id: string }> {
    for (const item of items) {
      const { answer, place } = await feed.read(item);
      await session.breathe();
      yield { answer, place, id: item.id };
    }
  };
  const given = { dataset, feed, kind: settings.predictedClass, mode: run.definition.mode };
  const training = answers(await feed.samples('train'));
  const score = isObjectTask(task)
    ? scorer(await trivialObjects({ ...given, task }, training))
    : scorer(await constantAnswer({ ...given, task }, training));
  watch.lap('prepare');

  const scores: ScoreRow[] = [];
  const counts: Record<string, { samples: number; pixels: number }> = {};
  const add = async (split: string, evaluation: ScoreRow['evaluation']): Promise<void> => {
    const isTiled = evaluation === 'tiles' && (isDense(task) || isObjectTask(task));
    const items = isTiled ? await feed.tiles(split, settings.inputSize ?? 224) : await feed.samples(split);
    const result = await score(answers(items));
    counts[split] ??= { samples: result.inputCount, pixels: result.answerCount };
    scores.push(...scoreRows(split, evaluation, result, dataset.manifest));
  };
  const validation = validationSplit(dataset.manifest);
  for (const split of new Set([validation, ...scoredSplits(dataset.manifest)])) {
    await add(split, settings.evaluation);
    if (split !== validation && scoresWholeImages(settings) && !session.options.isCheck)
      await add(split, 'sliding-window');
  }
  watch.lap('evaluate');
  return {
    ...frame(run, session, watch),
    task,
    dataHash: opened.digest,
    counts,
    inputs: [],
    scores,
    curve: [],
    selectedEpoch: null,
    examples: [],
    cost: {
      parameters: 0,
      trainableParameters: 0,
      seconds: watch.laps(),
      peakResidentBytes: process.memoryUsage.rss(),
      processes: session.options.processes,
    },
  };
}

/** Samples with their labels; images go through no step. */
function labelFeed({ dataset, cache }: OpenedDataset, isCheck: boolean): Feed {
  return new Feed({
    ...truthOf(dataset),
    ...{ dataset, cache, crop: null, flipProbability: 0, flips: 'horizontal' },
    steps: () => [],
    describe: () => Promise.resolve({ images: {} }),
    onWarning: () => undefined,
    ...(isCheck && { limit: CHECK_SAMPLES }),
  });
}

const CHECK_SAMPLES = 8;

interface TrivialOptions<T> {
  readonly kind: TrivialSettings['predictedClass'];
  readonly dataset: Dataset;
  readonly task: T;
  readonly feed: Feed;
  readonly mode: Mode;
}

/** A metric, and how the answer to an input is told to it. */
interface Guess<M extends Scored> {
  readonly newMetric: () => M;
  readonly tell: (metric: M, answer: Answer, id: string) => void;
}

type Answers = AsyncIterable<{ readonly answer: Answer; readonly place: string; readonly id: string }>;

const scorer =
  <M extends Scored>({ newMetric, tell }: Guess<M>) =>
  async (answers: Answers): Promise<SplitEvaluation> => {
    const sums = new SplitScores<M>(newMetric);
    for await (const { answer, place, id } of answers) {
      const answerCount = isObjectAnswer(answer) ? answer.objects.length : answer.data.length;
      sums.add((metric) => tell(metric, answer, id), { place, answerCount });
    }
    return sums.result();
  };

/** The same number for every pixel or image. @throws InputError SPLIT_EMPTY */
async function constantAnswer(
  { kind, dataset, task, feed, mode }: TrivialOptions<AnswerTask>,
  training: Answers,
): Promise<Guess<Metric>> {
  const always = (predict: (count: number) => Numbers): Guess<Metric> => ({
    newMetric: () => metricFor(dataset, task, mode),
    tell(metric, answer) {
      const { data, valid: validity } = numbersOf(answer);
      metric.add(predict(data.length), data, { validity });
    },
  });
  if (typeof kind === 'number') return always((count) => new Int32Array(count).fill(kind));
  const { classes, labels } = dataset.manifest;
  const ignoreIndex = task === 'regression' ? null : labels.ignoreIndex;
  const summary = summarizeTargets(task, { classCount: classes.length, ignoreIndex });
  for await (const { answer } of training) {
    const { data, valid: validity } = numbersOf(answer);
    summary.add(data, { validity });
  }
  const predictor = summary.predictors().find(({ id }) => id === kind);
  if (!predictor) throw feed.emptySplit('train');
  return always((count) => predictor.predict(count));
}

/** Boxes that look at no image. @throws InputError SPLIT_EMPTY */
async function trivialObjects(
  { kind, dataset, task, feed, mode }: TrivialOptions<ObjectTask>,
  training: Answers,
): Promise<Guess<ObjectMetric>> {
  const summary = summarizeObjects(task === 'instance_segmentation');
  for await (const { answer } of training) summary.add(objectsOf(answer).objects);
  const detector = summary.detectors().find(({ id }) => id === kind);
  if (!detector) throw feed.emptySplit('train');
  return {
    newMetric: () => objectMetricFor(dataset, task, mode),
    tell(metric, answer, id) {
      const { objects, shape } = objectsOf(answer);
      metric.add(objects, detector.detect(shape, createRandom(0).split(id)));
    },
  };
}
