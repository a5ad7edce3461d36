import { defineDataset, type DatasetDefinition } from '../datasets/dataset.js';
import type { DatasetIo } from '../datasets/dataset-io.js';
import type { SampleObject, Target } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { BandManifest } from '../manifests/dataset-manifest.js';
import type { ObjectTask } from '../manifests/answer-task.js';
import type { OwnManifest } from '../manifests/own-manifest.js';
import { maskPixels } from '../metrics/coco/run-length-mask.js';
import { readCocoJson, type CocoDataset, type CocoImage, type CocoObject } from './coco-json.js';

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
 * `label` of an object is its category's place among `classes`, from 1; its `id` the annotation's, or, where a raster of run
 * lengths cannot hold that, its place in the image, from 1. Where run lengths overlap, a pixel is the later object's, and a
 * crowd's only where it is nobody else's. Images lie in pixels alone: their coordinate systems may differ.
 * @throws InputError MANIFEST_INVALID; of its `entries` what readCocoJson throws, CLASS_UNKNOWN for one whose category is
 *   none of the classes, DUPLICATE_ID for a file that is listed twice; of its `read` FILE_MISSING for an image that is not there,
 *   IMAGE_SIZE for one of another size than its annotations say, MASK_MISSING for an instance without a mask
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
    const read = known.get(split) ?? withClasses(withOwnFiles(readCocoJson(file), file), classes, file);
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
      return { images: { optical }, target: targetOf(image, task, io.path(annotations[split]!)) };
    },
  });
}

/** Samples have the names of their files. @throws InputError DUPLICATE_ID */
function withOwnFiles(read: CocoDataset, file: string): CocoDataset {
  const seen = new Map<string, number>();
  for (const { id, file: name } of read.images) {
    const other = seen.get(name);
    if (other !== undefined) {
      throw new InputError('DUPLICATE_ID', `The images ${other} and ${id} have one file, ${name}.`, {
        where: file,
        hint: 'Put the annotations of a file under one image.',
      });
    }
    seen.set(name, id);
  }
  return read;
}

/** Labels by the places of the classes' names; categories that no annotation has may be others. @throws InputError CLASS_UNKNOWN */
function withClasses(read: CocoDataset, classes: readonly string[], file: string): CocoDataset {
  const labelOf = ({ id, label }: CocoObject): number => {
    const category = read.classes[label - 1]!;
    const at = classes.indexOf(category.name);
    if (at >= 0) return at + 1;
    throw new InputError(
      'CLASS_UNKNOWN',
      `Its category ${category.id} "${category.name}" is none of the classes.`,
      {
        where: `${file} » annotation ${id}`,
        hint: `Known: ${classes.join(', ')}. Add it to the classes of the dataset.`,
      },
    );
  };
  return {
    classes: read.classes,
    images: read.images.map((image) => ({
      ...image,
      objects: image.objects.map((object) => ({ ...object, label: labelOf(object) })),
    })),
  };
}

/** @throws InputError MASK_MISSING */
function targetOf({ objects, height, width }: CocoImage, task: ObjectTask, file: string): Target {
  const isNumbered = objects.every(({ id }) => id >= 1 && id <= MOST_ID);
  const idOf = (place: number): number => (isNumbered ? objects[place]!.id : place + 1);
  const found = objects.map(
    ({ label, box: [left, top, wide, high], isCrowd, area, polygons }, place): SampleObject => ({
      ...{ id: idOf(place), label, box: [left, top, left + wide, top + high] },
      ...(isCrowd === true && { isCrowd }),
      ...(area !== undefined && { area }),
      ...(task === 'instance_segmentation' && polygons && { polygons }),
    }),
  );
  if (task === 'detection') return { kind: 'boxes', objects: found };
  const bare = objects.find(({ mask }) => !mask);
  if (bare)
    throw new InputError('MASK_MISSING', 'The object has no segmentation.', {
      where: `${file} » annotation ${bare.id}`,
      hint: 'Give it one, or make the task of the dataset a detection.',
    });
  const masked = [...objects.keys()].filter((place) => !objects[place]!.polygons);
  if (masked.length === 0) return { kind: 'instances', objects: found };
  const data = new Int32Array(height * width); // 0: no object
  const rank = (place: number): number => (objects[place]!.isCrowd === true ? 0 : 1);
  const crowdsFirst = masked.sort((a, b) => rank(a) - rank(b));
  for (const place of crowdsFirst)
    for (const [pixel, isInside] of maskPixels(objects[place]!.mask!).entries())
      if (isInside) data[pixel] = idOf(place);
  return { kind: 'instances', objects: found, instances: { data, height, width } };
}

/** The largest number of a raster of instances. */
const MOST_ID = 2 ** 31 - 1;
