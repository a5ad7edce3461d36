import { getDatasetDefinition } from '../datasets/registry.js';
import { resolveEncoder } from '../encoders/register-encoder.js';
import { InputError, UsageError, nearest } from '../errors.js';
import { createLoss, type LossName } from '../losses/create-loss.js';
import { lossOfTask } from '../losses/loss-of-task.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { likelyBoxesFault } from './detection-faults.js';
import { LOSS_FAULTS, refuseOwnLoss, selectionOf } from './objective.js';
import { resolveSettings, runSettingsOf } from './run-settings.js';
import type { PlannedRun, StudyDefinition } from './study.js';

/**
 * Names that a study gives beside its datasets, encoders and decoders: a slip in one of them would change nothing and be
 * told by nobody.
 * @throws UsageError FAULT_UNKNOWN, DATASET_UNKNOWN; InputError MANIFEST_UNKNOWN, STUDY_INVALID, and for the settings of
 *   `quick` what resolveSettings throws
 */
export async function checkNames(
  study: StudyDefinition,
  datasets: readonly DatasetManifest[],
): Promise<void> {
  const { name, data = {}, weights = {}, faults = {}, encoders, quick } = study;
  const where = `study "${name}"`;
  const encoderIds = new Map<string, string>(); // by what the study calls them
  const known = new Set([
    ...Object.keys(LOSS_FAULTS),
    ...Object.keys(likelyBoxesFault({ mode: 'corrected' })),
    ...datasets.flatMap((dataset) =>
      dataset.faults.filter((fault) => fault.isSwitchable).map(({ id }) => id),
    ),
  ]);
  for (const encoder of encoders) {
    const { manifest, family } = await resolveEncoder(encoder);
    encoderIds.set(manifest.id, encoder);
    for (const fault of Object.keys(family.faults)) known.add(fault);
  }
  const unknown = Object.keys(faults).find((fault) => !known.has(fault));
  if (unknown !== undefined) {
    const guess = nearest(unknown, [...known]);
    throw new UsageError(
      'FAULT_UNKNOWN',
      `No dataset, encoder or loss of the study has a fault "${unknown}".`,
      {
        where,
        hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${[...known].join(', ')}.`,
      },
    );
  }
  for (const id of Object.keys(data)) {
    const { id: own } = await getDatasetDefinition(id);
    if (own !== id) throw otherName(`data.${id}`, own, where);
  }
  for (const id of Object.keys(weights)) {
    const called = encoderIds.get((await resolveEncoder(id)).manifest.id);
    if (called !== undefined && called !== id && !encoders.includes(id))
      throw otherName(`weights.${id}`, called, where);
  }
  const settings = { ...study.settings, ...quick?.settings };
  if (quick?.settings) for (const one of datasets) resolveSettings({ ...study, settings }, one, {}, null);
}

const otherName = (member: string, name: string, where: string): InputError =>
  new InputError('STUDY_INVALID', `${member} is called "${name}" here.`, {
    where,
    hint: `Write it under the name "${name}".`,
  });

/**
 * Before any data are read: losses and scores that the runs of a study name are there and are those of their tasks.
 * @throws UsageError LOSS_UNKNOWN, LOSS_OPTION; InputError SETTING_INVALID
 */
export function checkObjectives(runs: readonly PlannedRun[], datasets: readonly DatasetManifest[]): void {
  const manifests = new Map(datasets.map((dataset) => [dataset.id, dataset]));
  const seen = new Set<string>();
  for (const { definition } of runs) {
    if (definition.encoder === 'none') continue;
    const { task, classes } = manifests.get(definition.dataset)!;
    const settings = runSettingsOf(definition);
    const { loss, classWeights, selectBy } = settings;
    const key = JSON.stringify([task, loss, classWeights, selectBy]);
    if (seen.has(key)) continue;
    seen.add(key);
    selectionOf({ settings, task });
    if (isObjectTask(task)) refuseOwnLoss(settings, task);
    else {
      createLoss({
        name: loss === 'auto' ? lossOfTask[task] : (loss as LossName),
        task,
        ...(classWeights !== 'none' && { classWeights: classes.map(() => 1) }),
      });
    }
  }
}
