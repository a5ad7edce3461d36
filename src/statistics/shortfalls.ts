import { listed } from '../display/words.js';
import type { ScoreMatrix, ScoreWarning } from './score-matrix.js';

/**
 * Names cells without a run, cells with fewer runs than others, and cells of one run.
 * Seeds of missing runs are named where they can be known: other cells have exactly those besides.
 */
export function shortfalls(matrix: Omit<ScoreMatrix, 'warnings'>): ScoreWarning[] {
  const { models, datasets, cells } = matrix;
  const seedsOf = (column: number): ReadonlySet<string> => seedSet(cells.map((row) => row[column]!.seeds));
  const everySeed = seedSet(cells.flatMap((row) => row.map(({ seeds }) => seeds)));
  const countsOf = (column: number): number[] => cells.map((row) => row[column]!.values.length);
  const fullest = Math.max(0, ...datasets.flatMap((_, column) => countsOf(column)));
  const isGrid = everySeed.size === fullest;
  return datasets.flatMap((dataset, column) => {
    const expected = isGrid ? fullest : Math.max(...countsOf(column));
    const known = isGrid ? everySeed : seedsOf(column);
    return models.flatMap((model, row): ScoreWarning[] => {
      const { values, seeds } = cells[row]![column]!;
      const about = { model, dataset };
      if (values.length === 0)
        return [{ code: 'CELL_MISSING', text: `${model} has no run on ${dataset}.`, ...about, seeds: [] }];
      const found: ScoreWarning[] = [];
      const lacking = expected - values.length;
      if (lacking > 0) {
        const missing = [...known].filter((seed) => !seeds.includes(seed));
        const named = missing.length === lacking ? missing : [];
        const which = named.length === 0 ? '' : `: seed${lacking === 1 ? '' : 's'} ${listed(named)}`;
        const text = `${model} on ${dataset} lacks ${lacking} of ${expected} runs${which}.`;
        found.push({ code: 'RUN_MISSING', text, ...about, seeds: named });
      }
      if (values.length === 1) {
        const text = `${model} on ${dataset} has one run: it has no interval.`;
        found.push({ code: 'ONE_RUN', text, ...about, seeds: seeds.filter((seed) => seed !== null) });
      }
      return found;
    });
  });
}

const seedSet = (lists: readonly (readonly (string | null)[])[]): ReadonlySet<string> =>
  new Set(lists.flat().filter((seed) => seed !== null));
