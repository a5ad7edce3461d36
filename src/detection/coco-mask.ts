import { InputError } from '../errors.js';
import { polygonMask } from '../metrics/coco/polygon-mask.js';
import type { RunLengthMask } from '../metrics/coco/run-length-mask.js';
import { parseRunLengthText } from '../metrics/coco/run-length-text.js';

/** Outlines, or run lengths down the columns: a list, or COCO's compressed text. */
export type CocoSegmentation =
  | readonly (readonly number[])[]
  | { readonly size: readonly [number, number]; readonly counts: string | readonly number[] };

/**
 * The mask of an annotation.
 * @throws InputError MASK_SIZE it is of another size than its image; MASK_INVALID it cannot be read, or does not fill the image
 */
export function cocoMask(
  segmentation: CocoSegmentation,
  { height, width }: { readonly height: number; readonly width: number },
  where: string,
): RunLengthMask {
  if (!('size' in segmentation)) {
    const odd = segmentation.find((outline) => outline.length < 6 || outline.length % 2 === 1);
    if (odd) throw invalid(`An outline has ${odd.length} numbers; three places are six.`, where);
    refuseFar(segmentation, { height, width }, where);
    return polygonMask(segmentation, height, width);
  }
  const [high, wide] = segmentation.size;
  if (high !== height || wide !== width)
    throw new InputError(
      'MASK_SIZE',
      `The mask has ${wide} × ${high} pixels, its image ${width} × ${height}.`,
      {
        where,
        hint: 'They belong to different images, or height and width are swapped.',
      },
    );
  const { counts } = segmentation;
  const runs = typeof counts === 'string' ? parseRunLengthText(counts) : counts;
  if (!runs || runs.some((run) => run < 0)) throw invalid('The run lengths cannot be read.', where);
  const total = runs.reduce((sum, run) => sum + run, 0);
  if (total !== height * width)
    throw invalid(`The run lengths add up to ${total}, the image has ${height * width} pixels.`, where);
  return { height, width, counts: runs };
}

/** A vertex further away than the image is long belongs to another image, and its edges would take all memory. */
function refuseFar(
  outlines: readonly (readonly number[])[],
  { height, width }: { readonly height: number; readonly width: number },
  where: string,
): void {
  const most = Math.max(height, width);
  for (const outline of outlines) {
    const at = outline.findIndex(
      (value, axis) => value < -most || value > most + (axis % 2 === 0 ? width : height),
    );
    if (at >= 0)
      throw invalid(`A place of an outline has the coordinate ${outline[at]}, far outside the image.`, where);
  }
}

const invalid = (message: string, where: string): InputError =>
  new InputError('MASK_INVALID', message, { where, hint: 'Write the annotation again, or remove it.' });
