import { defineTortilla } from './define.js';
import { rowNamed, type Row } from './container.js';
import type { DatasetIo } from '../dataset-io.js';
import type { SampleObject } from '../sample.js';
import { readTable } from './row-readers.js';
import { classOf, toObject } from './targets.js';

/** What the reference makes of a bird without a name. */
const UNNAMED = 'Unknown White';

/**
 * EverWatch: birds from the air, eight kinds, 512 × 512 px.
 * Classes, splits, known faults: data-manifests/datasets/gb2-everwatch.json
 */
export const everwatch = defineTortilla('gb2-everwatch', {
  parts: { optical: 'image' },
  target: async ({ rows }, io) => {
    const row = rowNamed(rows, 'annotations');
    const birds = await readTable(row, ['label', 'xmin', 'ymin', 'xmax', 'ymax']);
    return { kind: 'boxes', objects: birds.map((bird, index) => toBird(bird, index, row, io)) };
  },
});

/** The class goes by the name: the number in the file counts from the first bird, not from the background. */
function toBird(
  bird: Readonly<Record<string, unknown>>,
  id: number,
  { where }: Row,
  io: DatasetIo,
): SampleObject {
  const [xmin, ymin, xmax, ymax] = ['xmin', 'ymin', 'xmax', 'ymax'].map((name) => Number(bird[name])) as [
    number,
    number,
    number,
    number,
  ];
  const category_id = classOf(bird['label'] ?? UNNAMED, io, where);
  return toObject({ category_id, bbox: [xmin, ymin, xmax - xmin, ymax - ymin] }, id, io, where);
}
