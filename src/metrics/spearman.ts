import type { Numbers } from './metric.js';
import { regressionMetric } from './regression.js';

/** Correlation of the ranks, equal values sharing the mean of theirs; null where either does not vary. */
export function spearman(a: Numbers, b: Numbers): number | null {
  const metric = regressionMetric({});
  metric.add(ranks(a), ranks(b));
  return metric.scores()['pearson'] ?? null;
}

function ranks(values: Numbers): Float64Array {
  const order = Array.from({ length: values.length }, (_, index) => index);
  order.sort((a, b) => values[a]! - values[b]!);
  const out = new Float64Array(values.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let rank = start; rank < end; rank++) out[order[rank]!] = (start + end - 1) / 2;
  }
  return out;
}
