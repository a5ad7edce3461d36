import { checkShare } from './check-options.js';
import { adjustPValues } from './corrections.js';
import { averageRanks } from './ranks.js';
import { cellStatistics, selectModels, type ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';
import { wilcoxonSignedRank } from './wilcoxon.js';

/** Which models average ranks tell apart: what a critical-difference diagram draws. */
export interface RankGroups {
  /** From the best average rank to the worst. */
  readonly models: readonly { readonly model: string; readonly averageRank: number }[];
  /** Largest sets of models next to each other of which no two are told apart, two at least; they may overlap. */
  readonly groups: readonly (readonly string[])[];
  /** Models that lack a dataset and are not ranked. */
  readonly leftOut: readonly string[];
  readonly datasets: number;
  /** From this adjusted p value on two models are not told apart. */
  readonly alpha: number;
  /** Whether so few datasets and so many models can tell any two apart. */
  readonly canTell: boolean;
}

/**
 * Average ranks of the models that have every dataset, and which of them are not told apart: signed-rank tests of all pairs
 * over the datasets, p raised by Holm's rule. The diagram is Demšar's (2006); pairs are tested by themselves, not by the
 * difference of their mean ranks, which would depend on the other models (Benavoli et al. 2016). Meant for normalised
 * scores, since differences are compared between datasets.
 * @param options.alpha default 0.05
 * @throws UsageError STATISTIC_OPTION
 */
export function rankGroups(matrix: ScoreMatrix, options: { readonly alpha?: number } = {}): RankGroups {
  const { alpha = 0.05 } = options;
  checkShare('alpha', alpha, { isOpen: true });
  const isComplete = matrix.cells.map(
    (row) => row.length > 0 && row.every(({ values }) => values.length > 0),
  );
  const complete = selectModels(
    matrix,
    matrix.models.filter((_, row) => isComplete[row]),
  );
  const scores = cellStatistics(complete, mean).map((row) =>
    row.map((score, column) => (complete.higherIsBetter[column]! ? score! : -score!)),
  );
  const order = averageRanks(complete)
    .map((rank, row) => ({ row, model: complete.models[row]!, averageRank: rank! }))
    .sort((a, b) => a.averageRank - b.averageRank);
  const pairs = order.flatMap((_, j) => order.slice(0, j).map((_own, i) => [i, j] as const));
  const adjusted = adjustPValues(
    pairs.map(([i, j]) => wilcoxonSignedRank(scores[order[i]!.row]!, scores[order[j]!.row]!)?.pValue ?? 1),
    'holm',
  );
  const apart = new Set(pairs.flatMap(([i, j], at) => (adjusted[at]! < alpha ? [`${i} ${j}`] : [])));
  const datasets = matrix.datasets.length;
  return {
    models: order.map(({ model, averageRank }) => ({ model, averageRank })),
    groups: groupsOf(order.length, apart).map(([from, to]) =>
      order.slice(from, to + 1).map(({ model }) => model),
    ),
    leftOut: matrix.models.filter((_, row) => !isComplete[row]),
    datasets,
    alpha,
    // all differences of one sign: two of 2ⁿ
    canTell: pairs.length > 0 && pairs.length * 2 ** (1 - datasets) < alpha,
  };
}

/** First and last of each largest run of places in which no two are apart. */
function groupsOf(count: number, apart: ReadonlySet<string>): [number, number][] {
  const groups: [number, number][] = [];
  for (let from = 0; from < count; from++) {
    let to = from;
    const isAlike = (next: number): boolean =>
      Array.from({ length: next - from }, (_, i) => `${from + i} ${next}`).every((pair) => !apart.has(pair));
    while (to + 1 < count && isAlike(to + 1)) to++;
    if (to > from && to > (groups.at(-1)?.[1] ?? -1)) groups.push([from, to]);
  }
  return groups;
}
