import { tf, type Tensor4D } from '../engine/tf.js';
import type { FeatureSource } from '../training/features.js';
import type { SegmentationModel } from '../training/model.js';
import type { Tile } from '../training/tiles.js';

/** Scores of every class at every pixel of a batch: [tile, height, width, class]; the caller disposes it. */
export function predictLogits(
  model: SegmentationModel,
  features: FeatureSource,
  tiles: readonly Tile[],
): Tensor4D {
  const { height, width } = tiles[0]!.target;
  return tf.tidy(() => model.decoder.forward(features(tiles, false), { height, width }, { training: false }));
}

/** Class of every pixel: one [height, width] array a tile. */
export function predictClasses(
  model: SegmentationModel,
  features: FeatureSource,
  tiles: readonly Tile[],
): Uint8Array[] {
  const { height, width } = tiles[0]!.target;
  const classes = tf.tidy(() => predictLogits(model, features, tiles).argMax(3).dataSync());
  const pixels = height * width;
  return tiles.map((_, index) => Uint8Array.from(classes.subarray(index * pixels, (index + 1) * pixels)));
}

/** Consecutive batches of tiles of one size. */
export function* batches<T extends Tile>(tiles: readonly T[], batchSize: number): Generator<T[]> {
  let start = 0;
  while (start < tiles.length) {
    const { height, width } = tiles[start]!.target;
    let end = start;
    while (end < tiles.length && end - start < batchSize) {
      const next = tiles[end]!.target;
      if (next.height !== height || next.width !== width) break;
      end++;
    }
    yield tiles.slice(start, end);
    start = end;
  }
}
