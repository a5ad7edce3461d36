import type { Aggregate, AggregateName } from './aggregate.js';
import { bootstrap, type BootstrapOptions } from './bootstrap.js';
import { ranking, type RankingOptions, type RankingRow } from './ranking.js';
import { selectDatasets, type ScoreMatrix } from './score-matrix.js';

/** Sets of datasets that are scored together, by name; benchmark manifests have those of their papers. */
export type Capabilities = Readonly<Record<string, readonly string[]>>;

export interface CapabilityRanking {
  readonly capability: string;
  readonly datasets: readonly string[];
  /** From best to worst; a model that lacks one of the datasets has no score. */
  readonly rows: readonly RankingRow[];
}

/**
 * A ranking for each capability: the aggregate of its datasets' normalised scores, with resamples of the runs
 * (GEO-Bench-2, section 3.7: `pooled-iqm`, 100 resamples). Draws that pandas would make begin anew with each.
 * @param matrix normalised scores
 */
export const capabilityRankings = (
  matrix: ScoreMatrix,
  capabilities: Capabilities,
  by: AggregateName | Aggregate,
  options: BootstrapOptions & RankingOptions,
): CapabilityRanking[] =>
  Object.entries(capabilities).map(([capability, datasets]) => {
    const resamples = bootstrap(selectDatasets(matrix, datasets), by, options);
    return { capability, datasets, rows: ranking(resamples, options) };
  });
