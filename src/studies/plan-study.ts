import { existsSync } from 'node:fs';
import path from 'node:path';
import { getDatasetDefinition } from '../datasets/registry.js';
import { InputError } from '../errors.js';
import { sha256OfFile } from '../io/wheel.js';
import { isObjectTask } from '../manifests/answer-task.js';
import { readDatasetManifest, type DatasetManifest } from '../manifests/dataset-manifest.js';
import { REVISION } from '../revision.js';
import { isDense } from '../training/task.js';
import { checkNames, checkObjectives } from './check-names.js';
import { checkNeck, chooseDecoder } from './decoder-choice.js';
import { growingPlan, type GrowingPlan } from './growing-plan.js';
import { requireDistinctArms } from './idle-settings.js';
import { ownCode, planArms, planned } from './plan-arms.js';
import { resolveSettings } from './run-settings.js';
import type { PlannedRun, StudyDefinition, StudyPlan, StudySearch } from './study.js';

/**
 * The runs a study asks for: every dataset × encoder × decoder × arm × seed, arm by arm, and for every
 * dataset the trivial predictors, which look at no image.
 * @throws UsageError DATASET_UNKNOWN, DECODER_UNKNOWN, NECK_UNKNOWN; InputError DECODER_MISFIT, SETTING_UNKNOWN,
 * SETTING_INVALID, HYPERPARAMETERS_INVALID, SEARCH_SPACE, STUDY_INVALID, MANIFEST_UNKNOWN, MANIFEST_INVALID; UsageError
 * FAULT_UNKNOWN, LOSS_UNKNOWN, LOSS_OPTION; RunError ARMS_EQUAL
 */
export async function planStudy(study: StudyDefinition, options: PlanOptions = {}): Promise<StudyPlan> {
  return (await layOutStudy(study, options)).plan;
}

export interface PlanOptions {
  readonly quick?: boolean;
}

/** The plan of a study, which grows as trials of its searches end. @throws what planStudy throws */
export async function layOutStudy(
  study: StudyDefinition,
  { quick = false }: PlanOptions = {},
): Promise<GrowingPlan> {
  const { defineStudy } = await import('./define-study.js');
  const { plan: _plan, run: _run, status: _status, ...definition } = defineStudy(study);
  const effective = quick ? quickForm(definition) : definition;
  refuseHugeGrid(effective);
  const decoders = await Promise.all(effective.decoders.map(chooseDecoder));
  const weights = await weightsGiven(effective);
  const manifests = await Promise.all(effective.datasets.map(manifestOf));
  await checkNames(effective, manifests);
  const parts = manifests.flatMap((dataset) => [
    ...planArms(effective, dataset, { decoders, weights }),
    trivialRuns(effective, dataset),
  ]);
  const growing = growingPlan({ study: effective, quick }, parts);
  const { runs } = growing.plan;
  const necks = new Set(runs.flatMap(({ definition: { settings } }) => settings.neck ?? []));
  for (const neck of necks) await checkNeck(String(neck));
  const ids = new Set(runs.map((run) => run.id));
  if (ids.size < runs.length) {
    throw new InputError('STUDY_INVALID', 'Two arms of the study are the same run.', {
      where: `study "${study.name}"`,
      hint: 'An entry of "also" repeats an arm of "vary", or a list names something twice.',
    });
  }
  requireDistinctArms(runs, manifests);
  checkObjectives(runs, manifests);
  return growing;
}

/** Few seeds, epochs and trials. */
function quickForm(study: StudyDefinition): StudyDefinition {
  const { name, seeds, settings, search, quick = {} } = study;
  const asked: StudySearch | undefined =
    typeof search === 'string' || search === true ? { id: search } : search;
  return {
    ...study,
    name: `${name}-quick`,
    seeds: quick.seeds ?? seeds.slice(0, 1),
    settings: { ...settings, ...quick.settings },
    ...(asked && { search: { ...asked, trials: quick.trials ?? 2 } }),
  };
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

/** The manifest of a dataset by its id. @throws UsageError DATASET_UNKNOWN */
async function manifestOf(name: string): Promise<DatasetManifest> {
  const { id, manifest } = await getDatasetDefinition(name);
  return manifest ?? readDatasetManifest(id);
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

/** Each class of two, else the most frequent one and, of pixels, the first; the mean of values; boxes on a grid and at random. */
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
      ...ownCode([['dataset', dataset.id]]),
    }),
  );
}

function trivialAnswers(dataset: DatasetManifest): { name: string; predictedClass: number | string }[] {
  const { task } = dataset;
  const all = (index: number) => ({ name: `all ${dataset.classes[index]!.name}`, predictedClass: index });
  if (task === 'regression') return [{ name: 'mean everywhere', predictedClass: 'mean' }];
  if (task === 'multilabel') return [{ name: 'labels of the majority', predictedClass: 'majority' }];
  if (isObjectTask(task))
    return [
      { name: 'grid of mean boxes', predictedClass: 'grid' },
      { name: 'random boxes', predictedClass: 'random' },
    ];
  if (dataset.classes.length === 2) return [all(0), all(1)];
  const majority = { name: 'majority class', predictedClass: 'majority' };
  return isDense(task) ? [majority, all(0)] : [majority];
}
