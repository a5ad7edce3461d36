import type { Dataset } from '../datasets/dataset.js';
import { ignoredLabels } from '../datasets/reference.js';
import type { Sample, SampleObject } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { LabelArray } from '../io/raster.js';
import type { ObjectTask } from '../manifests/answer-task.js';
import type { TrueObject } from '../metrics/coco/coco-metric.js';
import { polygonMask } from '../metrics/coco/polygon-mask.js';
import { maskArea, maskPixels, runLengthMask, type RunLengthMask } from '../metrics/coco/run-length-mask.js';
import { frameOf } from '../preprocessing/move-sample.js';
import { wrongKind, type ObjectAnswer } from './answer.js';

/** Of an object that a crop has cut to less of its box, nobody can tell how large it is. */
const LEAST_VISIBLE = 0.5;

/**
 * Objects of a sample, in the pixels of its image. Void classes are left out, and parcels of a raster that are background.
 * Boxes are cut at the image's edge; crowds and what a crop has cut to less than half are not trained on, and what is
 * found there is neither right nor wrong.
 * @throws InputError TARGET_KIND, CLASS_OUT_OF_RANGE, BOX_INVALID, DUPLICATE_ID, MASK_MISSING, MASK_SIZE; each names the
 *   sample and the object
 */
export function objectAnswer(sample: Sample, task: ObjectTask, dataset: Dataset): ObjectAnswer {
  const { target } = sample;
  if (target.kind !== 'boxes' && target.kind !== 'instances')
    throw wrongKind(sample, task === 'detection' ? 'boxes' : 'instances');
  const { height, width } = frameOf(sample);
  const instances = target.kind === 'instances' ? target.instances : undefined;
  if (instances && (instances.height !== height || instances.width !== width)) {
    throw new InputError(
      'MASK_SIZE',
      `The instances have ${instances.width} × ${instances.height} pixels, their image ${width} × ${height}.`,
      {
        where: placeOf(sample, dataset),
        hint: 'They belong to different images, or height and width are swapped.',
      },
    );
  }
  const ignored = ignoredLabels(dataset);
  const isCounted = ({ label }: SampleObject): boolean =>
    !ignored.includes(label) && !(instances && label === 0);
  refuseTwins(target.objects, placeOf(sample, dataset));
  return {
    shape: [height, width],
    objects: target.objects.filter(isCounted).map((object): TrueObject => {
      const where = `${placeOf(sample, dataset)}, object ${object.id}`;
      checkClass(object, dataset.manifest.classes.length, where);
      const box = boxWithin(object.box, { height, width }, where);
      const isCrowd = object.isCrowd === true || (object.visible ?? 1) < LEAST_VISIBLE;
      const mask = task === 'instance_segmentation' && maskOf(object, { height, width, instances }, where);
      const area = mask ? maskArea(mask) : object.area;
      return {
        ...{ label: object.label, box, isCrowd },
        ...(area !== undefined && { area }),
        ...(mask && { mask }),
      };
    }),
  };
}

const placeOf = ({ id }: Sample, dataset: Pick<Dataset, 'id'>): string =>
  `dataset ${dataset.id}, sample ${id}`;

function refuseTwins(objects: readonly SampleObject[], where: string): void {
  const seen = new Set<number>();
  for (const { id } of objects) {
    if (seen.has(id))
      throw new InputError('DUPLICATE_ID', `The id ${id} is given to two objects.`, {
        where,
        hint: 'Every object of an image has an id of its own.',
      });
    seen.add(id);
  }
}

function checkClass({ label }: SampleObject, classCount: number, where: string): void {
  if (Number.isInteger(label) && label >= 1 && label < classCount) return;
  throw new InputError('CLASS_OUT_OF_RANGE', `The class ${label} of an object is none.`, {
    where,
    hint: `Objects are of the classes 1 … ${classCount - 1}: class 0 of the manifest is the background.`,
  });
}

/** As left, top, width, height. @throws InputError BOX_INVALID */
function boxWithin(
  box: SampleObject['box'],
  { height, width }: { readonly height: number; readonly width: number },
  where: string,
): TrueObject['box'] {
  const [left, top] = [Math.max(0, box[0]), Math.max(0, box[1])];
  const [right, bottom] = [Math.min(width, box[2]), Math.min(height, box[3])];
  if (right > left && bottom > top) return [left, top, right - left, bottom - top];
  throw new InputError('BOX_INVALID', `The box is [${box.join(', ')}] (left, top, right, bottom).`, {
    where,
    hint: `It has no area, or lies outside the image of ${width} × ${height} pixels. Correct or remove it.`,
  });
}

interface Grid {
  readonly height: number;
  readonly width: number;
  /** Object a pixel. */
  readonly instances: LabelArray | undefined;
}

/** The outlines filled, else the pixels of the raster that have the object's number. @throws InputError MASK_MISSING */
function maskOf(
  { id, polygons }: SampleObject,
  { height, width, instances }: Grid,
  where: string,
): RunLengthMask {
  if (polygons && polygons.length > 0) return polygonMask(polygons, height, width);
  if (instances)
    return runLengthMask(
      Uint8Array.from(instances.data, (own) => (own === id ? 1 : 0)),
      height,
      width,
    );
  throw new InputError('MASK_MISSING', 'An object has no outline and lies in no raster of instances.', {
    where,
    hint: 'Give its `polygons`, or the target a raster of `instances`; or make the task a detection.',
  });
}

/** Masks of objects that have them as [object, height, width], 0 or 1. */
export function maskArray(
  objects: readonly TrueObject[],
  [height, width]: ObjectAnswer['shape'],
): Float32Array {
  const pixels = new Float32Array(objects.length * height * width);
  for (const [at, { mask }] of objects.entries()) if (mask) pixels.set(maskPixels(mask), at * height * width);
  return pixels;
}
