import { getDecoder } from '../decoders/registry.js';
import { showAs } from '../display/showable.js';
import { InputError, nearest } from '../errors.js';
import { readSceneDatasetManifest, type SceneDatasetManifest } from '../manifests/scene-manifest.js';
import { readEncoderManifest, weightsOf } from '../manifests/encoder-manifest.js';
import { protocolProblem, readProtocolManifest, type Protocol } from '../manifests/protocol-manifest.js';
import { NORMALIZATIONS, type NormalizationName } from '../preprocessing/normalize.js';
import { canonicalJson, sha256 } from '../results/canonical-json.js';
import type { RunDefinition, Settings } from '../results/run-record.js';
import { digestOfOwn } from '../registry.js';
import { REVISION } from '../revision.js';
import { armName, variedSettings } from './arm-name.js';
import { planBundle, plannedRunBundle, plannedRunRow } from './study-sheets.js';
import type { PlannedRun, StudyDefinition, StudyPlan } from './study.js';

export const ENCODER_MODES = ['frozen', 'fine-tuned'] as const;
export const ENCODER_WEIGHTS = ['pretrained', 'random'] as const;

/** All settings of a run of ours: the protocol's and the axes that a study can vary. */
export interface RunSettings extends Protocol {
  /** Frozen encoders run in evaluation mode and get no gradient. */
  readonly encoderMode: (typeof ENCODER_MODES)[number];
  /** `random` starts the encoder from scratch. */
  readonly encoderWeights: (typeof ENCODER_WEIGHTS)[number];
  readonly normalization: NormalizationName;
}

const AXES = {
  encoderMode: ENCODER_MODES,
  encoderWeights: ENCODER_WEIGHTS,
  normalization: NORMALIZATIONS,
} as const;
const DEFAULTS = { encoderMode: 'frozen', encoderWeights: 'pretrained', normalization: 'z-score' } as const;

/**
 * The runs a study asks for: every dataset × encoder × decoder × arm × seed, arm by arm, and for every
 * dataset the trivial predictors that answer one class everywhere.
 * @throws InputError MODE_UNAVAILABLE, SETTING_UNKNOWN, SETTING_INVALID, STUDY_INVALID, MANIFEST_UNKNOWN, MANIFEST_INVALID
 */
export async function planStudy(
  study: StudyDefinition,
  { quick = false }: { readonly quick?: boolean } = {},
): Promise<StudyPlan> {
  const { defineStudy } = await import('./define-study.js');
  const { plan: _plan, run: _run, ...definition } = defineStudy(study);
  if (definition.mode === 'as-published') {
    throw new InputError('MODE_UNAVAILABLE', 'Nothing in this study has an as-published form yet.', {
      where: `study "${study.name}"`,
      hint: 'Leave "mode" out: corrected is the default.',
    });
  }
  const effective: StudyDefinition = quick
    ? {
        ...definition,
        name: `${definition.name}-quick`,
        seeds: definition.quick?.seeds ?? definition.seeds.slice(0, 1),
        settings: { ...definition.settings, ...definition.quick?.settings },
      }
    : definition;
  refuseHugeGrid(effective);
  for (const id of effective.decoders) await getDecoder(id);
  const runs = effective.datasets.flatMap((id) => {
    const dataset = readSceneDatasetManifest(id);
    return [...trainedRuns(effective, dataset), ...trivialRuns(effective, dataset)];
  });
  const ids = new Set(runs.map((run) => run.id));
  if (ids.size < runs.length) {
    throw new InputError('STUDY_INVALID', 'Two arms of the study are the same run.', {
      where: `study "${study.name}"`,
      hint: 'An entry of "also" repeats an arm of "vary", or a list names something twice.',
    });
  }
  for (const run of runs) showAs(run, { bundle: plannedRunBundle, row: plannedRunRow });
  return showAs<StudyPlan>({ study: effective, quick, runs }, { bundle: planBundle });
}

/** More runs than this are a slip of the definition, and would fill the memory before anything is told. */
const MAXIMUM_RUNS = 100_000;

function refuseHugeGrid({
  name,
  datasets,
  encoders,
  decoders,
  vary = {},
  also = [],
  seeds,
}: StudyDefinition): void {
  const arms = Object.values(vary).reduce((product, values) => product * values.length, 1) + also.length;
  const runs = datasets.length * encoders.length * decoders.length * arms * seeds.length;
  if (runs <= MAXIMUM_RUNS) return;
  throw new InputError(
    'STUDY_INVALID',
    `The study asks for ${runs.toLocaleString('en')} runs; ${MAXIMUM_RUNS.toLocaleString('en')} are the most.`,
    {
      where: `study "${name}"`,
      hint: 'Vary fewer settings at once, or make several studies of it.',
    },
  );
}

function trainedRuns(study: StudyDefinition, dataset: SceneDatasetManifest): PlannedRun[] {
  const arms = [...combinations(study.vary ?? {}), ...(study.also ?? [])];
  const resolved = arms.map((arm) => ({ ...resolveSettings(study, arm) }));
  const varied = variedSettings(arms, resolved);
  const many = {
    encoder: study.encoders.length > 1,
    decoder: study.decoders.length > 1,
    dataset: study.datasets.length > 1,
  };
  return study.encoders.flatMap((encoder) =>
    study.decoders.flatMap((decoder) =>
      arms.flatMap((arm) => {
        const settings = resolveSettings(study, arm);
        const base = { dataset: dataset.id, encoder, decoder, settings: { ...settings } };
        return study.seeds.map((seed) =>
          planned(armName(base, varied, many), {
            ...base,
            seed,
            mode: study.mode ?? 'corrected',
            datasetManifest: dataset.hash,
            weights: weightsHash(encoder, settings),
            revision: REVISION,
            ...ownCode(dataset.id, encoder, decoder),
          }),
        );
      }),
    ),
  );
}

/** Code of users that a run depends on; absent where all is ours, so that ids stay what they were. */
function ownCode(dataset: string, encoder: string, decoder: string): Pick<RunDefinition, 'own'> {
  const parts = [
    ['dataset', dataset],
    ['encoder family', readEncoderManifest(encoder).family],
    ['decoder', decoder],
  ] as const;
  const own = parts.flatMap(([what, id]) => {
    const digest = digestOfOwn(what, id);
    return digest === undefined ? [] : [[id, digest] as const];
  });
  return own.length > 0 ? { own: Object.fromEntries(own) } : {};
}

function trivialRuns(study: StudyDefinition, dataset: SceneDatasetManifest): PlannedRun[] {
  const { tileSize } = resolveSettings(study, {});
  return dataset.classes.map((name, predictedClass) =>
    planned(study.datasets.length > 1 ? `all ${name} (${dataset.id})` : `all ${name}`, {
      dataset: dataset.id,
      encoder: 'none',
      decoder: 'constant',
      settings: { predictedClass, tileSize },
      seed: null,
      mode: study.mode ?? 'corrected',
      datasetManifest: dataset.hash,
      weights: null,
      revision: REVISION,
    }),
  );
}

function planned(arm: string, definition: RunDefinition): PlannedRun {
  return { id: sha256(canonicalJson(definition)).slice(0, 20), arm, definition };
}

function weightsHash(encoder: string, settings: RunSettings): string | null {
  if (settings.encoderWeights !== 'pretrained') return null;
  return weightsOf(readEncoderManifest(encoder)).sha256;
}

/** Protocol, then the study's settings, then the arm's. */
function resolveSettings(study: StudyDefinition, arm: Settings): RunSettings {
  const protocol = readProtocolManifest(study.protocol).settings;
  const given = { ...study.settings, ...arm };
  const where = `study "${study.name}"`;
  const known = [...Object.keys(protocol), ...Object.keys(AXES)];
  for (const [name, value] of Object.entries(given)) {
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
  const { encoderMode, encoderWeights, normalization, ...rest } = {
    ...DEFAULTS,
    ...protocol,
    ...given,
  } as RunSettings;
  const problem = protocolProblem(rest);
  if (problem)
    throw new InputError('SETTING_INVALID', problem, { where, hint: "Correct the study's settings." });
  return { encoderMode, encoderWeights, normalization, ...rest };
}

/** Every combination of the values of all axes; one empty combination of no axes. */
function combinations(axes: Readonly<Record<string, readonly Settings[string][]>>): Settings[] {
  return Object.entries(axes).reduce<Settings[]>(
    (arms, [name, values]) => arms.flatMap((arm) => values.map((value) => ({ ...arm, [name]: value }))),
    [{}],
  );
}
