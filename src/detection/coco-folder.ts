import { defineDataset, type DatasetDefinition } from '../datasets/dataset.js';
import type { DatasetIo } from '../datasets/dataset-io.js';
import type { SampleObject, Target } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { BandManifest } from '../manifests/dataset-manifest.js';
import type { ObjectTask } from '../manifests/answer-task.js';
import type { OwnManifest } from '../manifests/own-manifest.js';
import { maskPixels } from '../metrics/coco/run-length-mask.js';
import { readCocoJson, type CocoDataset, type CocoImage } from './coco-json.js';

export interface CocoFolderOptions extends Omit<OwnManifest, 'task' | 'modalities' | 'classes' | 'pairs'> {
  /** Annotation files by split, below the dataset's folder, e.g. `{ train: 'annotations/train.json', … }`. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Folder of the images, or one a split. Default: the dataset's own. */
  readonly images?: string | Readonly<Record<string, string>>;
  /** Names of the categories, without a background. */
  readonly classes: readonly string[];
  /** Default `detection`: boxes. */
  readonly task?: ObjectTask;
  /** Of the images, in their order. Default red, green, blue. */
  readonly bands?: readonly (string | (Partial<BandManifest> & { readonly id: string }))[];
  /** Default: not said; that of the bands' names otherwise, e.g. `aerial`. */
  readonly sensor?: string;
}

/**
 * A folder of images (TIFF, PNG, JPEG) with COCO annotations as a dataset, which goes wherever a dataset's id goes. Class
 * `label` of an object is its category's place among `classes`, from 1. Where run lengths overlap, a pixel is the later
 * object's.
 * @throws InputError MANIFEST_INVALID; of its `read` what readCocoJson throws, CLASS_UNKNOWN for a category that is none
 *   of the classes, FILE_MISSING for an image that is not there, IMAGE_SIZE for one of another size than its annotations say
 */
export function cocoFolder(
  id: string,
  { annotations, images = '.', classes, task = 'detection', bands, sensor, ...manifest }: CocoFolderOptions,
): DatasetDefinition {
  const folderOf = (split: string): string => (typeof images === 'string' ? images : (images[split] ?? '.'));
  const files = new WeakMap<DatasetIo, Map<string, CocoDataset>>();
  const annotated = (split: string, io: DatasetIo): CocoDataset => {
    const known = files.get(io) ?? new Map<string, CocoDataset>();
    files.set(io, known);
    const file = io.path(annotations[split]!);
    const read = known.get(split) ?? withClasses(readCocoJson(file), classes, file);
    known.set(split, read);
    return read;
  };
  return defineDataset(id, {
    manifest: {
      splits: Object.keys(annotations),
      ...manifest,
      task,
      classes: ['background', ...classes],
      modalities: {
        optical: { bands: bands ?? ['red', 'green', 'blue'], ...(sensor !== undefined && { sensor }) },
      },
    },
    entries: (split, io) => annotated(split, io).images.map((image) => ({ id: image.file, split, image })),

    /** image [time = 1, height, width, band]; target the objects of its annotations. */
    async read({ split, image }, io) {
      const file = `${folderOf(split)}/${image.file}`;
      const optical = await io.raster(file);
      if (optical.height !== image.height || optical.width !== image.width) {
        throw new InputError(
          'IMAGE_SIZE',
          `The image has ${optical.width} × ${optical.height} pixels, its annotations say ${image.width} × ${image.height}.`,
          { where: io.path(file), hint: `They belong to another image: see ${annotations[split]!}.` },
        );
      }
      return { images: { optical }, target: targetOf(image, task) };
    },
  });
}

/** Labels by the places of the classes' names. @throws InputError CLASS_UNKNOWN */
function withClasses(read: CocoDataset, classes: readonly string[], file: string): CocoDataset {
  const labels = read.classes.map(({ id, name }) => {
    const at = classes.indexOf(name);
    if (at >= 0) return at + 1;
    throw new InputError('CLASS_UNKNOWN', `The category ${id} "${name}" is none of the classes.`, {
      where: file,
      hint: `Known: ${classes.join(', ')}. Add it to the classes of the dataset.`,
    });
  });
  return {
    classes: read.classes,
    images: read.images.map((image) => ({
      ...image,
      objects: image.objects.map((object) => ({ ...object, label: labels[object.label - 1]! })),
    })),
  };
}

function targetOf({ objects, height, width }: CocoImage, task: ObjectTask): Target {
  const found = objects.map(
    ({ id, label, box: [left, top, wide, high], isCrowd, area, polygons }): SampleObject => ({
      ...{ id, label, box: [left, top, left + wide, top + high] },
      ...(isCrowd === true && { isCrowd }),
      ...(area !== undefined && { area }),
      ...(task === 'instance_segmentation' && polygons && { polygons }),
    }),
  );
  if (task === 'detection') return { kind: 'boxes', objects: found };
  const masked = objects.filter(({ mask, polygons }) => mask && !polygons);
  if (masked.length === 0) return { kind: 'instances', objects: found };
  const data = new Int32Array(height * width).fill(NO_OBJECT);
  for (const { id, mask } of masked)
    for (const [pixel, isInside] of maskPixels(mask!).entries()) if (isInside) data[pixel] = id;
  return { kind: 'instances', objects: found, instances: { data, height, width } };
}

/** Ids of annotations may be 0. */
const NO_OBJECT = -1;
