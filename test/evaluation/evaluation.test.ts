import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedSample } from '../../src/datasets/loaded-dataset.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { evaluateTiles, total } from '../../src/evaluation/evaluate-tiles.js';
import { batches } from '../../src/evaluation/predict.js';
import { predictWhole, slidingWindow } from '../../src/evaluation/sliding-window.js';
import { imageTensor, type Tile } from '../../src/training/tiles.js';
import type { SegmentationModel } from '../../src/training/model.js';
import { tinyTiles } from '../support/tiny-model.js';

beforeAll(() => startEngine());
afterEach(() => new Promise((resolve) => setImmediate(resolve)));

/** A model whose class scores are the two bands themselves: it answers which band is brighter. */
const mirrorModel = { decoder: (maps: readonly Tensor4D[]) => maps[0]! } as unknown as SegmentationModel;
const identity = { shift: [0, 0], scale: [1, 1] };
const features = (tiles: readonly Tile[]): Tensor4D[] => [imageTensor(tiles, identity)];
const options = {
  model: mirrorModel,
  features,
  classCount: 2,
  ignoreIndex: null,
  batchSize: 3,
  breathe: () => Promise.resolve(),
};

function noise(height: number, width: number): LoadedSample {
  const [tile] = tinyTiles(1);
  const data = Uint8Array.from({ length: height * width * 2 }, (_, i) => (i * 7919) % 251);
  const target = Uint8Array.from({ length: height * width }, (_, i) =>
    data[2 * i + 1]! > data[2 * i]! ? 1 : 0,
  );
  return {
    ...tile!,
    id: 'noise',
    image: { data, height, width, bandCount: 2 },
    target: { data: target, height, width },
  };
}

describe('scores on tiles', () => {
  it('count every pixel of every place', async () => {
    const tiles = tinyTiles(5);
    const before = tf.memory().numTensors;
    const { byPlace, predictions } = await evaluateTiles(tiles, options);
    expect([...byPlace.keys()]).toEqual(['even', 'odd']);
    expect(byPlace.get('even')!.total).toBe(3 * 96);
    expect(total(byPlace, 2).total).toBe(5 * 96);
    expect(predictions).toHaveLength(5);
    // the model answers whether the second band is brighter
    const { data } = tiles[4]!.image;
    expect(predictions[4]![17]).toBe(data[35]! > data[34]! ? 1 : 0);
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('batches', () => {
  it('hold tiles of one size only', () => {
    const [a, b] = [noise(4, 4), noise(4, 6)];
    expect([...batches([a, a, b, a], 2)].map((batch) => batch.length)).toEqual([2, 1, 1]);
  });
});

describe('sliding windows', () => {
  it.each([
    [9, 14, 4, 4],
    [8, 8, 4, 3],
    [5, 11, 8, 8],
  ])(
    'give every pixel of %i × %i its own answer, whatever windows cover it',
    async (height, width, size, stride) => {
      const sample = noise(height, width);
      expect(await predictWhole(sample, { ...options, size, stride })).toEqual(sample.target.data);
    },
  );

  it('average the scores where they overlap, before the class is chosen', async () => {
    // window by window the scores are (0, 1), (0, 1), (9, 0): the sum decides for class 0 in the middle
    const scores = [
      [0, 1],
      [0, 1],
      [9, 0],
    ];
    let call = 0;
    const source = (tiles: readonly Tile[]): Tensor4D[] => [
      tf.concat(
        tiles.map(() => tf.tile(tf.tensor4d(scores[call++]!, [1, 1, 1, 2]), [1, 2, 4, 1])),
      ) as Tensor4D,
    ];
    const sample = noise(2, 8);
    const classes = await predictWhole(sample, {
      ...options,
      features: source,
      batchSize: 1,
      size: 4,
      stride: 2,
    });
    expect([...classes.subarray(0, 8)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });

  it('are counted by place', async () => {
    const byPlace = await slidingWindow([noise(9, 14), { ...noise(4, 4), place: 'B' }], {
      ...options,
      size: 4,
      stride: 4,
    });
    expect([...byPlace].map(([place, matrix]) => [place, matrix.total])).toEqual([
      ['even', 126],
      ['B', 16],
    ]);
  });
});
