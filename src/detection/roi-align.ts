import { mirrorPad } from '../engine/ops/pad.js';
import { gather } from '../engine/ops/gather.js';
import { avgPool2d } from '../engine/ops/pool.js';
import { cropAndResize } from '../engine/ops/roi.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { areaOfBox, boxCount, type Boxes } from './boxes.js';

export interface RoiAlignOptions {
  /** [height, width] of every crop. */
  readonly size: readonly [number, number];
  /** Pixels of the map in a pixel of the boxes. */
  readonly spatialScale: number;
  /** Samples a bin and side; `adaptive`: as many as the bin has pixels, rounded up. */
  readonly samples: number | 'adaptive';
  /** Whether pixel centres lie at halves (then boxes may be smaller than a pixel); default false, as in torchvision. */
  readonly isAligned?: boolean;
}

/**
 * Cuts boxes out of maps and averages bilinear samples a bin (He et al. 2017). Differentiable in the maps; boxes get no
 * gradient. Samples more than a pixel outside count as 0.
 * @param maps [batch, height, width, channels]
 * @param boxes [box, 4], in the boxes' own pixels
 * @param imageIndices image of each box
 * @returns [box, size[0], size[1], channels]
 */
export function roiAlign(
  maps: Tensor4D,
  boxes: Boxes,
  imageIndices: readonly number[],
  { size, spatialScale, samples, isAligned = false }: RoiAlignOptions,
): Tensor4D {
  const [, height, width, channels] = maps.shape;
  if (imageIndices.length === 0) return tf.zeros([0, ...size, channels]);
  // edges repeated, so that samples up to a pixel outside take the edge's value
  const edged = mirrorPad(
    maps,
    [
      [0, 0],
      [1, 1],
      [1, 1],
      [0, 0],
    ],
    'symmetric',
  );
  const regions = imageIndices.map((_, box) => regionOf(boxes, box, { spatialScale, isAligned }));
  const groups = groupBy(regions, size, samples);
  const crops = groups.map(({ counts, members }) => {
    const corners = members.flatMap((box) => {
      const { top, left, tall, wide } = regions[box]!;
      const [rows, columns] = [size[0] * counts[0], size[1] * counts[1]];
      // the first and the last sample, as shares of the padded map
      const [y0, y1] = [top + tall / rows / 2, top + tall - tall / rows / 2];
      const [x0, x1] = [left + wide / columns / 2, left + wide - wide / columns / 2];
      return [
        (y0 + 1) / (height + 1),
        (x0 + 1) / (width + 1),
        (y1 + 1) / (height + 1),
        (x1 + 1) / (width + 1),
      ];
    });
    const images = members.map((box) => imageIndices[box]!);
    const sampled = cropAndResize(
      edged,
      tf.tensor2d(corners, [members.length, 4]),
      tf.tensor1d(images, 'int32'),
      [size[0] * counts[0], size[1] * counts[1]],
    );
    return counts[0] * counts[1] === 1 ? sampled : avgPool2d(sampled, { kernel: counts, stride: counts });
  });
  return inOrder(
    crops,
    groups.map(({ members }) => members),
  );
}

interface Region {
  readonly top: number;
  readonly left: number;
  readonly tall: number;
  readonly wide: number;
}

/** In pixels of the map, whose centres are at whole numbers. */
function regionOf(
  boxes: Boxes,
  box: number,
  { spatialScale, isAligned }: { readonly spatialScale: number; readonly isAligned: boolean },
): Region {
  const { fround } = Math;
  const offset = isAligned ? 0.5 : 0;
  const [left, top, right, bottom] = [0, 1, 2, 3].map((side) =>
    fround(fround(boxes[box * 4 + side]! * fround(spatialScale)) - offset),
  ) as [number, number, number, number];
  const least = isAligned ? -Infinity : 1;
  return {
    ...{ top, left },
    tall: Math.max(least, fround(bottom - top)),
    wide: Math.max(least, fround(right - left)),
  };
}

/** Boxes that take equally many samples a bin. */
function groupBy(
  regions: readonly Region[],
  [rows, columns]: readonly [number, number],
  samples: number | 'adaptive',
): { readonly counts: readonly [number, number]; readonly members: number[] }[] {
  const groups = new Map<
    string,
    { readonly counts: readonly [number, number]; readonly members: number[] }
  >();
  for (const [box, { tall, wide }] of regions.entries()) {
    const counts =
      samples === 'adaptive'
        ? ([Math.max(1, Math.ceil(tall / rows)), Math.max(1, Math.ceil(wide / columns))] as const)
        : ([samples, samples] as const);
    const group = groups.get(counts.join()) ?? { counts, members: [] };
    groups.set(counts.join(), group);
    group.members.push(box);
  }
  return [...groups.values()];
}

/** Parts put together so that each row lies at its index. */
function inOrder(parts: readonly Tensor4D[], indices: readonly (readonly number[])[]): Tensor4D {
  if (parts.length === 1) return parts[0]!;
  const places = new Int32Array(indices.reduce((sum, { length }) => sum + length, 0));
  for (const [at, index] of indices.flat().entries()) places[index] = at;
  return gather(tf.concat([...parts], 0), tf.tensor1d(places, 'int32')) as Tensor4D;
}

export interface PyramidRoiOptions {
  readonly size: readonly [number, number];
  readonly samples: number | 'adaptive';
  /** [height, width]: the largest image of the batch, without padding; scales are powers of two fitted to its height. */
  readonly imageSize: readonly [number, number];
  /** Root of the area whose boxes go to `canonicalLevel`; default 224. */
  readonly canonicalSize?: number;
  /** Default 4. */
  readonly canonicalLevel?: number;
}

/**
 * Which level each box is cut from (Lin et al. 2017, equation 1), 0 the finest.
 * @param levelHeights of the maps, finest first
 */
export function pyramidLevels(
  boxes: Boxes,
  levelHeights: readonly number[],
  {
    imageSize,
    canonicalSize = 224,
    canonicalLevel = 4,
  }: Pick<PyramidRoiOptions, 'imageSize' | 'canonicalSize' | 'canonicalLevel'>,
): number[] {
  const { fround } = Math;
  const [finest, coarsest] = [levelHeights[0]!, levelHeights.at(-1)!].map(
    (height) => -Math.log2(scaleOf(height, imageSize[0])),
  ) as [number, number];
  return Array.from({ length: boxCount(boxes) }, (_, box) => {
    const side = fround(Math.sqrt(areaOfBox(boxes, box)));
    const octave = fround(Math.log2(fround(side / canonicalSize)));
    const level = Math.floor(fround(fround(canonicalLevel + octave) + fround(1e-6)));
    return Math.min(Math.max(level, finest), coarsest) - finest;
  });
}

const scaleOf = (levelHeight: number, imageHeight: number): number =>
  2 ** Math.round(Math.log2(levelHeight / imageHeight));

/**
 * `roiAlign` of each box from the level that fits its size. Reference: torchvision, MultiScaleRoIAlign.
 * @param levels [batch, height, width, channels] each, finest first
 * @returns [box, size[0], size[1], channels], in the order of the boxes
 */
export function pyramidRoiAlign(
  levels: readonly Tensor4D[],
  boxes: Boxes,
  imageIndices: readonly number[],
  options: PyramidRoiOptions,
): Tensor4D {
  const { size, samples, imageSize } = options;
  if (imageIndices.length === 0) return tf.zeros([0, ...size, levels[0]!.shape[3]]);
  const heights = levels.map(({ shape }) => shape[1]);
  const levelOf = pyramidLevels(boxes, heights, options);
  const members = levels.map((_, level) =>
    imageIndices.flatMap((__, box) => (levelOf[box] === level ? [box] : [])),
  );
  const used = [...levels.keys()].filter((level) => members[level]!.length > 0);
  const crops = used.map((level) => {
    const own = members[level]!;
    const corners = Float32Array.from(own.flatMap((box) => [...boxes.subarray(box * 4, box * 4 + 4)]));
    const images = own.map((box) => imageIndices[box]!);
    const spatialScale = scaleOf(heights[level]!, imageSize[0]);
    return roiAlign(levels[level]!, corners, images, { size, samples, spatialScale });
  });
  return inOrder(
    crops,
    used.map((level) => members[level]!),
  );
}
