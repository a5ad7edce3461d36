import type { Sample } from '../datasets/sample.js';
import { spreadEntries } from '../datasets/statistics/walk-samples.js';
import type { SplitEvaluation } from '../evaluation/split-scores.js';
import { isObjectTask } from '../manifests/answer-task.js';
import { measureStatistics, type BandNumbers } from '../preprocessing/statistics.js';
import { createRandom } from '../random.js';
import type { EpochRow, InputCheck, RunRecord, ScoreRow } from '../results/run-record.js';
import { sizeOf } from '../shapes.js';
import { isObjectAnswer } from '../training/answer.js';
import { encodingSource, keptSource, type InputSource } from '../training/input-source.js';
import type { EncodingModel } from '../training/task-model.js';
import { stateFileOf } from '../training/state-file.js';
import { RunProgress } from '../training/training-state.js';
import { train } from '../training/trainer.js';
import { ExampleKeeper } from './examples.js';
import { keepWeights } from './kept-weights.js';
import { selectionOf } from './objective.js';
import {
  prepareRun,
  requireAnswers,
  requireSamples,
  scoredSplits,
  scoresWholeImages,
  validationSplit,
  type PreparedRun,
} from './prepare-run.js';
import { frame, reporter, startWatch } from './run-frame.js';
import { hasFixedEncoder } from './run-settings.js';
import { scoreRows } from './score-rows.js';
import type { Session } from './session.js';
import type { PlannedRun } from './study.js';
import { taskParts } from './task-parts.js';
import { prunerFor, trialResult } from './trial-run.js';
import { executeTrivialRun } from './trivial-run.js';

/** Shares of a run's time that its phases take, for progress. */
const TRAINING_SHARE = 0.85;

/**
 * One run from its definition to its record: data, model, training, the weights of the best epoch, scores of every scored
 * split. A run that was stopped in the middle goes on from the state that it left.
 */
export async function executeRun(run: PlannedRun, session: Session): Promise<RunRecord> {
  const { definition } = run;
  if (definition.encoder === 'none') return executeTrivialRun(run, session);
  const watch = startWatch();
  session.peakResidentBytes = process.memoryUsage.rss();
  const report = reporter(run, session);
  const prepared = await prepareRun(definition, session, (note) => report('prepare', 0, { note }));
  const { feed, settings, dataset, task } = prepared;
  for (const split of ['train', validationSplit(dataset.manifest)]) await requireAnswers(prepared, split);
  for (const split of scoredSplits(dataset.manifest)) await requireSamples(feed, split);
  const random = createRandom(definition.seed ?? 0);
  const parts = await taskParts(definition, prepared, session, random.split('weights'));
  const { model, loss, evaluate } = parts;
  try {
    watch.lap('prepare');
    const isFrozen = settings.encoderMode === 'frozen';
    const isFixed = hasFixedEncoder(settings);
    const isKept = isFixed && feed.isRepeating;
    const always = encodingSource(model);
    const kept = isFixed ? keptSource(model, session.features(prepared.featureKey)) : always;
    if (isKept) {
      report('features', 0);
      await fillFeatures(prepared, kept, session);
      watch.lap('features');
    }

    const selection = selectionOf(prepared);
    const share = (epoch: number, part: number): number =>
      (TRAINING_SHARE * (epoch - 1 + part)) / settings.epochs;
    const validation = validationSplit(dataset.manifest);
    const progress = progressOf(run, session);
    const isPruned = prunerFor(run, settings, (await feed.epoch(random.split('count'))).length);
    const outcome = await train({
      ...{ model, feed, loss, isFrozen, progress },
      source: isKept ? kept : always,
      protocol: settings,
      isHigherBetter: selection.isHigherBetter,
      isOver: isPruned,
      random: random.split('training'),
      breathe: session.breathe,
      async validate() {
        watch.lap('train');
        const { needsLoss } = selection;
        const scores = await evaluate(validation, settings.evaluation, { source: kept, needsLoss });
        watch.lap('validate');
        return { score: selection.scoreOf(scores), loss: scores.loss };
      },
      onStep: ({ epoch, step, steps, loss: value }) =>
        report('train', share(epoch, step / steps), { epoch, epochs: settings.epochs, loss: value }),
      onEpoch({ epoch, validationScore }) {
        const score = validationScore === null ? {} : { score: validationScore, metric: selection.name };
        report('validate', share(epoch, 1), { epoch, epochs: settings.epochs, ...score });
      },
    });
    watch.lap('train');

    const counts: Record<string, { samples: number; pixels: number }> = {};
    const count = (split: string, { inputCount, answerCount }: SplitEvaluation): void => {
      counts[split] = { samples: inputCount, pixels: answerCount };
    };
    const scores: ScoreRow[] = [];
    const examples = new ExampleKeeper(prepared, session.options.store);
    // a search is to choose without a look at what the study is scored by
    const scored = definition.trial ? [] : scoredSplits(dataset.manifest);
    const splits = [...new Set([validation, ...scored])];
    for (const [index, split] of splits.entries()) {
      report('evaluate', TRAINING_SHARE + ((1 - TRAINING_SHARE) * index) / splits.length);
      const result = await evaluate(split, settings.evaluation, {
        ...{ source: kept, needsLoss: false },
        ...(split !== validation && { examples }),
      });
      count(split, result);
      scores.push(...scoreRows(split, settings.evaluation, result, dataset.manifest));
      if (split === validation || !scoresWholeImages(settings) || session.options.isCheck) continue;
      const whole = await evaluate(split, 'sliding-window', { source: kept, needsLoss: false });
      scores.push(...scoreRows(split, 'sliding-window', whole, dataset.manifest));
    }
    counts['train'] = await countTraining(prepared);
    const kepts = await examples.keep();
    const detections = await examples.keepDetections();
    const modelWeights = await keepWeights(model, isFrozen, session);
    watch.lap('evaluate');

    return {
      ...frame(run, session, watch),
      task,
      dataHash: prepared.opened.digest,
      counts,
      inputs: await inputRows(prepared),
      scores,
      curve: outcome.curve.map((row): EpochRow => ({ ...row })),
      ...(definition.trial && { trial: trialResult(outcome, isPruned(outcome.scores)) }),
      ...(modelWeights !== undefined && { modelWeights }),
      selectedEpoch: outcome.selectedEpoch,
      faults: { ...dataset.faults, ...model.faults, ...parts.faults },
      preprocessing: prepared.preprocessing,
      examples: kepts,
      ...(detections.length > 0 && { detections }),
      cost: {
        ...parameterCounts(model, isFrozen),
        multiplyAdds: parts.multiplyAdds,
        seconds: watch.laps(),
        peakResidentBytes: session.peakResidentBytes,
        processes: session.options.processes,
      },
    };
  } finally {
    model.dispose();
  }
}

/** Computes features of everything that training will ask for, in batches of eight. */
async function fillFeatures({ feed }: PreparedRun, source: InputSource, session: Session): Promise<void> {
  const items = feed.mirrored(await feed.trainingItems());
  for (let start = 0; start < items.length; start += FILL_BATCH) {
    await source.load(items.slice(start, start + FILL_BATCH).map((item) => feed.request(item)));
    await session.breathe();
  }
}

const FILL_BATCH = 8;

/** Forgets the state of a run whose record is published. */
export async function forgetProgress(run: PlannedRun, session: Session): Promise<void> {
  await progressOf(run, session)?.clear();
}

function progressOf({ id }: PlannedRun, { options }: Session): RunProgress | null {
  if (!options.store) return null;
  return new RunProgress(stateFileOf(options.store.folder, id), { isDue: () => options.signal.aborted });
}

async function countTraining({ feed, task }: PreparedRun): Promise<{ samples: number; pixels: number }> {
  const items = await feed.trainingItems();
  // images of one size have as many pixels each, but not as many objects
  const counted = isObjectTask(task) ? items : items.slice(0, 1);
  let pixels = 0;
  for (const item of counted) {
    const { answer } = await feed.read(item);
    pixels += isObjectAnswer(answer) ? answer.objects.length : items.length * answer.data.length;
  }
  return { samples: items.length, pixels };
}

/** Training inputs whose numbers a record tells. */
const LOOKED_AT = 32;

/** Mean and spread of every band as the encoder receives it, over a few training inputs, spread evenly. */
async function inputRows({ feed }: PreparedRun): Promise<InputCheck[]> {
  const items = spreadEntries(await feed.trainingItems(), LOOKED_AT);
  async function* samples(): AsyncGenerator<Sample, void, void> {
    for (const item of items) yield (await feed.read(item)).sample;
  }
  const { images } = await measureStatistics(samples());
  return Object.values(images).flatMap(({ bands, mean, std }) =>
    bands.map((band, index) => ({
      band,
      mean: numberAt(mean, index),
      standardDeviation: numberAt(std, index),
    })),
  );
}

/** 0 for a band without a valid pixel, as the encoder gets it. */
const numberAt = (numbers: BandNumbers | undefined, index: number): number => {
  const value = numbers?.[index];
  return typeof value === 'number' ? value : 0;
};

function parameterCounts(
  { parameters }: EncodingModel,
  isFrozen: boolean,
): { parameters: number; trainableParameters: number } {
  const trained = parameters.all.filter(({ role }) => role !== 'statistic' && role !== 'constant');
  const moved = isFrozen ? trained.filter(({ name }) => name.startsWith('decoder/')) : trained;
  const size = (list: typeof trained): number =>
    list.reduce((sum, { variable }) => sum + sizeOf(variable.shape), 0);
  return { parameters: size(trained), trainableParameters: size(moved) };
}
