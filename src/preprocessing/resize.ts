import type { Sample, SampleImage, Target } from '../datasets/sample.js';
import { compose, invert } from './affine.js';
import { moveLabels, mapMask, frameOf } from './move-sample.js';
import { moveObjects } from './move-objects.js';
import { nearestMove, resample, RESAMPLINGS, type Resampling, type ResamplingKind } from './resample.js';
import { badOption, mapImages, sizeJson, sizeOption, type PreprocessingStep, type Size } from './step.js';
import type { Affine } from '../datasets/sample.js';

export interface ResizeOptions {
  /** One number is a square. */
  readonly size: number | Size;
  /** Of images. Default `bilinear`. */
  readonly kind?: ResamplingKind;
  /** Of images with `bilinear` and `bicubic`. Default true. */
  readonly antialias?: boolean;
  /** Default false. */
  readonly alignCorners?: boolean;
  /** Which modalities. Default all. */
  readonly modalities?: readonly string[];
  /**
   * Whether the target is resized too: label maps to the nearest, values bilinear with antialias. Without it, predictions
   * are to be resized to the target. Default: whether the first modality is resized.
   */
  readonly isTargetResized?: boolean;
  /** Default `nearest`, as PyTorch's, which rounds down; `nearest-exact` takes the pixel under the centre. */
  readonly labels?: 'nearest' | 'nearest-exact';
}

/** Resizes images and target. @throws UsageError STEP_OPTION, MODALITY_UNKNOWN */
export function resizeTo(options: ResizeOptions): PreprocessingStep {
  const size = sizeOption('resize', options.size);
  const { kind = 'bilinear', antialias = true, alignCorners = false, isTargetResized } = options;
  const { labels = 'nearest', modalities } = options;
  if (!RESAMPLINGS.includes(kind)) throw badOption('resize', 'kind', kind, RESAMPLINGS.join(', '));
  const how = resampling(kind, antialias, alignCorners);
  return {
    name: 'resize',
    options: {
      size: sizeJson(size),
      kind,
      antialias: how.antialias ?? false,
      alignCorners: how.alignCorners ?? false,
      modalities: modalities ?? null,
      isTargetResized: isTargetResized ?? null,
      labels,
    },
    isRandom: false,
    apply(sample) {
      const resized = mapImages(sample, modalities, (image) => resizeImage(image, size, how));
      const isMoved = isTargetResized ?? frameOf(sample) !== frameOf(resized);
      return isMoved
        ? { ...resized, target: resizeTarget(sample.target, frameOf(sample), size, labels) }
        : resized;
    },
  };
}

function resampling(kind: ResamplingKind, antialias: boolean, alignCorners: boolean): Resampling {
  if (kind !== 'bilinear' && kind !== 'bicubic') return { kind };
  if (antialias && alignCorners)
    throw badOption('resize', 'alignCorners', true, 'true only without antialias, as in PyTorch');
  return { kind, antialias, alignCorners };
}

/** An image on another grid, with mask and place. */
export function resizeImage(image: SampleImage, size: Size, how: Resampling): SampleImage {
  const { timeCount: times, height, width, bands, transform } = image;
  const resampled = resample(
    image.data,
    image.valid,
    { times, height, width, channels: bands.length },
    size,
    how,
  );
  return {
    ...image,
    ...resampled,
    ...size,
    transform: transform && compose(transform, scaling(image, size)),
  };
}

/** Place in the source of a place in the new grid. */
const scaling = (from: Size, to: Size): Affine => [
  from.width / to.width,
  0,
  0,
  0,
  from.height / to.height,
  0,
];

/** @param frame grid of the objects' coordinates */
export function resizeTarget(
  target: Target,
  frame: Size,
  size: Size,
  kind: 'nearest' | 'nearest-exact',
): Sample['target'] {
  const map = (labels: Parameters<typeof moveLabels>[0]): ReturnType<typeof moveLabels> =>
    moveLabels(labels, nearestMove(labels, size, { kind }), () => 0);
  switch (target.kind) {
    case 'class':
    case 'classes':
      return target;
    case 'mask':
      return mapMask(target, map);
    case 'values': {
      const grid = { times: 1, height: target.height, width: target.width, channels: 1 };
      const how = { kind: 'bilinear', antialias: true } as const;
      const { data, valid } = resample(target.values, target.valid, grid, size, how);
      return { ...target, ...size, values: data as Float32Array, valid };
    }
    default: {
      const toGrid = invert(scaling(frame, size));
      if (target.kind === 'boxes') return { ...target, objects: moveObjects(target.objects, toGrid, size) };
      const instances = target.instances && map(target.instances);
      return {
        ...target,
        objects: moveObjects(target.objects, toGrid, size, instances),
        ...(target.labels && { labels: map(target.labels) }),
        ...(instances && { instances }),
      };
    }
  }
}
