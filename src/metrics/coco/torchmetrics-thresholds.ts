import type { CocoMetricOptions } from './coco-metric.js';

/** Evenly spaced in float32, the second half counted from the end, as PyTorch's linspace. */
function evenlySpaced(from: number, to: number, count: number): number[] {
  const { fround } = Math;
  const step = fround(fround(fround(to) - fround(from)) / fround(count - 1));
  return Array.from({ length: count }, (_, at) =>
    at < count / 2
      ? fround(fround(from) + fround(step * at))
      : fround(fround(to) - fround(step * (count - 1 - at))),
  );
}

/** Overlaps and recalls as torchmetrics has them. */
export const TORCHMETRICS_THRESHOLDS = {
  overlapThresholds: evenlySpaced(0.5, 0.95, 10),
  recallPoints: evenlySpaced(0, 1, 101),
} as const satisfies CocoMetricOptions;
