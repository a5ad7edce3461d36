import { nearest, UsageError } from '../../errors.js';
import { readBenchmarkManifest } from '../../manifests/benchmark-manifest.js';
import { resolveDatasetId } from '../../manifests/dataset-ids.js';

/** Datasets that are ranked together. */
export interface Capability {
  readonly name: string;
  readonly datasets: readonly string[];
}

/** GEO-Bench-2's capabilities (Table 3) that have all of their datasets among these, and these all together. */
export function leaderboardCapabilities(datasets: readonly string[]): Capability[] {
  const known = Object.entries(readBenchmarkManifest('geobench2').capabilities)
    .map(([name, own]) => ({ name, datasets: own }))
    .filter((capability) => capability.datasets.every((id) => datasets.includes(id)));
  return [...known, { name: 'all', datasets }];
}

/**
 * A capability by its name, in any spelling (`Pixel wise`), or one of a user's own: `NAME=dataset,dataset,…`.
 * @throws UsageError OPTION_VALUE
 */
export function findCapability(
  asked: string,
  known: readonly Capability[],
  datasets: readonly string[],
): Capability {
  const [name, list] = splitOnce(asked, '=');
  if (list !== undefined) {
    const wanted = list.split(',').map((text) => resolveDatasetId(text.trim(), 'geobench2'));
    const unknown = wanted.find((id) => !datasets.includes(id));
    if (unknown !== undefined || name.trim() === '') {
      throw new UsageError(
        'OPTION_VALUE',
        unknown === undefined
          ? 'The capability has no name.'
          : `"${unknown}" is none of the datasets that are ranked.`,
        { where: '--capability', hint: `NAME=dataset,dataset; datasets are ${datasets.join(', ')}.` },
      );
    }
    return { name: name.trim(), datasets: [...new Set(wanted)] };
  }
  const found = known.find((capability) => plain(capability.name) === plain(asked));
  if (found) return found;
  const names = known.map((capability) => capability.name);
  const guess = nearest(asked.toLowerCase(), names);
  throw new UsageError('OPTION_VALUE', `There is no capability "${asked}".`, {
    where: '--capability',
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${names.join(', ')}; NAME=dataset,dataset makes one.`,
  });
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '');

function splitOnce(text: string, at: string): [string, string | undefined] {
  const place = text.indexOf(at);
  return place < 0 ? [text, undefined] : [text.slice(0, place), text.slice(place + 1)];
}
