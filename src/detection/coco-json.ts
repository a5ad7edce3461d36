import { constants } from 'node:buffer';
import { z } from 'zod';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { badHeader, notTheFormat, placeIn, tooLarge } from '../io/format-error.js';
import { FileSource } from '../io/byte-source.js';
import { SNIFF_BYTES } from '../io/sniff.js';
import type { DetectedObject, TrueObject } from '../metrics/coco/coco-metric.js';
import type { CocoBox } from '../metrics/coco/object-overlap.js';
import { runLengthText } from '../metrics/coco/run-length-text.js';
import type { RunLengthMask } from '../metrics/coco/run-length-mask.js';
import { cocoMask, type CocoSegmentation } from './coco-mask.js';

export interface CocoImage {
  readonly id: number;
  /** Below the folder of images. */
  readonly file: string;
  readonly height: number;
  readonly width: number;
  /** None: the image is empty, and counts. */
  readonly objects: readonly CocoObject[];
}

/** An object; its label is the place of its class, from 1, since detectors call the background 0. */
export interface CocoObject extends TrueObject {
  /** Of the annotation. */
  readonly id: number;
  /** Its mask as outlines, each x0, y0, x1, y1, …, where the file has it so. */
  readonly polygons?: readonly (readonly number[])[];
}

export interface CocoDataset {
  readonly images: readonly CocoImage[];
  /** By rising id; class `label` is at `label − 1`. */
  readonly classes: readonly { readonly id: number; readonly name: string }[];
}

const schema = z.object({
  images: z.array(
    z.object({ id: z.int(), file_name: z.string(), height: z.int().positive(), width: z.int().positive() }),
  ),
  annotations: z
    .array(
      z.object({
        id: z.int(),
        image_id: z.int(),
        category_id: z.int(),
        bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
        area: z.number().optional(),
        iscrowd: z.union([z.int(), z.boolean()]).optional(),
        segmentation: z
          .union([
            z.array(z.array(z.number())),
            z.object({
              size: z.tuple([z.int(), z.int()]),
              counts: z.union([z.string(), z.array(z.int())]),
            }),
          ])
          .optional(),
      }),
    )
    .default([]),
  categories: z.array(z.object({ id: z.int(), name: z.string() })).default([]),
});

type Annotation = z.infer<typeof schema>['annotations'][number];

/** A text is at most so long in this engine. */
const MAX_BYTES = constants.MAX_STRING_LENGTH;

/**
 * Reads objects in COCO's form. Boxes are cut at the edges of their image; a `segmentation` without outlines is none.
 * @throws InputError NOT_JSON, TOO_LARGE, BAD_HEADER, DUPLICATE_ID (of an image, annotation or class), IMAGE_UNKNOWN, CLASS_UNKNOWN,
 *   BOX_INVALID (no area, or outside the image), MASK_SIZE, MASK_INVALID, and what reading a file throws; each names the
 *   annotation
 */
export function readCocoJson(file: string): CocoDataset {
  const source = FileSource.open(file);
  try {
    if (source.size > MAX_BYTES) {
      throw tooLarge(
        file,
        `The file has ${source.size} bytes, and ${MAX_BYTES} can be read.`,
        'Split the images over several files.',
      );
    }
    return parseCocoJson(source.read(0, source.size), file);
  } finally {
    source.close();
  }
}

/** As `readCocoJson`, of bytes. @param where file that errors name */
export function parseCocoJson(bytes: Uint8Array, where: string): CocoDataset {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw notTheFormat('NOT_JSON', 'JSON file', bytes.subarray(0, SNIFF_BYTES), bytes.length, where);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue!.path.length > 0 ? placeIn(where, issue!.path.join('.')) : where;
    throw badHeader(place, `This is no COCO annotation file: ${issue!.message}.`);
  }
  const { images, annotations, categories } = parsed.data;
  for (const [name, list] of Object.entries({ images, annotations, categories })) {
    const seen = new Set<number>();
    for (const { id } of list) {
      if (seen.has(id))
        throw new InputError('DUPLICATE_ID', `The id ${id} is given twice.`, {
          where: `${where} » ${name}`,
          hint: 'Every image, annotation and category has an id of its own.',
        });
      seen.add(id);
    }
  }
  const classes = categories.map(({ id, name }) => ({ id, name })).sort((a, b) => a.id - b.id);
  const labels = new Map(classes.map(({ id }, at) => [id, at + 1]));
  const byId = new Map(images.map((image) => [image.id, { image, objects: [] as CocoObject[] }]));
  for (const annotation of annotations) {
    const place = `${where} » annotation ${annotation.id}`;
    const found = byId.get(annotation.image_id);
    if (!found)
      throw new InputError('IMAGE_UNKNOWN', `It lies in image ${annotation.image_id}, which is not listed.`, {
        where: place,
        hint: 'List the image, or remove the annotation.',
      });
    const label = labels.get(annotation.category_id);
    if (label === undefined)
      throw new InputError('CLASS_UNKNOWN', `Its category ${annotation.category_id} is not listed.`, {
        where: place,
        hint: `Known: ${classes.map(({ id, name }) => `${id} ${name}`).join(', ')}.`,
      });
    found.objects.push(objectOf(annotation, label, found.image, place));
  }
  return {
    classes,
    images: [...byId.values()].map(({ image, objects }) => ({
      ...{ id: image.id, file: image.file_name, height: image.height, width: image.width, objects },
    })),
  };
}

function objectOf(
  { id, bbox, area, iscrowd, segmentation: given }: Annotation,
  label: number,
  size: { readonly height: number; readonly width: number },
  where: string,
): CocoObject {
  const box = boxWithin(bbox, size, where);
  // files of boxes alone often have an empty list
  const segmentation = Array.isArray(given) && given.length === 0 ? undefined : given;
  const mask = segmentation && cocoMask(segmentation as CocoSegmentation, size, where);
  return {
    ...{ id, label, box, isCrowd: Boolean(iscrowd) },
    ...(area !== undefined && { area }),
    ...(mask && { mask }),
    ...(Array.isArray(segmentation) && { polygons: segmentation }),
  };
}

/** @throws InputError BOX_INVALID */
function boxWithin(
  box: CocoBox,
  { height, width }: { readonly height: number; readonly width: number },
  where: string,
): CocoBox {
  const [x, y, wide, high] = box;
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const inside: CocoBox = [left, top, Math.min(width, x + wide) - left, Math.min(height, y + high) - top];
  if (wide > 0 && high > 0 && inside[2] > 0 && inside[3] > 0) return inside;
  throw new InputError('BOX_INVALID', `The box is [${box.join(', ')}] (left, top, width, height).`, {
    where,
    hint: `It has no area, or lies outside the image of ${width} × ${height} pixels. Correct or remove it.`,
  });
}

/**
 * Objects in COCO's form, masks as the outlines that they came with, else as compressed run lengths.
 * @throws InputError CLASS_OUT_OF_RANGE for a label that is none of the classes
 */
export async function writeCocoJson({ images, classes }: CocoDataset, file: string): Promise<void> {
  const annotations = images.flatMap((image) =>
    image.objects.map(({ id, label, box, mask, polygons, area, isCrowd = false }) => ({
      ...{ id, image_id: image.id, category_id: categoryOf(label, classes), bbox: box },
      ...{ area: area ?? box[2] * box[3], iscrowd: isCrowd ? 1 : 0 },
      ...(mask && { segmentation: polygons ?? segmentationOf(mask) }),
    })),
  );
  const listed = images.map(({ id, file: name, height, width }) => ({ id, file_name: name, height, width }));
  await writeFileAtomic(file, JSON.stringify({ images: listed, annotations, categories: classes }));
}

/**
 * Detections in the form of COCO's results, which pycocotools reads.
 * @throws InputError CLASS_OUT_OF_RANGE for a label that is none of the classes
 */
export async function writeCocoResults(
  images: readonly { readonly id: number; readonly detected: readonly DetectedObject[] }[],
  classes: CocoDataset['classes'],
  file: string,
): Promise<void> {
  const results = images.flatMap(({ id, detected }) =>
    detected.map(({ label, score, box, mask }) => ({
      ...{ image_id: id, category_id: categoryOf(label, classes), bbox: box, score },
      ...(mask && { segmentation: segmentationOf(mask) }),
    })),
  );
  await writeFileAtomic(file, JSON.stringify(results));
}

function categoryOf(label: number, classes: CocoDataset['classes']): number {
  const found = classes[label - 1];
  if (found) return found.id;
  throw new InputError('CLASS_OUT_OF_RANGE', `The class ${label} of an object is none.`, {
    hint: `Objects are of the classes 1 … ${classes.length}, in their order.`,
  });
}

const segmentationOf = ({ height, width, counts }: RunLengthMask) => ({
  size: [height, width],
  counts: runLengthText(counts),
});
