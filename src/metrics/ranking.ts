import type { Numbers } from './metric.js';

/** Places of a list of scores where truth and prediction can part: equal scores make one. */
interface Cut {
  /** Positives and negatives at or above it. */
  readonly positives: number;
  readonly negatives: number;
}

function cutsOf(scores: Numbers, truth: Numbers): Cut[] {
  const order = Array.from({ length: scores.length }, (_, index) => index);
  order.sort((a, b) => scores[b]! - scores[a]!);
  const cuts: Cut[] = [];
  let [positives, negatives] = [0, 0];
  for (const [rank, index] of order.entries()) {
    if (truth[index]! > 0) positives += 1;
    else negatives += 1;
    const next = order[rank + 1];
    if (next === undefined || scores[next] !== scores[index]) cuts.push({ positives, negatives });
  }
  return cuts;
}

/**
 * Σ (recall − recall before) · precision over the cuts, from the highest score down, without interpolation.
 * @param truth 1 or 0
 * @returns null without a positive
 */
export function averagePrecision(scores: Numbers, truth: Numbers): number | null {
  const cuts = cutsOf(scores, truth);
  const total = cuts.at(-1)?.positives ?? 0;
  if (total === 0) return null;
  let [sum, before] = [0, 0];
  for (const { positives, negatives } of cuts) {
    sum += ((positives - before) / total) * (positives / (positives + negatives));
    before = positives;
  }
  return sum;
}

/**
 * Chance that a positive has a higher score than a negative, ties counted half.
 * @returns null without a positive or without a negative
 */
export function areaUnderCurve(scores: Numbers, truth: Numbers): number | null {
  const cuts = cutsOf(scores, truth);
  const { positives = 0, negatives = 0 } = cuts.at(-1) ?? {};
  if (positives === 0 || negatives === 0) return null;
  let [area, before] = [0, { positives: 0, negatives: 0 }];
  for (const cut of cuts) {
    area += ((cut.negatives - before.negatives) * (cut.positives + before.positives)) / 2;
    before = cut;
  }
  return area / (positives * negatives);
}
