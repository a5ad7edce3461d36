import { canonicalJson } from '../results/canonical-json.js';
import type { RunDefinition } from '../results/run-record.js';
import type { RunSettings } from './run-settings.js';
import type { PlannedRun } from './study.js';

/** Settings that say what the encoder receives of one and the same sample. */
export const INPUT_SETTINGS = [
  'normalization',
  'bands',
  'modalities',
  'modalityMap',
  'dates',
  'resolutionFactor',
  'inputSize',
] as const satisfies readonly (keyof RunSettings)[];

/** Of the runs that are compared with this one, one for each setting of the input: of its seed where there is one, as shares of a training split differ by seed. */
export function rivalsOf<Run extends Pick<PlannedRun, 'definition'>>(
  { definition: own }: Pick<PlannedRun, 'definition'>,
  runs: readonly Run[],
): Run[] {
  const rivals = new Map<string, Run>();
  for (const run of runs) {
    if (groupOf(run.definition) !== groupOf(own) || run.definition.encoder === 'none') continue;
    const inputs = canonicalJson(inputSettings(run.definition));
    if (rivals.get(inputs)?.definition.seed !== own.seed) rivals.set(inputs, run);
  }
  return [...rivals.values()];
}

/** Runs that are compared with each other. */
export const groupOf = ({ dataset, encoder, mode }: RunDefinition): string =>
  JSON.stringify([dataset, encoder, mode]);

const inputSettings = ({ settings }: RunDefinition): RunDefinition['settings'] =>
  Object.fromEntries(INPUT_SETTINGS.map((name) => [name, settings[name] ?? null]));
