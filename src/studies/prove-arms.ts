import { createHash } from 'node:crypto';
import { RunError } from '../errors.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { RunDefinition } from '../results/run-record.js';
import { prepareRun } from './prepare-run.js';
import type { RunSettings } from './run-settings.js';
import type { Session } from './session.js';
import type { PlannedRun } from './study.js';

/** Settings that say what the encoder receives of one and the same sample. */
const INPUT_SETTINGS = [
  'normalization',
  'bands',
  'modalities',
  'modalityMap',
  'dates',
  'resolutionFactor',
  'inputSize',
] as const satisfies readonly (keyof RunSettings)[];

/** Inputs that are compared. */
const INPUTS = 4;

/**
 * Arms of a study that differ in a setting of the input must differ in the input itself.
 * @param run whose dataset, encoder and mode are looked at, over all runs of the plan
 * @throws RunError ARMS_EQUAL for two settings that give the encoder the same values
 */
export async function proveArmsDiffer(
  run: PlannedRun,
  runs: readonly PlannedRun[],
  session: Session,
): Promise<void> {
  const rivals = rivalsOf(run, runs);
  if (rivals.length < 2) return;
  const seen = new Map<string, RunDefinition>();
  for (const { definition } of rivals) {
    const digest = await inputDigest(definition, session);
    const twin = seen.get(digest);
    if (twin) throw armsEqual(twin, definition);
    seen.set(digest, definition);
  }
}

/** Of the runs that are compared with this one, one for each setting of the input. */
export function rivalsOf<Run extends Pick<PlannedRun, 'definition'>>(
  { definition: own }: Pick<PlannedRun, 'definition'>,
  runs: readonly Run[],
): Run[] {
  const rivals = new Map<string, Run>();
  for (const run of runs) {
    if (groupOf(run.definition) === groupOf(own) && run.definition.encoder !== 'none')
      rivals.set(canonicalJson(inputSettings(run.definition)), run);
  }
  return [...rivals.values()];
}

/** Runs that are compared with each other. */
export const groupOf = ({ dataset, encoder, mode }: RunDefinition): string =>
  JSON.stringify([dataset, encoder, mode]);

const inputSettings = ({ settings }: RunDefinition): RunDefinition['settings'] =>
  Object.fromEntries(INPUT_SETTINGS.map((name) => [name, settings[name] ?? null]));

/** Of the first inputs of the training split as the encoder receives them, without drawn crops. */
async function inputDigest(definition: RunDefinition, session: Session): Promise<string> {
  const { feed } = await prepareRun(definition, session, () => undefined);
  const hash = createHash('sha256');
  for (const item of (await feed.trainingItems()).slice(0, INPUTS)) {
    const { input } = await feed.read(item);
    for (const [name, { data, height, width, bands }] of Object.entries(input.images)) {
      hash.update(JSON.stringify([name, height, width, bands.length]));
      hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
    await session.breathe();
  }
  return hash.digest('hex');
}

function armsEqual(a: RunDefinition, b: RunDefinition): RunError {
  const differing = INPUT_SETTINGS.filter(
    (name) => canonicalJson(a.settings[name] ?? null) !== canonicalJson(b.settings[name] ?? null),
  );
  const say = ({ settings }: RunDefinition): string =>
    differing.map((name) => `${name} ${JSON.stringify(settings[name])}`).join(', ');
  return new RunError('ARMS_EQUAL', `${say(a)} and ${say(b)} give the encoder the same values.`, {
    where: `dataset ${a.dataset}, encoder ${a.encoder}, train split`,
    hint: 'An ablation of two equal arms says nothing; leave one out, or look at why the data are so already.',
  });
}
