import type { LabelArray } from '../../io/raster.js';
import type { SampleObject } from '../sample.js';

export interface ObjectRules {
  /**
   * Class of an object among the classes of its pixels. `smallest`: the least index that occurs, as PASTIS panoptic's
   * reference has it; `commonest`: the class of the most pixels, of equals the smaller.
   */
  readonly label: 'smallest' | 'commonest';
  /**
   * Whether the far edges of a box are the last pixel (reference; the one behind it where a parcel is one pixel wide), or
   * the one behind it.
   */
  readonly areEdgesInclusive: boolean;
}

interface Found {
  xmin: number;
  ymin: number;
  xmax: number;
  ymax: number;
  area: number;
  readonly counts: Map<number, number>;
}

/**
 * Objects of a raster of their numbers, ascending; 0 is no object.
 * @param labels class of each pixel
 */
export function objectsOf(instances: LabelArray, labels: LabelArray, rules: ObjectRules): SampleObject[] {
  const { data, width } = instances;
  const found = new Map<number, Found>();
  for (let i = 0; i < data.length; i++) {
    const id = data[i]!;
    if (id <= 0) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    let object = found.get(id);
    if (!object) {
      object = { xmin: x, ymin: y, xmax: x, ymax: y, area: 0, counts: new Map() };
      found.set(id, object);
    }
    object.xmin = Math.min(object.xmin, x);
    object.xmax = Math.max(object.xmax, x);
    object.ymax = y; // rows come in order
    object.area++;
    const label = labels.data[i]!;
    object.counts.set(label, (object.counts.get(label) ?? 0) + 1);
  }
  const far = rules.areEdgesInclusive ? 0 : 1;
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([id, { xmin, ymin, xmax, ymax, area, counts }]) => ({
      id,
      label: labelOf(counts, rules.label),
      box: [xmin, ymin, Math.max(xmin + 1, xmax + far), Math.max(ymin + 1, ymax + far)],
      area,
    }));
}

function labelOf(counts: ReadonlyMap<number, number>, rule: ObjectRules['label']): number {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  if (rule === 'smallest') return sorted[0]![0];
  return sorted.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}
