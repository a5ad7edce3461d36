import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  classShares,
  meanBins,
  publishedRegressionSubset,
  publishedSegmentationSubset,
  shareBins,
  type Draw,
} from '../../../src/datasets/splits/published-subset.js';
import { parseNpy } from '../../../src/io/npy.js';

/** PANGAEA's subset sampler run on forty small masks and images, with every draw it made. */
const folder = fileURLToPath(new URL('../../fixtures/parity/subset-sampler/', import.meta.url));
const numbers = (file: string): number[] => [...parseNpy(readFileSync(folder + file), file).data].map(Number);
const { hyper } = JSON.parse(readFileSync(`${folder}config.json`, 'utf8')) as {
  hyper: { draws: Record<string, { from: number[]; size: number; value: number[] }[]> };
};

/** Gives what the reference drew, and checks that it is asked as the reference's generator was. */
function recorded(name: string): Draw {
  const draws = [...hyper.draws[name]!];
  return <T>(items: readonly T[], count: number) => {
    const next = draws.shift()!;
    expect([items, count]).toEqual([next.from, next.size]);
    return next.value as T[];
  };
}

const labels = numbers('in_seg.npy');
const bins = Array.from({ length: 40 }, (_, i) =>
  shareBins(classShares(labels.slice(i * 36, (i + 1) * 36), 4, -1)),
);
const means = meanBins(numbers('out_reg.means.npy'));

describe('the subset sampler of PANGAEA', () => {
  it('has the same bins for masks and for means', () => {
    expect(bins.flat()).toEqual(numbers('out_seg.bins.npy'));
    expect(means).toEqual(numbers('out_reg.bins.npy'));
  });

  it.each([0.1, 0.5])('draws the same samples for the fraction %s, with the same draws', (fraction) => {
    const segmentation = `segmentation.stratified.${fraction}`;
    expect(publishedSegmentationSubset(bins, { fraction, draw: recorded(segmentation) })).toEqual(
      numbers(`out_indices.${segmentation}.npy`),
    );
    const regression = `regression.stratified.${fraction}`;
    expect(publishedRegressionSubset(means, { fraction, draw: recorded(regression) })).toEqual(
      numbers(`out_indices.${regression}.npy`),
    );
  });
});
