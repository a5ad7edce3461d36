import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import type { DatasetIo } from '../dataset-io.js';
import type { SampleObject } from '../sample.js';
import { polygonMask } from './polygon-mask.js';
import { readAnnotation, readGrid } from './row-readers.js';
import { countOnes, toAnnotations, toObject, type Annotation } from './targets.js';

/**
 * Electrical substations one by one, 228 × 228 px; Sentinel-2, 13 bands.
 * Bands, splits, known faults: data-manifests/datasets/gb2-substation.json
 */
export const substation = defineTortilla('gb2-substation', {
  parts: { s2: 'image' },
  target: async ({ rows }, io) => {
    const row = rowNamed(rows, 'annotations');
    const annotations = toAnnotations(await readAnnotation(row), 'sample_annotations', row.where);
    const size = await readGrid(rowNamed(rows, 'image'));
    const objects = annotations.map((annotation, index) => outlined(annotation, index, size, row.where, io));
    return { kind: 'instances', objects };
  },
});

/**
 * A substation has several outlines now and then: the reference draws the first. Its area counts the outline's pixels.
 * @param size of the image
 */
export function outlined(
  annotation: Annotation,
  index: number,
  { height, width }: { readonly height: number; readonly width: number },
  where: string,
  io: DatasetIo,
): SampleObject {
  const all = annotation.mask ?? [];
  const polygons = io.isOn('first-polygon') ? all.slice(0, 1) : all;
  const area = countOnes(polygonMask(polygons, height, width).data);
  return { ...toObject(annotation, index, io, where), polygons, area };
}
