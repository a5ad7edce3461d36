import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset, type Dataset, type OpenOptions } from '../../../src/datasets/dataset.js';
import { trainSubset } from '../../../src/datasets/splits/train-subset.js';
import type { Target } from '../../../src/datasets/sample.js';
import { ownManifest, type OwnManifest } from '../../../src/manifests/own-manifest.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A dataset of 40 samples whose targets are given, of a benchmark with a published rule. */
function fake(
  task: OwnManifest['task'],
  target: (index: number) => Target,
  mode: OpenOptions['mode'],
): Promise<Dataset> {
  const root = tempFolder();
  writeFileSync(path.join(root, 'x'), '');
  const manifest = ownManifest('fake', {
    task,
    modalities: { optical: { bands: ['B4'] } },
    classes: ['a', 'b', 'c'],
  });
  const dataset = defineDataset('fake', {
    manifest: { ...manifest, benchmark: 'pangaea' },
    entries: () => Array.from({ length: 40 }, (_, index) => ({ id: `s${index}`, index })),
    read: ({ index }) => Promise.resolve({ images: {}, target: target(index) }),
  });
  return openDataset(dataset, root, mode ? { mode } : {});
}

const mask = (labels: readonly number[]): Target => {
  const map = { data: Uint8Array.from(labels), height: 1, width: labels.length };
  return { kind: 'mask', labels: map, stored: map };
};
const value = (mean: number): Target => ({
  kind: 'values',
  values: Float32Array.of(mean),
  height: 1,
  width: 1,
  valid: null,
});
const numbers = (entries: readonly { id: string }[]): number[] =>
  entries.map(({ id }) => Number(id.slice(1)));

describe('a share of a training split', () => {
  it('is exactly the fraction in corrected mode, and nested', async () => {
    const dataset = await fake('segmentation', (i) => mask([i % 3, (i >> 2) % 3, i % 2]), 'corrected');
    const tenth = await trainSubset(dataset, { fraction: 0.1 });
    const half = await trainSubset(dataset, { fraction: 0.5 });
    expect([tenth.length, half.length]).toEqual([4, 20]);
    expect(half).toEqual(expect.arrayContaining([...tenth]));
  });

  it('that leaves a class of a classification without a sample is refused, by name', async () => {
    const dataset = await fake('classification', (i) => ({ kind: 'class', label: i % 3 }), 'corrected');
    await expect(trainSubset(dataset, { fraction: 0.05 })).rejects.toMatchObject({
      code: 'FRACTION_EMPTIES_CLASS',
      message: expect.stringMatching(/0\.05 of the split "train" is 2 samples, without [abc]\./) as string,
    });
    expect(await trainSubset(dataset, { fraction: 0.075 })).toHaveLength(3);
  });

  it('of masks that leaves one class alone is refused; where several are left, the others are told', async () => {
    const alone = await fake('segmentation', (i) => mask([i % 3]), 'corrected');
    await expect(trainSubset(alone, { fraction: 0.01 })).rejects.toMatchObject({
      code: 'FRACTION_EMPTIES_CLASS',
    });
    const rare = await fake('segmentation', (i) => mask([0, 1, i === 39 ? 2 : 0]), 'corrected');
    const told: unknown[] = [];
    const options = { fraction: 0.1, seed: 0, onEmptied: (classes: unknown) => told.push(classes) };
    const subset = await trainSubset(rare, options);
    expect(told).toEqual(subset.some(({ id }) => id === 's39') ? [] : [['c']]);
  });

  it('as published keeps one sample of every combination of shares', async () => {
    const dataset = await fake('segmentation', (i) => mask([i % 3, (i >> 2) % 3, i % 2]), 'as-published');
    expect((await trainSubset(dataset, { fraction: 0.1 })).length).toBeGreaterThan(4);
  });

  it('of a regression never holds the greatest mean as published, and may hold it corrected', async () => {
    const published = await fake('regression', value, 'as-published');
    expect(numbers(await trainSubset(published, { fraction: 0.99 }))).not.toContain(39);
    const corrected = await fake('regression', value, 'corrected');
    const seeds = [0, 1, 2, 3, 4, 5, 6, 7];
    const subsets = await Promise.all(seeds.map((seed) => trainSubset(corrected, { fraction: 0.5, seed })));
    expect(subsets.some((entries) => numbers(entries).includes(39))).toBe(true);
  });

  it('of a classification has one sample of every class', async () => {
    const label = (i: number): Target => ({ kind: 'class', label: i === 17 ? 2 : i % 2 });
    const dataset = await fake('classification', label, 'corrected');
    const tenth = numbers(await trainSubset(dataset, { fraction: 0.1 }));
    expect(tenth).toHaveLength(4);
    expect(tenth).toContain(17);
  });

  it('that the benchmark has no rule for is an error that says what to take', async () => {
    const dataset = await fake('classification', () => ({ kind: 'class', label: 0 }), 'as-published');
    const other = { ...dataset, manifest: { ...dataset.manifest, benchmark: 'geobench' } };
    await expect(trainSubset(other, { fraction: 0.1 })).rejects.toMatchObject({
      code: 'SUBSET_UNPUBLISHED',
      hint: expect.stringContaining('partition'),
    });
  });
});
