import type { PixelArray } from '../io/raster.js';
import { axisTaps, nearestIndices } from '../resampling.js';
import { movePixels, type GridMove } from './grid-move.js';
import type { Size } from './step.js';

export const RESAMPLINGS = ['nearest', 'nearest-exact', 'bilinear', 'bicubic', 'area'] as const;
export type ResamplingKind = (typeof RESAMPLINGS)[number];

/** Words and values of PyTorch's `interpolate`. */
export interface Resampling {
  readonly kind: ResamplingKind;
  /** Default false. */
  readonly alignCorners?: boolean;
  /** Whether a smaller image takes all pixels below each of its own (bilinear and bicubic). Default false. */
  readonly antialias?: boolean;
  /** Source pixels from one new pixel to the next, where that is not the ratio of the sizes. */
  readonly step?: { readonly down: number; readonly across: number };
}

/** How an axis of one length becomes another: for each new element the source elements and their weights. */
interface AxisPlan {
  readonly offsets: Int32Array;
  readonly indices: Int32Array;
  readonly weights: Float64Array;
}

function axisPlan(from: number, to: number, how: Resampling, step: number | undefined): AxisPlan {
  const { kind, alignCorners = false, antialias = false } = how;
  const axis = {
    kind: kind as 'bilinear' | 'bicubic' | 'area',
    alignCorners,
    antialias,
    ...(step !== undefined && { step }),
  };
  const taps = Array.from({ length: to }, (_, out) => axisTaps(from, to, axis, out));
  const offsets = new Int32Array(to + 1);
  for (const [out, { length }] of taps.entries()) offsets[out + 1] = offsets[out]! + length;
  const flat = taps.flat();
  return {
    offsets,
    indices: Int32Array.from(flat, ([index]) => index),
    weights: Float64Array.from(flat, ([, weight]) => weight),
  };
}

/** `data` [outer, size, inner] along its middle axis. */
function alongAxis(
  data: ArrayLike<number>,
  outer: number,
  size: number,
  inner: number,
  plan: AxisPlan,
): Float64Array {
  const { offsets, indices, weights } = plan;
  const length = offsets.length - 1;
  const out = new Float64Array(outer * length * inner);
  for (let block = 0; block < outer; block++) {
    for (let to = 0; to < length; to++) {
      const target = (block * length + to) * inner;
      for (let tap = offsets[to]!; tap < offsets[to + 1]!; tap++) {
        const weight = weights[tap]!;
        if (weight === 0) continue; // 0 · NaN is NaN: an element that counts nothing is not looked at
        const source = (block * size + indices[tap]!) * inner;
        for (let at = 0; at < inner; at++) out[target + at]! += weight * data[source + at]!;
      }
    }
  }
  return out;
}

interface Grid extends Size {
  readonly times: number;
  readonly channels: number;
}

function interpolate(data: ArrayLike<number>, grid: Grid, to: Size, how: Resampling): Float64Array {
  const { times, height, width, channels } = grid;
  const across = axisPlan(width, to.width, how, how.step?.across);
  const down = axisPlan(height, to.height, how, how.step?.down);
  const wide = alongAxis(data, times * height, width, channels, across);
  return alongAxis(wide, times, height, to.width * channels, down);
}

/** Nearest pixels as a move of the grid. */
export function nearestMove(from: Size, to: Size, how: Resampling): GridMove {
  const isExact = how.kind === 'nearest-exact';
  return {
    ...to,
    rows: nearestIndices(from.height, to.height, isExact, how.step?.down),
    columns: nearestIndices(from.width, to.width, isExact, how.step?.across),
    isTransposed: false,
    toSource: [from.width / to.width, 0, 0, 0, from.height / to.height, 0],
  };
}

export interface Resampled<T> {
  readonly data: T;
  readonly valid: Uint8Array | null;
}

/** Below this, what is missing from the weights of the valid pixels is a rounding. */
const ROUNDING = 1e-9;

/**
 * `data` [time, height, width, channel] on another grid. Pixels that are not valid are left out of every mean; a new
 * pixel is valid if any that it is made of was, and bicubic becomes bilinear where it would need one that is not. A new
 * pixel without any keeps the number of the nearest. Nearest kinds keep the type, others give float32.
 */
export function resample(
  data: PixelArray,
  valid: Uint8Array | null,
  grid: Grid,
  to: Size,
  how: Resampling,
): Resampled<PixelArray> {
  const isSame = grid.height === to.height && grid.width === to.width;
  // a step of its own moves the pixels of a grid of the same size as well
  if (isSame && !how.step) return { data, valid };
  if (how.kind.startsWith('nearest')) {
    const move = nearestMove(grid, to, how);
    const moved = movePixels(data, grid, grid.channels, move);
    return { data: moved, valid: valid && movePixels(valid, grid, grid.channels, move) };
  }
  if (!valid) return { data: new Float32Array(interpolate(data, grid, to, how)), valid };
  return resampleMasked(data, valid, grid, to, how);
}

function resampleMasked(
  data: PixelArray,
  valid: Uint8Array,
  grid: Grid,
  to: Size,
  how: Resampling,
): Resampled<Float32Array> {
  const known = new Float64Array(data.length); // zeros where nothing counts
  for (let at = 0; at < known.length; at++) if (valid[at] !== 0) known[at] = data[at]!;
  const safe: Resampling = how.kind === 'bicubic' ? { ...how, kind: 'bilinear' } : how;
  const weights = interpolate(valid, grid, to, safe);
  const sums = interpolate(known, grid, to, safe);
  const cubic = safe === how ? null : interpolate(known, grid, to, how);
  // absolute weights of invalid pixels under the cubic kernel: any at all and the pixel falls back
  const gaps = cubic && touched(valid, grid, to, how);
  const nearest = movePixels(data, grid, grid.channels, nearestMove(grid, to, { kind: 'nearest-exact' }));
  const out = new Float32Array(sums.length);
  const mask = new Uint8Array(sums.length);
  for (let at = 0; at < out.length; at++) {
    const weight = weights[at]!;
    if (weight <= ROUNDING) {
      out[at] = nearest[at]!;
      continue;
    }
    mask[at] = 1;
    out[at] = cubic && gaps![at] === 0 ? cubic[at]! : sums[at]! / weight;
  }
  return { data: out, valid: mask };
}

/** How much invalid pixels would weigh, their signs left aside. */
function touched(valid: Uint8Array, grid: Grid, to: Size, how: Resampling): Float64Array {
  const { times, height, width, channels } = grid;
  const gaps = new Uint8Array(valid.length);
  for (let at = 0; at < gaps.length; at++) gaps[at] = valid[at] === 0 ? 1 : 0;
  const plan = (from: number, length: number, step: number | undefined): AxisPlan => {
    const { weights, ...rest } = axisPlan(from, length, how, step);
    return { ...rest, weights: weights.map(Math.abs) };
  };
  const wide = alongAxis(gaps, times * height, width, channels, plan(width, to.width, how.step?.across));
  return alongAxis(wide, times, height, to.width * channels, plan(height, to.height, how.step?.down));
}
