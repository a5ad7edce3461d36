import { InputError } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { readProtocolManifest } from '../manifests/protocol-manifest.js';
import { readSearchManifest, searchFor, type SearchManifest } from '../manifests/search-manifest.js';
import type { SearchSpace } from '../manifests/search-space.js';
import { canonicalJson, sha256 } from '../results/canonical-json.js';
import { isHigherBetter, validationScoreOf } from '../results/main-score.js';
import type { JsonValue, Settings } from '../results/run-record.js';
import { checkSpace } from '../training/search/check-space.js';
import type { SearchDirection } from '../training/search/trial.js';
import type { RunSettings } from './run-settings.js';
import type { StudyDefinition, StudySearch } from './study.js';

/** The search of one arm. */
export interface SearchSpec {
  readonly id: string;
  readonly sampler: SearchManifest['sampler'];
  readonly pruner: SearchManifest['pruner'];
  readonly trialCount: number;
  readonly space: SearchSpace;
  readonly direction: SearchDirection;
  /** Of the draws, and of the training of each trial. */
  readonly seed: number;
  /** Of all of this: part of a trial's identity. */
  readonly digest: string;
}

/** A search as a study asks for it, for one dataset and encoder. */
export interface AskedSearch extends Omit<SearchSpec, 'direction' | 'digest'> {
  /** What the search fixes, over the protocol's settings. */
  readonly settings: Settings;
}

const OWN: Omit<AskedSearch, 'settings'> = {
  ...{ id: 'search', sampler: 'tpe', pruner: null, trialCount: 16, space: {}, seed: 0 },
};

/**
 * @returns null where the study searches for nothing
 * @throws InputError STUDY_INVALID where the protocol has no search of its own for the task, MANIFEST_UNKNOWN
 */
export function askedSearch(
  study: StudyDefinition,
  dataset: Pick<DatasetManifest, 'id' | 'task'>,
  encoder: string,
): AskedSearch | null {
  if (study.search === undefined) return null;
  const asked: StudySearch = typeof study.search === 'object' ? study.search : { id: study.search };
  const id = asked.id === true ? protocolSearch(study, dataset) : asked.id;
  const base = id === undefined ? { ...OWN, settings: {} } : published(id, encoder);
  return {
    ...base,
    ...(asked.sampler !== undefined && { sampler: asked.sampler }),
    ...(asked.pruner !== undefined && { pruner: asked.pruner }),
    ...(asked.trials !== undefined && { trialCount: asked.trials }),
    ...(asked.space !== undefined && { space: asked.space }),
    ...(asked.seed !== undefined && { seed: asked.seed }),
  };
}

function published(id: string, encoder: string): AskedSearch {
  const manifest = readSearchManifest(id);
  const { sampler, pruner, trialCount, trialSeed: seed } = manifest;
  return { id, sampler, pruner, trialCount, seed, ...searchFor(manifest, encoder) };
}

function protocolSearch(
  { name, protocol }: StudyDefinition,
  dataset: Pick<DatasetManifest, 'id' | 'task'>,
): string {
  const { search } = readProtocolManifest(protocol);
  const found = search[dataset.task];
  if (found !== undefined) return found;
  throw new InputError('STUDY_INVALID', `search: ${protocol} has no search for the task of ${dataset.id}.`, {
    where: `study "${name}"`,
    hint: 'Name a search, e.g. search: "geobench2", or give a space (docs/guide/searches.md).',
  });
}

/**
 * What is left to look for: settings that the study gives itself are not searched, nor is the learning rate of an encoder
 * that is frozen.
 * @param given settings of the study and the arm; @param settings of the arm's runs
 * @throws InputError SEARCH_SPACE where nothing is left
 */
export function searchSpec(
  { settings: _fixed, ...asked }: AskedSearch,
  dataset: Pick<DatasetManifest, 'id' | 'task'>,
  given: Settings,
  settings: RunSettings,
): SearchSpec {
  const isFrozen = settings.encoderMode === 'frozen';
  const space = Object.fromEntries(
    Object.entries(asked.space).filter(
      ([name]) => given[name] === undefined && !(isFrozen && name === 'encoderLearningRate'),
    ),
  );
  const fixed = Object.keys(asked.space).filter((name) => !Object.hasOwn(space, name));
  if (fixed.length > 0 && fixed.length === Object.keys(asked.space).length) {
    throw new InputError(
      'SEARCH_SPACE',
      `Nothing is left to search: ${fixed.join(', ')} is given or has no effect.`,
      {
        where: `search "${asked.id}"`,
        hint: 'Leave it out of `settings`, `vary` and `also`; the rate of a frozen encoder is none.',
      },
    );
  }
  checkSpace(space);
  const score = validationScoreOf({
    task: dataset.task,
    definition: { settings: { ...settings } as never },
  });
  const direction = score !== 'loss' && isHigherBetter(score) ? 'maximize' : 'minimize';
  const spec = { ...asked, space, direction } as const;
  return { ...spec, digest: sha256(canonicalJson(spec as unknown as JsonValue)).slice(0, 12) };
}
