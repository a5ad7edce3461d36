import type { Dataset, Entry } from '../datasets/dataset.js';
import { getHead, type HeadFamily } from '../detection/registry.js';
import { resolveEncoder } from '../encoders/register-encoder.js';
import { InputError } from '../errors.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import { findSensorManifest } from '../manifests/sensor-manifest.js';
import { canonicalJson, sha256 } from '../results/canonical-json.js';
import { describeSteps } from '../preprocessing/preprocess.js';
import type { MeasuredStatistics } from '../preprocessing/statistics.js';
import type { InputWarning, PreprocessingStep } from '../preprocessing/step.js';
import type { JsonValue, RunDefinition } from '../results/run-record.js';
import { checkSomethingCounts } from '../losses/check-target.js';
import { encoderSample } from '../training/encoder-steps.js';
import { Feed, type Item } from '../training/feed.js';
import {
  cropOf,
  inputSize,
  inputSteps,
  needsMeasuring,
  sourcesOf,
  type InputOptions,
} from '../training/input-steps.js';
import { mapModalities } from '../training/modality-map.js';
import { filledUp } from '../training/side-multiple.js';
import { bandsBehind, spectralBands, wavelengthsOfBands } from '../training/spectral-bands.js';
import { planEncoder, type EncoderPlan } from '../training/task-model.js';
import { outputCount, type TrainedTask } from '../training/task.js';
import { countAnswers, truthOf } from '../training/truth.js';
import { runSettingsOf, type RunSettings } from './run-settings.js';
import type { OpenedDataset, Session } from './session.js';

/** Everything that a run needs before its model is built. */
export interface PreparedRun {
  readonly opened: OpenedDataset;
  readonly dataset: Dataset;
  readonly task: TrainedTask;
  readonly settings: RunSettings;
  readonly feed: Feed;
  readonly encoder: EncoderPlan;
  readonly decoder: HeadFamily;
  /** Side of an input; null: images as they are. */
  readonly size: number | null;
  readonly outputCount: number;
  readonly wavelengths: Readonly<Record<string, readonly number[]>>;
  /** Steps by split, as the record keeps them. */
  readonly preprocessing: readonly { readonly name: string; readonly options: JsonValue }[];
  /** What features of this encoder depend on beside the input's name. */
  readonly featureKey: string;
}

/** Inputs of each split in a check: one batch of the usual size. */
const CHECK_INPUTS = 8;

/** Settings of a run; a check takes one epoch. */
export const settingsOf = (definition: RunDefinition, isCheck = false): RunSettings => ({
  ...runSettingsOf(definition),
  ...(isCheck && { epochs: 1 }),
});

/**
 * Opens the dataset, chooses modalities and bands, and puts the preprocessing together. No model is built.
 * @throws what openDataset, mapModalities, planEncoder and the steps throw
 */
export async function prepareRun(
  definition: RunDefinition,
  session: Session,
  note: (text: string) => void,
): Promise<PreparedRun> {
  const { isCheck, emit } = session.options;
  const settings = settingsOf(definition, isCheck);
  const opened = await session.dataset(definition, note);
  const { dataset } = opened;
  const { manifest } = dataset;
  const { task } = manifest;
  const resolved = await resolveEncoder(definition.encoder);
  const hasWeights = definition.weights !== null || resolved.manifest.weights !== null;
  const isPretrained = settings.encoderWeights === 'pretrained' && hasWeights;
  const weightsFile = isPretrained ? await session.weightsFile(definition.encoder, note) : null;
  const modalities = mapModalities(resolved.manifest, manifest, {
    ...settings,
    isRandom: weightsFile === null,
  });
  const encoder = await planEncoder({
    encoder: definition.encoder,
    weightsFile,
    protocol: settings,
    datasetBands: bandsOf(manifest, modalities),
    sensor: findSensorManifest(manifest.modalities[sourcesOf(modalities)[0]!]!.sensor)?.id,
    seed: definition.seed ?? 0,
  });
  const input: Omit<InputOptions, 'measured'> = {
    ...{ dataset, modalities, protocol: settings },
    encoder: encoder.manifest,
    normalization: settings.normalization,
  };
  const measured: MeasuredStatistics | null = needsMeasuring(input) ? await session.measured(opened) : null;
  const stepsBySplit = new Map<string, PreprocessingStep[]>();
  const steps = (split: string): PreprocessingStep[] => {
    const known = stepsBySplit.get(split) ?? inputSteps({ ...input, measured }, split);
    stepsBySplit.set(split, known);
    return known;
  };
  const size = inputSize(encoder.manifest, settings);
  refuseGaps(settings, size);
  const crop = cropOf(input);
  const feed = new Feed({
    ...truthOf(dataset),
    ...{ dataset, crop, steps, cache: opened.cache },
    flipProbability: settings.flipProbability,
    flips: settings.flips,
    describe: (sample) =>
      encoderSample(isObjectTask(task) ? filledUp(sample) : sample, session.projections, { dataset }),
    onWarning: ({ message }: InputWarning) => emit({ type: 'notice', text: message }),
    ...(settings.labelFraction < 1 && {
      entries: new Map<string, readonly Entry[]>([
        ['train', await session.subset(opened, settings.labelFraction, definition.seed ?? 0)],
      ]),
    }),
    ...(isCheck && { limit: CHECK_INPUTS }),
  });
  const preprocessing = describeSteps(steps('train')) as PreparedRun['preprocessing'];
  return {
    ...{ opened, dataset, task, settings, feed, encoder, size, preprocessing },
    decoder: await getHead(definition.decoder),
    outputCount: outputCount(task, manifest),
    wavelengths: wavelengthsOf(manifest, modalities, encoder.manifest, settings.bands),
    featureKey: sha256(
      canonicalJson({
        dataset: [
          dataset.id,
          opened.digest,
          definition.datasetManifest,
          definition.mode,
          definition.faults ?? null,
        ],
        encoder: [
          definition.encoder,
          definition.weights ?? `random/${definition.seed}`,
          definition.own ?? null,
        ],
        bands: encoder.manifest.modalities,
        newFilters: encoder.newFilters,
        hyperparameters: encoder.hyperparameters,
        // splits may differ in their steps
        steps: Object.keys(manifest.splits).map((split) => describeSteps(steps(split))),
        size,
        precision: settings.precision,
        revision: definition.revision,
      } as unknown as JsonValue),
    ),
  };
}

/** @throws InputError SETTING_INVALID for windows that leave pixels out */
function refuseGaps({ evaluation, windowStride }: RunSettings, size: number | null): void {
  const byWindows = evaluation === 'sliding-window' || evaluation === 'tiled';
  if (!byWindows || size === null || windowStride === null || windowStride <= size) return;
  throw new InputError(
    'SETTING_INVALID',
    `Windows of ${size} pixels, ${windowStride} apart, leave pixels out.`,
    {
      where: 'settings of the study',
      hint: `Give a windowStride of at most ${size}, or null.`,
    },
  );
}

/** Bands of the dataset that a model can be given, by modality of the encoder. */
const bandsOf = (
  manifest: DatasetManifest,
  modalities: Readonly<Record<string, string>>,
): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(modalities).map(([to, from]) => [to, bandsBehind(manifest, from).map(({ id }) => id)]),
  );

/** Of the bands that the encoder receives, where all of a modality are known. */
function wavelengthsOf(
  manifest: DatasetManifest,
  modalities: Readonly<Record<string, string>>,
  encoder: EncoderManifest,
  rule: RunSettings['bands'],
): Record<string, readonly number[]> {
  const found: Record<string, readonly number[]> = {};
  for (const [to, from] of Object.entries(modalities)) {
    const row = encoder.modalities[to]!;
    const { sensor } = manifest.modalities[from.split('+')[0]!]!;
    const own = (): readonly number[] | null =>
      wavelengthsOfBands(spectralBands(manifest, from, rule), sensor);
    const known = row.bands.length === 0 ? own() : row.wavelengths;
    if (known) found[to] = known;
  }
  return found;
}

/** The split that models are chosen by. @throws InputError SPLIT_EMPTY */
export function validationSplit({ id, splits }: Pick<DatasetManifest, 'id' | 'splits'>): string {
  const found = ['validation', 'val', 'valid'].find((name) => Object.hasOwn(splits, name));
  if (found !== undefined) return found;
  throw new InputError('SPLIT_EMPTY', `${id} has no validation split, by which the best epoch is chosen.`, {
    where: `dataset ${id}, splits ${Object.keys(splits).join(', ')}`,
    hint: 'Name one of its splits `val`.',
  });
}

/** Splits whose scores are reported: those that the manifest marks, else all that nothing is learned from. */
export function scoredSplits(manifest: Pick<DatasetManifest, 'id' | 'splits'>): string[] {
  const splits = Object.keys(manifest.splits);
  const marked = splits.filter((split) => manifest.splits[split]!.scored !== null);
  return marked.length > 0
    ? marked
    : splits.filter((split) => split !== 'train' && split !== validationSplit(manifest));
}

/** Whether scored splits are scored on whole images as well, beside tiles. */
export const scoresWholeImages = ({
  evaluation,
  wholeImages,
}: Pick<RunSettings, 'evaluation' | 'wholeImages'>): boolean => wholeImages && evaluation === 'tiles';

/** Before hours are spent: a split has samples. @throws InputError SPLIT_EMPTY */
export async function requireSamples(feed: Feed, split: string): Promise<readonly Item[]> {
  const items = await feed.samples(split);
  if (items.length > 0) return items;
  throw feed.emptySplit(split);
}

/**
 * Before hours are spent: a split has samples, and something in them counts. Reads no more of them than it has to.
 * @throws InputError SPLIT_EMPTY, ALL_PIXELS_IGNORED, NO_OBJECTS
 */
export async function requireAnswers({ feed, dataset, task }: PreparedRun, split: string): Promise<void> {
  for (const item of await requireSamples(feed, split)) {
    const { answer } = await feed.read(item);
    if (countAnswers(answer, dataset, item.id) > 0) return;
  }
  if (isObjectTask(task)) {
    if (feed.options.limit !== undefined) return; // the few images of a check may well have none
    throw new InputError('NO_OBJECTS', `No image of the split "${split}" has an object.`, {
      where: `dataset ${dataset.id}, ${dataset.root}`,
      hint: 'Look at its annotations: do they name the images and the classes of the manifest?',
    });
  }
  checkSomethingCounts(0, split, `dataset ${dataset.id}, ${dataset.root}`);
}
