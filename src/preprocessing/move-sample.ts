import type { Sample, SampleImage, Target } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { LabelArray } from '../io/raster.js';
import { invert } from './affine.js';
import { moveImage, movePixels, type GridMove, type MoveOf } from './grid-move.js';
import { moveObjects } from './move-objects.js';
import type { Size, StepContext } from './step.js';

export interface Outside {
  /** Value of image pixels that lay outside. Default 0; they are masked. */
  readonly image?: number;
  /** Label of target pixels that lay outside. Default: the dataset's ignore index. */
  readonly label?: number;
  /** As a reference does that counts such pixels as measured and labelled. Default false. */
  readonly isValid?: boolean;
}

/** Size of the first image: windows and sizes of steps are stated in its pixels. @throws InputError NO_IMAGE */
export function frameOf(sample: Sample): SampleImage {
  const first = Object.values(sample.images)[0];
  if (first) return first;
  throw new InputError('NO_IMAGE', `Sample "${sample.id}" has no image.`, {
    hint: 'A step before this one may have dropped every modality.',
  });
}

/**
 * A sample on a new grid: images, masks, places, label maps, boxes and outlines move together.
 * @throws InputError IGNORE_INDEX_MISSING if labels are needed outside and the dataset has no ignore index
 */
export function moveSample(
  sample: Sample,
  moveOf: MoveOf,
  context: StepContext,
  outside: Outside = {},
): Sample {
  const images = Object.entries(sample.images).map(([name, image]) => [
    name,
    moveImage(image, moveOf, outside.image, outside.isValid),
  ]);
  const target = moveTarget(sample.target, moveOf, frameOf(sample), context, outside);
  return { ...sample, images: Object.fromEntries(images) as Sample['images'], target };
}

function moveTarget(
  target: Target,
  moveOf: MoveOf,
  frame: Size,
  context: StepContext,
  outside: Outside,
): Target {
  const label = (): number => outside.label ?? ignoreIndex(context);
  const map = (labels: LabelArray, isInstances = false): LabelArray =>
    moveLabels(labels, moveOf(labels), isInstances ? () => 0 : label);
  switch (target.kind) {
    case 'class':
    case 'classes':
      return target;
    case 'mask':
      return mapMask(target, map);
    case 'values': {
      const move = moveOf(target);
      const isWhole = outside.isValid === true || !hasOutside(move);
      const valid = target.valid ?? (isWhole ? null : new Uint8Array(target.values.length).fill(1));
      return {
        ...target,
        height: move.height,
        width: move.width,
        values: movePixels(target.values, target, 1, move),
        valid: valid && movePixels(valid, target, 1, move, outside.isValid ? 1 : 0),
      };
    }
    case 'boxes': {
      const move = moveOf(frame);
      return { ...target, objects: moveObjects(target.objects, invert(move.toSource), move) };
    }
    default: {
      const move = moveOf(frame);
      const instances = target.instances && map(target.instances, true);
      return {
        ...target,
        objects: moveObjects(target.objects, invert(move.toSource), move, instances),
        ...(target.labels && { labels: map(target.labels) }),
        ...(instances && { instances }),
      };
    }
  }
}

/** Every label map of a target changed alike; stored and mapped labels that are one array stay one. */
export function mapMask(
  target: Extract<Target, { kind: 'mask' }>,
  map: (labels: LabelArray, isInstances?: boolean) => LabelArray,
): Target {
  const labels = map(target.labels);
  const parts =
    target.parts &&
    Object.fromEntries(
      Object.entries(target.parts).map(([name, part]) => [name, map(part, name === 'instances')]),
    );
  return {
    ...target,
    labels,
    stored: target.stored === target.labels ? labels : map(target.stored),
    ...(parts && { parts }),
  };
}

const hasOutside = ({ rows, columns }: GridMove): boolean => rows.includes(-1) || columns.includes(-1);

/** The label is asked for only where it is needed; one that does not fit widens the array. */
export function moveLabels(labels: LabelArray, move: GridMove, outside: () => number): LabelArray {
  const { height, width } = move;
  if (!hasOutside(move)) return { data: movePixels(labels.data, labels, 1, move), height, width };
  const label = outside();
  const fits = new (labels.data.constructor as Uint8ArrayConstructor)([label])[0] === label;
  const data = fits ? labels.data : Int32Array.from(labels.data);
  return { data: movePixels(data, labels, 1, move, label), height, width };
}

function ignoreIndex({ manifest, dataset }: StepContext): number {
  const index = manifest?.labels.ignoreIndex ?? null;
  if (index !== null) return index;
  throw new InputError(
    'IGNORE_INDEX_MISSING',
    'Pixels outside the image need a label, and there is none for them.',
    {
      where: `dataset ${dataset}`,
      hint: 'Name the label that losses and metrics leave out: padTo({ …, label: 255 }).',
    },
  );
}
