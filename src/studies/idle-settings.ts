import { RunError } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { JsonValue, RunDefinition } from '../results/run-record.js';
import { isDense } from '../training/task.js';
import { runSettingsOf, type RunSettings } from './run-settings.js';
import type { PlannedRun } from './study.js';

interface Circumstances extends RunSettings {
  readonly isDense: boolean;
  readonly isChange: boolean;
  readonly isRegression: boolean;
  /** Whether the encoder starts from a checkpoint. */
  readonly hasCheckpoint: boolean;
}

/** Settings that have an effect in some circumstances alone: those, and what is said of the others. */
const EFFECTS: readonly {
  readonly names: readonly (keyof RunSettings)[];
  readonly hasEffect: (run: Circumstances) => boolean;
  readonly otherwise: (run: Circumstances) => string;
}[] = [
  {
    names: ['momentum'],
    hasEffect: ({ optimizer }) => optimizer === 'sgd',
    otherwise: ({ optimizer }) => `with the optimizer "${optimizer}"`,
  },
  {
    names: ['milestones', 'gamma'],
    hasEffect: ({ schedule }) => schedule === 'multi-step',
    otherwise: ({ schedule }) => `with the schedule "${schedule}"`,
  },
  {
    names: ['encoderLearningRate'],
    hasEffect: ({ encoderMode }) => encoderMode !== 'frozen',
    otherwise: () => 'on a frozen encoder',
  },
  {
    names: ['frozenInTrainingMode'],
    hasEffect: ({ encoderMode }) => encoderMode === 'frozen',
    otherwise: () => 'on an encoder that is trained',
  },
  {
    names: ['encoderWeights'],
    hasEffect: ({ hasCheckpoint }) => hasCheckpoint,
    otherwise: () => 'on an encoder without a checkpoint',
  },
  {
    names: ['newBands'],
    hasEffect: ({ bands, hasCheckpoint }) => bands === 'adapt' && hasCheckpoint,
    otherwise: ({ hasCheckpoint, bands }) =>
      hasCheckpoint ? `with bands "${bands}"` : 'on an encoder that starts at random',
  },
  {
    names: ['flips'],
    hasEffect: ({ flipProbability }) => flipProbability > 0,
    otherwise: () => 'with flipProbability 0',
  },
  {
    names: ['resizeTarget'],
    hasEffect: ({ crop, isDense: dense }) => crop === 'resize' && dense,
    otherwise: ({ crop, isDense: dense }) => (dense ? `with crop "${crop}"` : 'on images with one answer'),
  },
  {
    names: ['change'],
    hasEffect: ({ isChange }) => isChange,
    otherwise: () => 'but on change detection',
  },
  {
    names: ['temporal'],
    hasEffect: ({ isChange, dates }) => !isChange && dates !== 1,
    otherwise: ({ isChange }) => (isChange ? 'on change detection' : 'on one date'),
  },
  {
    names: ['targetNormalization'],
    hasEffect: ({ isRegression }) => isRegression,
    otherwise: () => 'but on regression',
  },
  {
    names: ['smallestGain', 'stopBy'],
    hasEffect: ({ patience }) => patience !== null,
    otherwise: () => 'without patience',
  },
  {
    names: ['wholeImages'],
    hasEffect: ({ evaluation }) => evaluation === 'tiles',
    otherwise: ({ evaluation }) => `with the evaluation "${evaluation}"`,
  },
  {
    names: ['windowStride'],
    hasEffect: ({ evaluation, wholeImages }) =>
      evaluation === 'sliding-window' || evaluation === 'tiled' || (evaluation === 'tiles' && wholeImages),
    otherwise: ({ evaluation }) => `with the evaluation "${evaluation}"`,
  },
];

/**
 * Arms of a study that differ must differ in something that has an effect, e.g. not in the momentum of AdamW. What only
 * the data can tell is looked at when they are there (`proveArmsDiffer`).
 * @param runs of one study
 * @throws RunError ARMS_EQUAL naming two such arms and why they are one
 */
export function requireDistinctArms(
  runs: readonly PlannedRun[],
  datasets: readonly Pick<DatasetManifest, 'id' | 'task'>[],
): void {
  const tasks = new Map(datasets.map(({ id, task }) => [id, task]));
  const seen = new Map<string, PlannedRun>();
  for (const run of runs) {
    const { definition } = run;
    if (definition.encoder === 'none' || definition.trial) continue;
    const circumstances = circumstancesOf(definition, tasks.get(definition.dataset)!);
    const key = canonicalJson({
      ...(definition as unknown as Readonly<Record<string, JsonValue>>),
      settings: effectiveSettings(circumstances),
    });
    const twin = seen.get(key);
    if (twin) throw armsEqual(twin, run, circumstances);
    seen.set(key, run);
  }
}

function circumstancesOf(definition: RunDefinition, task: DatasetManifest['task']): Circumstances {
  const settings = runSettingsOf(definition);
  return {
    ...settings,
    isDense: isDense(task),
    isChange: task === 'change_detection',
    isRegression: task === 'regression',
    hasCheckpoint: settings.encoderWeights === 'pretrained' && hasWeights(definition),
  };
}

/** Given by the study, or known to the manifest. */
const hasWeights = ({ encoder, weights }: RunDefinition): boolean =>
  weights !== null || readEncoderManifest(encoder).weights !== null;

/** Without those that have no effect; a rate of the encoder that follows the learning rate is that one. */
function effectiveSettings(run: Circumstances): JsonValue {
  const idle = new Set<string>(EFFECTS.flatMap(({ names, hasEffect }) => (hasEffect(run) ? [] : [...names])));
  const settings = { ...run, encoderLearningRate: run.encoderLearningRate ?? run.learningRate };
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !idle.has(name)),
  ) as unknown as JsonValue;
}

function armsEqual(a: PlannedRun, b: PlannedRun, run: Circumstances): RunError {
  const [first, second] = [runSettingsOf(a.definition), runSettingsOf(b.definition)];
  const differing = (Object.keys(second) as (keyof RunSettings)[]).filter(
    (name) => canonicalJson(first[name] as JsonValue) !== canonicalJson(second[name] as JsonValue),
  );
  const reasons = differing.map((name) => {
    const effect = EFFECTS.find(({ names, hasEffect }) => names.includes(name) && !hasEffect(run));
    return effect ? `${name} has no effect ${effect.otherwise(run)}` : `${name} is the same in both`;
  });
  return new RunError('ARMS_EQUAL', `"${a.arm}" and "${b.arm}" are one run: ${reasons.join(', ')}.`, {
    where: `dataset ${b.definition.dataset}, encoder ${b.definition.encoder}`,
    hint: 'Leave one of the arms out, or change what gives the setting its effect.',
  });
}
