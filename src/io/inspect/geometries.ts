import { positionsOf, type Geometry } from '../geometry.js';
import type { Fact } from './description.js';

/** How many geometries of each kind there are, and the box around all of them: least x, least y, greatest x, greatest y. */
export function describeGeometries(geometries: readonly (Geometry | null)[]): {
  readonly geometries: Readonly<Record<string, number>>;
  readonly extent: Fact;
} {
  const kinds: Record<string, number> = {};
  const extent = [Infinity, Infinity, -Infinity, -Infinity];
  for (const geometry of geometries) {
    const kind = geometry?.type ?? 'no place';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    for (const [x, y] of geometry ? positionsOf(geometry) : []) {
      extent[0] = Math.min(extent[0]!, x!);
      extent[1] = Math.min(extent[1]!, y!);
      extent[2] = Math.max(extent[2]!, x!);
      extent[3] = Math.max(extent[3]!, y!);
    }
  }
  return { geometries: kinds, extent: extent[0] === Infinity ? null : extent };
}
