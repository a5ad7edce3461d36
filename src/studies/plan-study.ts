import { existsSync } from 'node:fs';
import path from 'node:path';
import { getDatasetDefinition } from '../datasets/registry.js';
import { showAs } from '../display/showable.js';
import { InputError } from '../errors.js';
import { sha256OfFile } from '../io/wheel.js';
import { readDatasetManifest, type DatasetManifest } from '../manifests/dataset-manifest.js';
import { readEncoderManifest, weightsOf } from '../manifests/encoder-manifest.js';
import { digestOfOwn } from '../registry.js';
import { canonicalJson, sha256 } from '../results/canonical-json.js';
import type { RunDefinition, Settings } from '../results/run-record.js';
import { REVISION } from '../revision.js';
import { isDense, trainedTask } from '../training/task.js';
import { armName, variedSettings } from './arm-name.js';
import { checkNeck, chooseDecoder, type ChosenDecoder } from './decoder-choice.js';
import { resolveSettings, settingsOfDefinition } from './run-settings.js';
import { planBundle, plannedRunBundle, plannedRunRow } from './study-sheets.js';
import type { PlannedRun, StudyDefinition, StudyPlan } from './study.js';

/**
 * The runs a study asks for: every dataset × encoder × decoder × arm × seed, arm by arm, and for every
 * dataset the trivial predictors, which look at no image.
 * @throws UsageError DATASET_UNKNOWN, DECODER_UNKNOWN, NECK_UNKNOWN; InputError TASK_UNTRAINED, SETTING_UNKNOWN,
 * SETTING_INVALID, HYPERPARAMETERS_INVALID, STUDY_INVALID, MANIFEST_UNKNOWN, MANIFEST_INVALID
 */
export async function planStudy(
  study: StudyDefinition,
  { quick = false }: { readonly quick?: boolean } = {},
): Promise<StudyPlan> {
  const { defineStudy } = await import('./define-study.js');
  const { plan: _plan, run: _run, ...definition } = defineStudy(study);
  const effective: StudyDefinition = quick
    ? {
        ...definition,
        name: `${definition.name}-quick`,
        seeds: definition.quick?.seeds ?? definition.seeds.slice(0, 1),
        settings: { ...definition.settings, ...definition.quick?.settings },
      }
    : definition;
  refuseHugeGrid(effective);
  const decoders = await Promise.all(effective.decoders.map(chooseDecoder));
  const weights = await weightsGiven(effective);
  const manifests = await Promise.all(effective.datasets.map(manifestOf));
  const runs = manifests.flatMap((dataset) => [
    ...trainedRuns(effective, dataset, { decoders, weights }),
    ...trivialRuns(effective, dataset),
  ]);
  const necks = new Set(runs.flatMap(({ definition: { settings } }) => settings.neck ?? []));
  for (const neck of necks) await checkNeck(String(neck));
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

/** The manifest of a dataset by its id. @throws UsageError DATASET_UNKNOWN; InputError TASK_UNTRAINED */
async function manifestOf(name: string): Promise<DatasetManifest> {
  const { id, manifest } = await getDatasetDefinition(name);
  const known = manifest ?? readDatasetManifest(id);
  trainedTask(known);
  return known;
}

/** sha256 of the weight files that a study names, by encoder. @throws InputError WEIGHTS_MISSING */
async function weightsGiven({ name, weights = {} }: StudyDefinition): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [encoder, file] of Object.entries(weights)) {
    if (!existsSync(file)) {
      throw new InputError('WEIGHTS_MISSING', `The weights of ${encoder} are not there.`, {
        where: path.resolve(file),
        hint: `Correct \`weights\` of the study "${name}".`,
      });
    }
    found.set(encoder, await sha256OfFile(file));
  }
  return found;
}

function trainedRuns(
  study: StudyDefinition,
  dataset: DatasetManifest,
  { decoders, weights }: { decoders: readonly ChosenDecoder[]; weights: ReadonlyMap<string, string> },
): PlannedRun[] {
  const arms = [...combinations(study.vary ?? {}), ...(study.also ?? [])];
  const settingsOf = (arm: Settings, decoder: ChosenDecoder): Settings =>
    settingsOfDefinition(resolveSettings(study, dataset, arm, decoder));
  const resolved = decoders.map((decoder) => arms.map((arm) => settingsOf(arm, decoder)));
  const varied = [...new Set(resolved.flatMap((ofDecoder) => variedSettings(arms, ofDecoder)))];
  const many = {
    encoder: study.encoders.length > 1,
    decoder: study.decoders.length > 1,
    dataset: study.datasets.length > 1,
  };
  return study.encoders.flatMap((encoder) =>
    decoders.flatMap(({ id: decoder, name }, index) =>
      arms.flatMap((_, place) => {
        const settings = resolved[index]![place]!;
        const base = { dataset: dataset.id, encoder, decoder, settings };
        return study.seeds.map((seed) =>
          planned(armName({ ...base, decoder: name }, varied, many), {
            ...base,
            seed,
            mode: study.mode ?? 'corrected',
            datasetManifest: dataset.hash,
            weights: weightsHash(encoder, settings, weights),
            revision: REVISION,
            ...(study.faults && { faults: study.faults }),
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

/** Each class of two, else the most frequent one and, of pixels, the first; the mean of values. */
function trivialRuns(study: StudyDefinition, dataset: DatasetManifest): PlannedRun[] {
  const { evaluation, wholeImages, inputSize } = resolveSettings(study, dataset, {}, null);
  const suffix = study.datasets.length > 1 ? ` (${dataset.id})` : '';
  return trivialAnswers(dataset).map(({ name, predictedClass }) =>
    planned(`${name}${suffix}`, {
      dataset: dataset.id,
      encoder: 'none',
      decoder: 'constant',
      settings: { predictedClass, evaluation, wholeImages, inputSize },
      seed: null,
      mode: study.mode ?? 'corrected',
      datasetManifest: dataset.hash,
      weights: null,
      revision: REVISION,
    }),
  );
}

function trivialAnswers(dataset: DatasetManifest): { name: string; predictedClass: number | string }[] {
  const task = trainedTask(dataset);
  const all = (index: number) => ({ name: `all ${dataset.classes[index]!.name}`, predictedClass: index });
  if (task === 'regression') return [{ name: 'mean everywhere', predictedClass: 'mean' }];
  if (task === 'multilabel') return [{ name: 'labels of the majority', predictedClass: 'majority' }];
  if (dataset.classes.length === 2) return [all(0), all(1)];
  const majority = { name: 'majority class', predictedClass: 'majority' };
  return isDense(task) ? [majority, all(0)] : [majority];
}

function planned(arm: string, definition: RunDefinition): PlannedRun {
  return { id: sha256(canonicalJson(definition)).slice(0, 20), arm, definition };
}

function weightsHash(encoder: string, settings: Settings, given: ReadonlyMap<string, string>): string | null {
  if (settings.encoderWeights !== 'pretrained') return null;
  const manifest = readEncoderManifest(encoder);
  // a network without a checkpoint starts at random whatever is asked for
  return given.get(encoder) ?? (manifest.weights ? weightsOf(manifest).sha256 : null);
}

/** Every combination of the values of all axes; one empty combination of no axes. */
function combinations(axes: Readonly<Record<string, readonly Settings[string][]>>): Settings[] {
  return Object.entries(axes).reduce<Settings[]>(
    (arms, [name, values]) => arms.flatMap((arm) => values.map((value) => ({ ...arm, [name]: value }))),
    [{}],
  );
}
