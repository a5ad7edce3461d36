import type { LoadedSample } from '../datasets/loaded-dataset.js';
import { tf, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { cropLabels, cropRaster, gridWindows, type Window } from '../io/window.js';
import type { Normalization } from '../preprocessing/normalize.js';

/** A square piece of a sample, as training and tile scores see it. */
export interface Tile {
  /** Sample and corner, e.g. `yell-528000/x1792/r448-c0`. */
  readonly id: string;
  readonly split: string;
  readonly place: string;
  /** [size, size, band] */
  readonly image: RasterArray;
  /** [size, size] */
  readonly target: LabelArray;
}

/**
 * Cuts samples into tiles side by side; what does not fill a tile is left out.
 * @throws InputError NO_TILES for a sample smaller than a tile
 */
export function cutTiles(samples: readonly LoadedSample[], size: number): Tile[] {
  return samples.flatMap((sample) => {
    const windows = gridWindows(sample.image.height, sample.image.width, size);
    if (windows.length === 0) {
      throw new InputError(
        'NO_TILES',
        `${sample.id} is ${sample.image.height} × ${sample.image.width} pixels, smaller than a tile of ${size}.`,
        {
          hint: 'Choose a smaller tileSize.',
        },
      );
    }
    return windows.map((window) => cutTile(sample, window));
  });
}

export function cutTile(sample: LoadedSample, window: Window): Tile {
  return {
    id: `${sample.id}/r${window.row}-c${window.column}`,
    split: sample.split,
    place: sample.place,
    image: cropRaster(sample.image, window),
    target: cropLabels(sample.target, window),
  };
}

/**
 * Normalised pixels of several tiles, optionally mirrored left to right.
 * @returns [tile, height, width, band]
 */
export function batchPixels(
  tiles: readonly Tile[],
  { shift, scale }: Normalization,
  isMirrored = false,
): Float32Array {
  const { height, width, bandCount } = tiles[0]!.image;
  const size = height * width * bandCount;
  const out = new Float32Array(tiles.length * size);
  const factor = scale.map((spread) => 1 / spread);
  for (const [index, { image }] of tiles.entries()) {
    for (let pixel = 0; pixel < height * width; pixel++) {
      const source = (isMirrored ? mirrored(pixel, width) : pixel) * bandCount;
      const target = index * size + pixel * bandCount;
      for (let band = 0; band < bandCount; band++) {
        out[target + band] = (image.data[source + band]! - shift[band]!) * factor[band]!;
      }
    }
  }
  return out;
}

/** Labels of several tiles: [tile, height, width]. */
export function batchLabels(tiles: readonly Tile[], isMirrored = false): Int32Array {
  const { height, width } = tiles[0]!.target;
  const out = new Int32Array(tiles.length * height * width);
  for (const [index, { target }] of tiles.entries()) {
    for (let pixel = 0; pixel < height * width; pixel++) {
      out[index * height * width + pixel] = target.data[isMirrored ? mirrored(pixel, width) : pixel]!;
    }
  }
  return out;
}

const mirrored = (pixel: number, width: number): number => pixel + width - 1 - 2 * (pixel % width);

/** [tile, height, width, band]; in the caller's scope. */
export function imageTensor(
  tiles: readonly Tile[],
  normalization: Normalization,
  isMirrored = false,
): Tensor4D {
  const { height, width, bandCount } = tiles[0]!.image;
  return tf.tensor4d(batchPixels(tiles, normalization, isMirrored), [tiles.length, height, width, bandCount]);
}

/** [tile, height, width], int32; in the caller's scope. */
export function labelTensor(tiles: readonly Tile[], isMirrored = false): Tensor3D {
  const { height, width } = tiles[0]!.target;
  return tf.tensor3d(batchLabels(tiles, isMirrored), [tiles.length, height, width], 'int32');
}
