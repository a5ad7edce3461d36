import type { StatisticsManifest } from './dataset-manifest.js';

/**
 * Of a modality's sources with a quantity, the one that is taken unless another is named: the first that nothing is said
 * against, else the first.
 * @param source only this one
 */
export function defaultStatistics(
  statistics: readonly StatisticsManifest[],
  quantity?: 'mean' | 'std' | 'min' | 'max',
  source?: string,
): StatisticsManifest | undefined {
  const usable = statistics.filter(
    (entry) =>
      (quantity === undefined || entry[quantity] !== null) &&
      (source === undefined || entry.source === source),
  );
  return usable.find(({ caution }) => caution === null) ?? usable[0];
}
