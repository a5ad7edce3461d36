import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { datasetStatistics } from '../../../src/datasets/statistics/dataset-statistics.js';
import { ownManifest } from '../../../src/manifests/own-manifest.js';
import { JUPYTER_DISPLAY } from '../../../src/display/showable.js';
import { bandNumbers, histogram } from '../../support/layouts.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

describe('statistics of a dataset', () => {
  it('are those of all its samples together, over the pixels that count', async () => {
    const dataset = await openDataset('hls-burn-scars', fixture('pangaea/hlsburnscars'));
    const found = await datasetStatistics(dataset);
    const images = [];
    for await (const sample of dataset.samples('train')) images.push(sample.images.optical!);
    expect(found.samples).toMatchObject({ listed: images.length, read: images.length });
    for (const [place, band] of found.bands.optical!.entries()) {
      const values = images.flatMap(({ data, valid, bands }) =>
        [...data].filter((_, at) => at % bands.length === place && valid?.[at] !== 0),
      );
      const whole = { ...images[0]!, data: Float64Array.from(values), bands: [band.band] };
      const wanted = bandNumbers(whole, [0]);
      expect(band.count).toBe(values.length);
      // sums of float64 in another order: a few of the 16 digits differ
      expect(band.mean! / wanted.mean).toBeCloseTo(1, 10);
      expect(band.std! / wanted.std).toBeCloseTo(1, 8);
      expect([band.min, band.max]).toEqual([wanted.min, wanted.max]);
      const sorted = values.toSorted((a, b) => a - b);
      expect(band.percentiles!['98']).toBeGreaterThanOrEqual(sorted[Math.floor(0.98 * (sorted.length - 1))]!);
    }
  });

  it('count classes and pixels without a label', async () => {
    const dataset = await openDataset('mados', fixture('pangaea/mados'));
    const found = await datasetStatistics(dataset);
    const counts: Record<string, number> = {};
    for await (const { target } of dataset.samples('train')) {
      if (target.kind !== 'mask') continue;
      for (const [label, count] of Object.entries(histogram(target.labels)))
        counts[label] = (counts[label] ?? 0) + count;
    }
    for (const { index, count } of found.classes) expect(count).toBe(counts[String(index)] ?? 0);
    const labelled = found.classes.reduce((sum, { count }) => sum + count, 0);
    expect(found.unlabelledShare).toBeCloseTo(counts['-1']! / (counts['-1']! + labelled), 12);
  });

  it('have the form of a manifest, and a manifest takes them', async () => {
    const dataset = await openDataset('gb2-caffe', fixture('geobench2/caffe'));
    const { manifest } = JSON.parse(JSON.stringify(await datasetStatistics(dataset))) as Awaited<
      ReturnType<typeof datasetStatistics>
    >;
    const own = ownManifest('pasted', {
      task: 'segmentation',
      modalities: { sar: { bands: ['gray'], ...manifest.modalities.sar! } },
      classes: manifest.classes.map(({ name, share }) => ({ name, ...(share !== null && { share }) })),
    });
    const [statistics] = own.modalities.sar!.statistics;
    expect(statistics!.mean![0]).toBeGreaterThan(0);
    expect(Object.keys(statistics!.percentiles!)).toEqual(['1', '2', '98', '99']);
  });

  it('are of samples spread over the split where there is a limit, and name those that cannot be read', async () => {
    const root = fixtureCopy('pangaea/hlsburnscars');
    const dataset = await openDataset('hls-burn-scars', root);
    const entries = await dataset.entries('train');
    writeFileSync(path.join(root, 'training', entries[0]!.id), 'no raster');
    const { samples } = await datasetStatistics(dataset, { limit: 3 });
    expect(samples.read).toBe(2);
    expect(samples.damaged).toMatchObject([{ sample: entries[0]!.id, code: 'NOT_A_RASTER', split: 'train' }]);
  });

  it('stop when they are asked to, and show themselves as tables', async () => {
    const dataset = await openDataset('gb2-caffe', fixture('geobench2/caffe'));
    await expect(datasetStatistics(dataset, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'STOPPED',
    });
    const found = await datasetStatistics(dataset, { split: 'val' });
    const show = (found as unknown as Record<symbol, () => Record<string, string>>)[JUPYTER_DISPLAY]!;
    expect(show()['text/plain']).toMatch(/Statistics of gb2-caffe[\s\S]*98 %/);
  });

  it('of a regression have the numbers of its target', async () => {
    const dataset = await openDataset('biomassters', fixture('pangaea/biomassters'));
    const { classes, values } = await datasetStatistics(dataset);
    expect(classes).toEqual([]);
    expect(values!.max).toBeGreaterThan(values!.percentiles!['98']! - 1e-9);
  });
});
