import { geobench2Rows, type Geobench2Runs } from '../geobench2.js';
import { publishedRows, type PublishedRow } from '../published-rows.js';
import type { LeaderboardRun } from './leaderboard-run.js';

/** Name of the source of the runs that were released with GEO-Bench-2. */
export const RELEASED = 'released';

/** What the released files feed, as far as they say it. */
const MODALITIES: Readonly<Record<string, string>> = {
  'geobench2-runs-full': 'optical',
  'geobench2-runs-frozen': 'optical',
  'geobench2-runs-multimodal': 'optical with radar',
};

/** Released runs of GEO-Bench-2, ready to be ranked. */
export const releasedRuns = (set: Geobench2Runs): LeaderboardRun[] =>
  geobench2Rows(set).map((row) => ({
    source: RELEASED,
    model: String(row.encoder),
    dataset: String(row.dataset),
    seed: String(row.seed),
    metric: String(row.metric),
    score: Number(row.value),
    decoder: String(row.decoder),
    encoderMode: String(row.encoderMode),
    modalities: MODALITIES[String(row.table)] ?? null,
  }));

/** The name of the score of each dataset in the released runs. */
export function releasedMetrics(): ReadonlyMap<string, string> {
  return new Map(fullRows().map(({ dataset, metric }) => [String(dataset), String(metric)]));
}

/** Ids by the names that the released files use. */
export function releasedNames(column: 'encoder' | 'dataset'): ReadonlyMap<string, string> {
  const other = column === 'encoder' ? 'releasedEncoder' : 'releasedDataset';
  return new Map(fullRows().map((row) => [String(row[other]), String(row[column])]));
}

const fullRows = (): readonly PublishedRow[] => publishedRows('geobench2-runs-full');
