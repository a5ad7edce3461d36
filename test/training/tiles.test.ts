import { describe, expect, it } from 'vitest';
import type { LoadedSample } from '../../src/datasets/loaded-dataset.js';
import { batchLabels, batchPixels, cutTiles } from '../../src/training/tiles.js';

const sample: LoadedSample = {
  id: 'scene',
  split: 'test',
  place: 'A',
  image: { data: Uint8Array.from({ length: 5 * 4 * 2 }, (_, i) => i), height: 5, width: 4, bandCount: 2 },
  target: { data: Uint8Array.from({ length: 20 }, (_, i) => i % 2), height: 5, width: 4 },
};

describe('tiles', () => {
  it('lie side by side, carry split and place, and are named by their corner', () => {
    const tiles = cutTiles([sample], 2);
    expect(tiles.map(({ id }) => id)).toEqual(['scene/r0-c0', 'scene/r0-c2', 'scene/r2-c0', 'scene/r2-c2']);
    expect(tiles[3]).toMatchObject({ split: 'test', place: 'A' });
    expect([...tiles[3]!.image.data]).toEqual([20, 21, 22, 23, 28, 29, 30, 31]);
  });

  it('of a sample that is too small are an error', () => {
    expect(() => cutTiles([sample], 8)).toThrowError(expect.objectContaining({ code: 'NO_TILES' }));
  });
});

describe('batches', () => {
  const tiles = cutTiles([sample], 4).slice(0, 1);
  const normalization = { shift: [10, 0], scale: [2, 1] };

  it('are normalised band by band: (pixel − shift) / scale', () => {
    const pixels = batchPixels(tiles, normalization);
    expect([...pixels.subarray(0, 4)]).toEqual([-5, 1, -4, 3]);
  });

  it('are mirrored in image and labels alike, bands in their order', () => {
    const plain = batchPixels(tiles, normalization);
    const mirrored = batchPixels(tiles, normalization, true);
    expect([...mirrored.subarray(0, 8)]).toEqual([6, 7, 4, 5, 2, 3, 0, 1].map((i) => plain[i]));
    expect([...batchLabels(tiles, true).subarray(0, 4)]).toEqual([1, 0, 1, 0]);
    expect([...batchLabels(tiles).subarray(0, 4)]).toEqual([0, 1, 0, 1]);
  });
});
