import { InputError, nearest } from '../errors.js';
import { isImageTask, isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import {
  completeProtocol,
  protocolProblem,
  readProtocolManifest,
  type Protocol,
} from '../manifests/protocol-manifest.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { JsonValue, Mode, RunDefinition, Settings } from '../results/run-record.js';
import { INPUT_NORMALIZATIONS, type InputNormalization } from '../training/input-normalization.js';
import { decoderOptionsFor, type ChosenDecoder } from './decoder-choice.js';
import type { StudyDefinition } from './study.js';

export const ENCODER_MODES = ['frozen', 'fine-tuned'] as const;
export const ENCODER_WEIGHTS = ['pretrained', 'random'] as const;

/** All settings of a run: the protocol's and the axes that only a study has. */
export interface RunSettings extends Protocol {
  /** Frozen encoders run in evaluation mode and get no gradient. */
  readonly encoderMode: (typeof ENCODER_MODES)[number];
  /** `random` starts the encoder from scratch. */
  readonly encoderWeights: (typeof ENCODER_WEIGHTS)[number];
  readonly normalization: InputNormalization;
}

const AXES = {
  encoderMode: ENCODER_MODES,
  encoderWeights: ENCODER_WEIGHTS,
  normalization: INPUT_NORMALIZATIONS,
} as const;
/**
 * Settings that came when there were records already: a run's definition has them where they have another value, so that
 * ids stay.
 */
const LATER = {
  decoderOptions: {},
  neck: 'rescaled-pyramid',
  validationsPerEpoch: 1,
  smallestGain: 0,
  precision: 'float32',
  checkpointBlocks: false,
} as const satisfies Partial<Protocol>;

/** Settings as a run's definition has them. */
export const settingsOfDefinition = (settings: RunSettings): Settings =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) =>
        !Object.hasOwn(LATER, name) ||
        canonicalJson(value as JsonValue) !== canonicalJson(LATER[name as keyof typeof LATER]),
    ),
  ) as Settings;

/** All settings of a definition. */
export const runSettingsOf = ({ settings }: Pick<RunDefinition, 'settings'>): RunSettings => ({
  ...LATER,
  ...(settings as unknown as RunSettings),
});

const DEFAULTS = { encoderMode: 'frozen', encoderWeights: 'pretrained', normalization: 'z-score' } as const;

/**
 * Settings of a run: the protocol's, what it says of the dataset, in mode `as-published` what the reference does, then
 * the study's, then the arm's. Images with one answer are always evaluated whole; objects whole or in tiles, in the pixels
 * of the input.
 * @param decoder of the run; null: a trivial predictor has none
 * @throws InputError SETTING_UNKNOWN, SETTING_INVALID, HYPERPARAMETERS_INVALID, MANIFEST_UNKNOWN
 */
export function resolveSettings(
  study: StudyDefinition,
  dataset: Pick<DatasetManifest, 'id' | 'task'>,
  arm: Settings,
  decoder: ChosenDecoder | null,
): RunSettings {
  const { settings, datasets, decoders, asPublished } = readProtocolManifest(study.protocol);
  const mode: Mode = study.mode ?? 'corrected';
  const given = joined(study.settings ?? {}, arm);
  const where = `study "${study.name}"`;
  for (const [name, value] of Object.entries(given)) checkSetting(name, value, Object.keys(settings), where);
  const { encoderMode, encoderWeights, normalization, ...rest } = {
    ...DEFAULTS,
    ...settings,
    ...datasets[dataset.id],
    ...(mode === 'as-published' && asPublished),
    ...(decoder?.neck !== undefined && { neck: decoder.neck }),
    ...given,
  } as RunSettings;
  const problem = protocolProblem(rest);
  if (problem)
    throw new InputError('SETTING_INVALID', problem, { where, hint: "Correct the study's settings." });
  const complete = completeProtocol(rest);
  const decoderOptions = decoder ? decoderOptionsFor(decoder, decoders, complete.decoderOptions) : {};
  return {
    ...{ encoderMode, encoderWeights, normalization, ...complete, decoderOptions },
    ...fixedFor(dataset.task, complete),
  };
}

/** What holds for a task whatever is asked for: of images and objects nothing is put together from windows. */
function fixedFor(task: DatasetManifest['task'], { evaluation }: Protocol): Partial<Protocol> {
  if (isImageTask(task)) return { evaluation: 'whole', wholeImages: false };
  if (!isObjectTask(task)) return {};
  return { evaluation: evaluation === 'tiles' ? 'tiles' : 'whole', wholeImages: false, resizeTarget: true };
}

/** An arm's settings over the study's; options of the decoder one by one. */
function joined(all: Settings, arm: Settings): Settings {
  const isSome = (value: JsonValue | undefined): value is Settings =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const [shared, own] = [all.decoderOptions, arm.decoderOptions];
  return {
    ...all,
    ...arm,
    ...(isSome(shared) && isSome(own) && { decoderOptions: { ...shared, ...own } }),
  };
}

function checkSetting(name: string, value: unknown, protocol: readonly string[], where: string): void {
  const known = [...protocol, ...Object.keys(AXES)];
  if (!known.includes(name)) {
    const guess = nearest(name, known);
    throw new InputError('SETTING_UNKNOWN', `There is no setting "${name}".`, {
      where,
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
    });
  }
  const choices: readonly unknown[] | undefined = AXES[name as keyof typeof AXES];
  if (choices && !choices.includes(value)) {
    throw new InputError('SETTING_INVALID', `${name} cannot be ${JSON.stringify(value)}.`, {
      where,
      hint: `Known: ${choices.join(', ')}.`,
    });
  }
}

/** Whether the encoder stays as it was loaded: frozen, its running statistics too. */
export const hasFixedEncoder = ({
  encoderMode,
  frozenInTrainingMode,
}: Pick<RunSettings, 'encoderMode' | 'frozenInTrainingMode'>): boolean =>
  encoderMode === 'frozen' && !frozenInTrainingMode;
