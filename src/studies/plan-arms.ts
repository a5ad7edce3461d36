import { groupBy } from '../collections.js';
import { showAs } from '../display/showable.js';
import { readEncoderManifest, weightsOf } from '../manifests/encoder-manifest.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { digestOfOwn } from '../registry.js';
import { canonicalJson, sha256 } from '../results/canonical-json.js';
import type { RunDefinition, Settings, TrialIdentity } from '../results/run-record.js';
import { REVISION } from '../revision.js';
import type { TrialParameters } from '../training/search/search-space.js';
import { armName, variedSettings } from './arm-name.js';
import { requireHead, type ChosenDecoder } from './decoder-choice.js';
import type { PlanPart } from './growing-plan.js';
import { resolveSettings, settingsOfDefinition, type RunSettings } from './run-settings.js';
import { askedSearch, searchSpec } from './study-search.js';
import { plannedRunBundle, plannedRunRow } from './study-sheets.js';
import type { PlannedRun, StudyDefinition } from './study.js';

/**
 * What a study asks for on one dataset: of every encoder × decoder × arm a run a seed, or the search that chooses the
 * settings of these runs.
 * @throws InputError DECODER_MISFIT, SETTING_UNKNOWN, SETTING_INVALID, HYPERPARAMETERS_INVALID, SEARCH_SPACE, STUDY_INVALID
 */
export function planArms(
  study: StudyDefinition,
  dataset: DatasetManifest,
  { decoders, weights }: { decoders: readonly ChosenDecoder[]; weights: ReadonlyMap<string, string> },
): PlanPart[] {
  for (const decoder of decoders) requireHead(decoder, dataset);
  const arms = [...combinations(study.vary ?? {}), ...(study.also ?? [])];
  const many = {
    encoder: study.encoders.length > 1,
    decoder: study.decoders.length > 1,
    dataset: study.datasets.length > 1,
  };
  const asked = study.encoders.map((encoder) => {
    const search = askedSearch(study, dataset, encoder);
    return { encoder, search, fixing: { ...study, settings: { ...search?.settings, ...study.settings } } };
  });
  const cells = asked.flatMap((one) =>
    decoders.flatMap((decoder) =>
      arms.map((arm) => ({
        ...{ ...one, decoder, arm },
        settings: resolveSettings(one.fixing, dataset, arm, decoder),
      })),
    ),
  );
  const groups = groupBy(cells, ({ encoder, decoder }) => JSON.stringify([encoder, decoder.name]));
  const written = [...groups.values()].flatMap((group) =>
    variedSettings(
      group.map(({ arm }) => arm),
      group.map(({ settings }) => settingsOfDefinition(settings)),
    ),
  );
  const varied = [...new Set(written)];

  return cells.map(({ encoder, search, fixing, decoder, arm, settings }): PlanPart => {
    const base = {
      ...{ dataset: dataset.id, encoder, decoder: decoder.id, settings: settingsOfDefinition(settings) },
      mode: study.mode ?? ('corrected' as const),
      datasetManifest: dataset.hash,
      weights: weightsHash(encoder, settings.encoderWeights, weights),
      revision: REVISION,
      ...(study.faults && { faults: study.faults }),
      ...ownCode([
        ['dataset', dataset.id],
        ['encoder family', readEncoderManifest(encoder).family],
        ['decoder', decoder.id],
      ]),
    };
    const name = armName({ ...base, decoder: decoder.name }, varied, many);
    const withSeeds = (own: Settings): PlannedRun[] =>
      study.seeds.map((seed) => planned(name, { ...base, settings: own, seed }));
    if (!search) return withSeeds(base.settings);
    const spec = searchSpec(search, dataset, { ...study.settings, ...arm }, settings);
    const tried = (parameters: TrialParameters): Settings =>
      settingsOfDefinition(resolveSettings(fixing, dataset, { ...arm, ...parameters }, decoder));
    const identity = (number: number): TrialIdentity => ({ search: spec.id, digest: spec.digest, number });
    return {
      ...{ spec, arm: name, dataset: dataset.id, repeatCount: study.seeds.length },
      trialRun: (number, parameters) =>
        planned(`${name}, trial ${number + 1}`, {
          ...{ ...base, settings: tried(parameters), seed: spec.seed, trial: identity(number) },
        }),
      repeats: (parameters) => withSeeds(tried(parameters)),
    };
  });
}

/**
 * Code of users that a run depends on; absent where all is ours, so that ids stay what they were.
 * @param parts what each is, as `registerOwn` was told, and its id
 */
export function ownCode(parts: readonly (readonly [what: string, id: string])[]): Pick<RunDefinition, 'own'> {
  const own = parts.flatMap(([what, id]) => {
    const digest = digestOfOwn(what, id);
    return digest === undefined ? [] : [[id, digest] as const];
  });
  return own.length > 0 ? { own: Object.fromEntries(own) } : {};
}

/** A run and its id. */
export function planned(arm: string, definition: RunDefinition): PlannedRun {
  const run: PlannedRun = { id: sha256(canonicalJson(definition)).slice(0, 20), arm, definition };
  return showAs(run, { bundle: plannedRunBundle, row: plannedRunRow });
}

function weightsHash(
  encoder: string,
  start: RunSettings['encoderWeights'],
  given: ReadonlyMap<string, string>,
): string | null {
  if (start !== 'pretrained') return null;
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
