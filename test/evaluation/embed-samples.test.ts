import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineDataset, openDataset } from '../../src/datasets/dataset.js';
import type { Sample } from '../../src/datasets/sample.js';
import { openEncoder, type Encoder } from '../../src/encoders/open-encoder.js';
import { embedSamples } from '../../src/evaluation/embed-samples.js';
import { readEmbeddings, writeEmbeddings } from '../../src/evaluation/embeddings-file.js';
import { tempFolder } from '../support/temp-folder.js';

const S2 = ['B1', 'B2', 'B3', 'B4', 'B8'];
const numbers = S2.map((_, band) => 100 * (band + 1));

/** Sentinel-2 under a name of its own, [row, column, band]: band b is b hundred times what its place says. */
function sample(id: string, side: number, label: number): Sample {
  const data = Float32Array.from({ length: side * side * S2.length }, (_, i) => {
    const [pixel, band] = [Math.floor(i / S2.length), i % S2.length];
    return numbers[band]! + 10 * ((pixel % side) - side / 2) + label;
  });
  const image = {
    data,
    timeCount: 1,
    height: side,
    width: side,
    bands: S2,
    dates: ['2020-03-01'],
    valid: null,
  };
  const placed = {
    storedType: 'float32',
    crs: 'EPSG:32631',
    transform: [10, 0, 5e5, 0, -10, 5e6],
    nodata: null,
  } as const;
  return {
    id,
    split: 'train',
    images: { s2: { ...image, ...placed } },
    target: { kind: 'class', label },
    facts: {},
  };
}

const mine = defineDataset('my-scenes', {
  manifest: {
    task: 'classification',
    modalities: { s2: { sensor: 'sentinel-2', bands: S2 } },
    classes: ['a', 'b'],
    splits: ['train'],
  },
  entries: () => [],
  read: () => Promise.reject(new Error('not read')),
});
const statistics = { s2: { bands: S2, mean: numbers, std: S2.map(() => 50) } };

let encoder: Encoder;
beforeAll(async () => {
  encoder = await openEncoder('resnet18-random', { seed: 1 });
});
afterAll(() => encoder.dispose());

describe('embeddings of samples', () => {
  const samples = [sample('one', 40, 0), sample('two', 40, 1), sample('three', 40, 0)];

  it('are one vector a sample, by the bands of the encoder, whatever the batches', async () => {
    const dataset = await openDataset(mine, tempFolder());
    const embed = (batchSize: number) =>
      embedSamples(encoder, samples, {
        dataset,
        statistics,
        batchSize,
        size: 64,
        onWarning: () => undefined,
      });
    const [all, single] = [await embed(8), await embed(1)];
    expect(all).toMatchObject({
      ids: ['one', 'two', 'three'],
      labels: [0, 1, 0],
      encoder: 'resnet18-random',
    });
    expect(all.vectors.map(({ length }) => length)).toEqual([512, 512, 512]);
    for (const [index, vector] of all.vectors.entries())
      for (const [i, value] of vector.entries())
        // 1e-4 of the largest: sums of a batch may be added in another order
        expect(Math.abs(value - single.vectors[index]![i]!)).toBeLessThan(1e-4 * Math.max(...vector));
    expect(all.vectors[0]).not.toEqual(all.vectors[1]);
  });

  it('say which modality is meant where that is not clear', async () => {
    const two = { ...samples[0]!, images: { s2: samples[0]!.images['s2']!, s1: samples[0]!.images['s2']! } };
    const dataset = await openDataset(mine, tempFolder());
    const options = { dataset, normalization: 'none', size: 'keep', onWarning: () => undefined } as const;
    await expect(embedSamples(encoder, [two], options)).rejects.toMatchObject({ code: 'MODALITIES' });
    const told = await embedSamples(encoder, [samples[0]!], { ...options, modalities: { optical: 's2' } });
    expect(told.vectors).toHaveLength(1);
  });

  it('stop when asked', async () => {
    const signal = AbortSignal.abort();
    await expect(embedSamples(encoder, samples, { statistics, signal })).rejects.toMatchObject({
      code: 'STOPPED',
    });
  });
});

describe('files of embeddings', () => {
  const embeddings = {
    encoder: 'e',
    ids: ['a', 'b'],
    splits: ['train', 'test'],
    labels: [1, [0, 2]],
    vectors: [Float32Array.of(0.1, -2, 3e-8), Float32Array.of(4, 5, 6)],
  };

  it.each(['.npy', '.parquet'])('%s gives back what was written', async (ending) => {
    const file = path.join(tempFolder(), `vectors${ending}`);
    await writeEmbeddings(embeddings, file);
    const { encoder: _, ...found } = await readEmbeddings(file);
    const { encoder: _encoder, ...written } = embeddings;
    expect(found).toEqual(written);
  });

  it('are refused by name where they are none', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'x.parquet');
    writeFileSync(file, 'PAR1 and nothing');
    await expect(readEmbeddings(file)).rejects.toMatchObject({ code: 'EMBEDDINGS_INVALID', where: file });
    await expect(readEmbeddings(path.join(folder, 'x.csv'))).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
    });
    const bare = path.join(folder, 'bare.npy');
    await writeEmbeddings(embeddings, bare);
    writeFileSync(path.join(folder, 'bare.json'), '{"ids":["a"],"labels":[1],"splits":["train"]}');
    await expect(readEmbeddings(bare)).rejects.toMatchObject({ code: 'EMBEDDINGS_INVALID' });
  });
});
