import type { Dataset } from '../datasets/dataset.js';
import { SplitScores } from '../evaluation/split-scores.js';
import { summarizeTargets } from '../metrics/trivial-predictors.js';
import type { RunRecord, ScoreRow } from '../results/run-record.js';
import { answerOf, type Answer } from '../training/answer.js';
import { Feed, type Item } from '../training/feed.js';
import { isDense, trainedTask, type TrainedTask } from '../training/task.js';
import { metricFor } from './objective.js';
import { scoredSplits, scoresWholeImages, validationSplit } from './prepare-run.js';
import { frame, reporter, startWatch } from './run-frame.js';
import type { RunSettings } from './run-settings.js';
import { scoreRows } from './score-rows.js';
import type { OpenedDataset, Session } from './session.js';
import type { PlannedRun } from './study.js';

type TrivialSettings = Pick<RunSettings, 'evaluation' | 'wholeImages' | 'inputSize'> & {
  readonly predictedClass: number | 'majority' | 'mean';
};

/** The same answer to everything, learned from the training labels alone: what any model must beat. */
export async function executeTrivialRun(run: PlannedRun, session: Session): Promise<RunRecord> {
  const watch = startWatch();
  const settings = run.definition.settings as unknown as TrivialSettings;
  const report = reporter(run, session);
  const opened = await session.dataset(run.definition, (note) => report('prepare', 0, { note }));
  const { dataset } = opened;
  const task = trainedTask(dataset.manifest);
  const feed = labelFeed(opened, session.options.isCheck);
  const answers = async function* (
    items: readonly Item[],
  ): AsyncGenerator<{ answer: Answer; place: string }> {
    for (const item of items) {
      const { answer, place } = await feed.read(item);
      await session.breathe();
      yield { answer, place };
    }
  };
  const guess = await constantAnswer(
    settings.predictedClass,
    { dataset, task, feed },
    answers(await feed.samples('train')),
  );
  watch.lap('prepare');

  const scores: ScoreRow[] = [];
  const counts: Record<string, { samples: number; pixels: number }> = {};
  const score = async (split: string, evaluation: ScoreRow['evaluation']): Promise<void> => {
    const isTiled = evaluation === 'tiles' && isDense(task);
    const items = isTiled ? await feed.tiles(split, settings.inputSize ?? 224) : await feed.samples(split);
    const sums = new SplitScores(() => metricFor(dataset, task, run.definition.mode));
    for await (const { answer, place } of answers(items)) {
      const { data: target, valid: validity } = answer;
      sums.add({ prediction: guess(answer), target, validity }, answer, place);
    }
    const result = sums.result();
    counts[split] ??= { samples: result.inputCount, pixels: result.answerCount };
    scores.push(...scoreRows(split, evaluation, result, dataset.manifest));
  };
  const validation = validationSplit(dataset.manifest);
  for (const split of new Set([validation, ...scoredSplits(dataset.manifest)])) {
    await score(split, settings.evaluation);
    if (split !== validation && scoresWholeImages(settings) && !session.options.isCheck)
      await score(split, 'sliding-window');
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
  const task = trainedTask(dataset.manifest);
  return new Feed({
    ...{ dataset, cache, crop: null, flipProbability: 0, flips: 'horizontal' },
    steps: () => [],
    describe: () => Promise.resolve({ images: {} }),
    answer: (sample) => answerOf(sample, task, dataset.manifest.classes.length),
    onWarning: () => undefined,
    ...(isCheck && { limit: CHECK_SAMPLES }),
  });
}

const CHECK_SAMPLES = 8;

/** What answers every input, in the form that metrics take. @throws InputError SPLIT_EMPTY */
async function constantAnswer(
  kind: TrivialSettings['predictedClass'],
  { dataset, task, feed }: { readonly dataset: Dataset; readonly task: TrainedTask; readonly feed: Feed },
  training: AsyncIterable<{ readonly answer: Answer }>,
): Promise<(answer: Answer) => ArrayLike<number>> {
  if (typeof kind === 'number') return ({ data }) => new Int32Array(data.length).fill(kind);
  const { classes, labels } = dataset.manifest;
  const ignoreIndex = task === 'regression' ? null : labels.ignoreIndex;
  const summary = summarizeTargets(task, { classCount: classes.length, ignoreIndex });
  for await (const { answer } of training) summary.add(answer.data, { validity: answer.valid });
  const predictor = summary.predictors().find(({ id }) => id === kind);
  if (!predictor) throw feed.emptySplit('train');
  return ({ data }) => predictor.predict(data.length);
}
