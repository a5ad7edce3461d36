import { UsageError } from '../errors.js';
import type { Window } from '../io/window.js';
import { movePixels, type PadMode } from '../preprocessing/grid-move.js';
import {
  padImages,
  predictCrops,
  type Crop,
  type ImageBatch,
  type PredictBatch,
  type PredictionBatch,
} from './prediction-grid.js';

export interface TiledInferenceOptions {
  /** Height and width of a tile, pixels. Default 224. */
  readonly crop?: number | { readonly height: number; readonly width: number };
  /** From one tile to the next. Default 192. */
  readonly stride?: number | { readonly height: number; readonly width: number };
  /** Pixels that are cut from the inner edges of every tile; less where tiles overlap less. Default 8. */
  readonly delta?: number;
  /** How the image grows by `delta` on every side; false: it does not. Default `reflect`. */
  readonly padding?: PadMode | false;
  /** Whether overlapping tiles are averaged; else the later one stands. Default true. */
  readonly isAveraged?: boolean;
  /** Whether tiles count less towards their edges. Default true. */
  readonly isBlended?: boolean;
  /** Most tiles that are predicted at once. Default 16. */
  readonly batchSize?: number;
}

interface Sides {
  readonly height: number;
  readonly width: number;
}

const sides = (given: number | Sides): Sides =>
  typeof given === 'number' ? { height: given, width: given } : given;

/**
 * Predicts large images tile by tile, as terratorch's tiled inference: overlapping tiles, their edges cut and blended.
 * An image that fits into one tile is predicted whole.
 * @returns predictions [image, height, width, channel]
 * @throws UsageError STEP_OPTION; InputError PREDICTION_SIZE, PAD_TOO_WIDE
 */
export async function tiledInference(
  images: ImageBatch,
  predict: PredictBatch,
  options: TiledInferenceOptions = {},
): Promise<PredictionBatch> {
  const { padding = 'reflect', isAveraged = true, isBlended = true, batchSize = 16 } = options;
  const crop = sides(options.crop ?? 224);
  const stride = sides(options.stride ?? 192);
  checkSides(crop, stride, options.delta ?? 8, batchSize);
  if (images.height <= crop.height && images.width <= crop.width) return predict(images);
  const overlap = Math.min(crop.height - stride.height, crop.width - stride.width);
  const delta = Math.min(options.delta ?? 8, Math.floor(overlap / 2));
  const edge = padding === false ? 0 : delta;
  const edges = { top: edge, bottom: edge, left: edge, right: edge };
  const padded = padImages(images, edges, padding || 'constant');
  const tile = { height: Math.min(crop.height, padded.height), width: Math.min(crop.width, padded.width) };
  const tiles = tilesOf(padded, tile, stride, padding !== false);
  const inner = isBlended ? blendMask(crop, stride, delta) : null;
  const whole = isBlended ? (padding === false ? blendMask(crop, stride, 0) : inner) : null;
  const crops = tiles.flatMap(({ window, isCut }) =>
    Array.from({ length: images.count }, (_, image): Crop & { isCut: boolean } => ({ image, window, isCut })),
  );
  const merge = new BlendedMerge(padded, isAveraged);
  for await (const { crop: of, values, channelCount } of predictCrops(padded, crops, predict, batchSize)) {
    const { isCut } = of as Crop & { isCut: boolean };
    merge.add(of, values, channelCount, isCut ? delta : 0, isCut ? inner : whole, crop);
  }
  return merge.result(edge);
}

function checkSides(crop: Sides, stride: Sides, delta: number, batchSize: number): void {
  const isWhole = [crop.height, crop.width, stride.height, stride.width, batchSize].every(
    (value) => Number.isInteger(value) && value >= 1,
  );
  if (
    isWhole &&
    Number.isInteger(delta) &&
    delta >= 0 &&
    stride.height <= crop.height &&
    stride.width <= crop.width
  )
    return;
  throw new UsageError('STEP_OPTION', 'Sizes of tiles are not whole numbers, or tiles leave gaps.', {
    where: `crop ${crop.height} × ${crop.width}, stride ${stride.height} × ${stride.width}, delta ${delta}, batchSize ${batchSize}`,
    hint: 'A stride is at most the crop; delta is 0 or more.',
  });
}

interface Tile {
  readonly window: Window;
  /** Whether `delta` is cut from its edges. */
  readonly isCut: boolean;
}

/** Right column, bottom row, corner, then the grid row by row: later ones stand where tiles are not averaged. */
function tilesOf(images: Sides, tile: Sides, stride: Sides, isPadded: boolean): Tile[] {
  const [last, end] = [images.height - tile.height, images.width - tile.width];
  const rows = range(last - 1, stride.height);
  const columns = range(end - 1, stride.width);
  const at = (row: number, column: number, isCut: boolean): Tile => ({
    window: { row, column, ...tile },
    isCut,
  });
  return [
    ...rows.map((row) => at(row, end, isPadded)),
    ...columns.map((column) => at(last, column, isPadded)),
    at(last, end, isPadded),
    ...rows.flatMap((row) => columns.map((column) => at(row, column, isPadded || (row > 0 && column > 0)))),
  ];
}

function range(end: number, step: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil(end / step)) }, (_, at) => at * step);
}

/** A row-major map [height, width]. */
interface Weights extends Sides {
  readonly data: Float32Array;
}

/**
 * How much each pixel of a tile counts, after `delta` was cut from its edges: half a cosine over the overlap, and a
 * millionth more so that every pixel counts.
 * @returns [crop.height − 2 · delta, crop.width − 2 · delta]
 */
export function blendMask(crop: Sides, stride: Sides, delta: number): Weights {
  const down = blendWindow(crop.height, stride.height, delta);
  const across = blendWindow(crop.width, stride.width, delta);
  const data = new Float32Array(down.length * across.length);
  for (const [row, high] of down.entries()) {
    for (const [column, wide] of across.entries()) data[row * across.length + column] = high * wide + 1e-6;
  }
  return { data, height: down.length, width: across.length };
}

function blendWindow(crop: number, stride: number, delta: number): Float64Array {
  const length = crop - 2 * delta;
  const overlap = Math.min(Math.floor(crop / 2), crop - stride) - delta;
  const weights = new Float64Array(length).fill(1);
  const ramp = Array.from(
    { length: overlap },
    (_, at) => Math.cos((Math.PI * (at + 1)) / (overlap + 1)) / 2 + 0.5,
  );
  // the rising edge first: where both meet, the falling one stands
  for (const [at, weight] of ramp.entries()) weights[overlap - 1 - at] = weight;
  for (const [at, weight] of ramp.entries()) weights[length - overlap + at] = weight;
  return weights;
}

class BlendedMerge {
  readonly #images: ImageBatch;
  readonly #isAveraged: boolean;
  #values = new Float64Array(0);
  #channels = 0;
  readonly #weights: Float64Array;

  constructor(images: ImageBatch, isAveraged: boolean) {
    this.#images = images;
    this.#isAveraged = isAveraged;
    this.#weights = new Float64Array(images.count * images.height * images.width);
  }

  /** @param mask of a whole tile after its cut; null: every pixel counts alike */
  add(
    { image, window }: Crop,
    values: Float32Array,
    channels: number,
    cut: number,
    mask: Weights | null,
    crop: Sides,
  ): void {
    if (this.#channels === 0) {
      this.#channels = channels;
      this.#values = new Float64Array(this.#weights.length * channels);
    }
    // a tile may be smaller than the crop where the image is
    const isWhole = window.height === crop.height && window.width === crop.width;
    for (let row = cut; row < window.height - cut; row++) {
      for (let column = cut; column < window.width - cut; column++) {
        const y = window.row + row;
        const pixel = (image * this.#images.height + y) * this.#images.width + window.column + column;
        const from = (row * window.width + column) * channels;
        const weight = mask && isWhole ? mask.data[(row - cut) * mask.width + column - cut]! : 1;
        this.#weights[pixel]! += weight;
        for (let channel = 0; channel < channels; channel++) {
          const to = pixel * channels + channel;
          const value = values[from + channel]!;
          this.#values[to] = this.#isAveraged ? this.#values[to]! + value * weight : value;
        }
      }
    }
  }

  result(edge: number): PredictionBatch {
    const { count, height, width } = this.#images;
    const channels = this.#channels;
    const data = new Float32Array(this.#values);
    if (this.#isAveraged) {
      for (let at = 0; at < data.length; at++)
        data[at] = this.#values[at]! / this.#weights[Math.floor(at / channels)]!;
    }
    const whole = { data, count, height, width, channelCount: channels };
    if (edge === 0) return whole;
    const [inner, outer] = [
      { height: height - 2 * edge, width: width - 2 * edge },
      { height, width },
    ];
    const counted = (length: number): Int32Array => Int32Array.from({ length }, (_, at) => at + edge);
    const move = {
      ...inner,
      rows: counted(inner.height),
      columns: counted(inner.width),
      isTransposed: false,
      toSource: [1, 0, edge, 0, 1, edge] as const,
    };
    return { ...whole, ...inner, data: movePixels(data, outer, channels, move) };
  }
}
