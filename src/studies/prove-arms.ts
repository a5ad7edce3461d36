import { createHash } from 'node:crypto';
import { RunError } from '../errors.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { RunDefinition } from '../results/run-record.js';
import { prepareRun } from './prepare-run.js';
import { INPUT_SETTINGS, rivalsOf } from './rival-arms.js';
import type { Session } from './session.js';
import type { PlannedRun } from './study.js';

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
