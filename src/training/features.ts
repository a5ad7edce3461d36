import { groupBy } from '../collections.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import type { Normalization } from '../preprocessing/normalize.js';
import type { SegmentationModel } from './model.js';
import { imageTensor, type Tile } from './tiles.js';

/** Feature maps of a batch, finest first; the caller disposes them (or a tidy around the call does). */
export type FeatureSource = (tiles: readonly Tile[], isMirrored: boolean) => Tensor4D[];

/** Feature maps of images of one date, finest first. */
export const encodeImages = (model: SegmentationModel, images: Tensor4D, training: boolean): Tensor4D[] =>
  model.encoder.forward({ images: { image: images } }, { training }) as Tensor4D[];

/** Runs the encoder in evaluation mode at every call. */
export const encodeTiles =
  (model: SegmentationModel, normalization: Normalization): FeatureSource =>
  (tiles, isMirrored) =>
    tf.tidy(() => encodeImages(model, imageTensor(tiles, normalization, isMirrored), false));

/**
 * Features of a frozen encoder, computed once a tile (and once for its mirror image) and kept. All runs
 * that share an encoder, its weights and the normalisation share one store.
 */
export class FeatureStore {
  readonly #kept = new Map<string, Tensor4D[]>();

  /** Batch-wise: [1, height / stride, width / stride, channels] a tile and feature, joined on demand. */
  source(encode: FeatureSource): FeatureSource {
    return (tiles, isMirrored) => {
      const missing = tiles.filter((tile) => !this.#kept.has(key(tile, isMirrored)));
      if (missing.length > 0) this.#compute(missing, isMirrored, encode);
      const features = tiles.map((tile) => this.#kept.get(key(tile, isMirrored))!);
      return features[0]!.map((_, level) =>
        tf.concat(
          features.map((maps) => maps[level]!),
          0,
        ),
      );
    };
  }

  /** Computes what is missing for these tiles, in batches of eight. */
  async fill(
    tiles: readonly Tile[],
    isMirrored: boolean,
    encode: FeatureSource,
    breathe: () => Promise<void>,
  ): Promise<void> {
    const missing = tiles.filter((tile) => !this.#kept.has(key(tile, isMirrored)));
    for (const group of groupBy(missing, ({ target }) => `${target.height}/${target.width}`).values()) {
      for (let start = 0; start < group.length; start += FILL_BATCH) {
        this.#compute(group.slice(start, start + FILL_BATCH), isMirrored, encode);
        await breathe();
      }
    }
  }

  #compute(tiles: readonly Tile[], isMirrored: boolean, encode: FeatureSource): void {
    const split = tf.tidy(() => encode(tiles, isMirrored).map((maps) => tf.split(maps, tiles.length, 0)));
    for (const [index, tile] of tiles.entries()) {
      this.#kept.set(
        key(tile, isMirrored),
        split.map((maps) => tf.keep(maps[index] as Tensor4D)),
      );
    }
  }

  dispose(): void {
    for (const maps of this.#kept.values()) tf.dispose(maps);
    this.#kept.clear();
  }
}

const FILL_BATCH = 8;

const key = (tile: Tile, isMirrored: boolean): string => (isMirrored ? `${tile.id}/mirrored` : tile.id);
