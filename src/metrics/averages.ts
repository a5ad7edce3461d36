/** Hits, false alarms and misses of a class or label. */
export interface Counts {
  readonly hits: number;
  readonly falseAlarms: number;
  readonly misses: number;
  /** Rightly left out; counted for labels, not for classes. */
  readonly rejections?: number;
}

/** How scores of classes become one: of their counts together, their mean, or weighted by their pixels. */
export type Averaging = 'micro' | 'macro' | 'weighted';

/** part / whole; 0 where the whole is 0. */
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Scores of counts; 0 where there is nothing to divide by. */
export const countScores = {
  IoU: ({ hits, falseAlarms, misses }: Counts): number => ratio(hits, hits + falseAlarms + misses),
  F1: ({ hits, falseAlarms, misses }: Counts): number => ratio(2 * hits, 2 * hits + falseAlarms + misses),
  precision: ({ hits, falseAlarms }: Counts): number => ratio(hits, hits + falseAlarms),
  recall: ({ hits, misses }: Counts): number => ratio(hits, hits + misses),
  accuracy: ({ hits, falseAlarms, misses, rejections = 0 }: Counts): number =>
    ratio(hits + rejections, hits + falseAlarms + misses + rejections),
} as const;

export type CountScore = keyof typeof countScores;

export interface AverageOptions {
  /** Whether a class or label counts in a mean; default those that are in truth or prediction (torchmetrics' rule). */
  readonly isCounted?: (counts: Counts, index: number) => boolean;
}

const isAnywhere = ({ hits, falseAlarms, misses }: Counts): boolean => hits + falseAlarms + misses > 0;

/** One score of many classes or labels; 0 where none counts. */
export function averageScore(
  name: CountScore,
  counts: readonly Counts[],
  averaging: Averaging,
  { isCounted = isAnywhere }: AverageOptions = {},
): number {
  if (averaging === 'micro') return countScores[name](sumOf(counts));
  return averageOf(counts.map(countScores[name]), counts, averaging, { isCounted });
}

/** Mean of scores, weighted by the support of their counts or not. */
export function averageOf(
  scores: readonly number[],
  counts: readonly Counts[],
  averaging: Exclude<Averaging, 'micro'>,
  { isCounted = isAnywhere }: AverageOptions = {},
): number {
  const weights = counts.map((count, index) => {
    if (averaging === 'weighted') return count.hits + count.misses;
    return isCounted(count, index) ? 1 : 0;
  });
  const sum = scores.reduce((total, score, index) => total + score * weights[index]!, 0);
  return ratio(
    sum,
    weights.reduce((total, weight) => total + weight, 0),
  );
}

const sumOf = (counts: readonly Counts[]): Counts => {
  const total = (name: keyof Counts): number => counts.reduce((sum, count) => sum + (count[name] ?? 0), 0);
  return {
    hits: total('hits'),
    falseAlarms: total('falseAlarms'),
    misses: total('misses'),
    rejections: total('rejections'),
  };
};
