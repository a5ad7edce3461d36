import type { Affine } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';

export interface DetectionPlace {
  /** Pixels to the raster's coordinates; null: the raster has no place. */
  readonly transform: Affine | null;
  /** `EPSG:n` or WKT; null: the file says none. */
  readonly crs: string | null;
  /** File that errors name. */
  readonly file: string;
}

/**
 * Detections as a GeoJSON collection in the raster's own coordinate system, which its `crs` names as GDAL and QGIS read it
 * (GeoJSON 2008; RFC 7946 knows longitude and latitude alone). Boxes are polygons, the outline against the clock.
 * @param nameOf name of a label
 * @throws InputError GEOREFERENCE_MISSING
 */
export function detectionsGeoJson(
  detected: readonly DetectedObject[],
  { transform, crs, file }: DetectionPlace,
  nameOf: (label: number) => string = String,
) {
  if (!transform || crs === null)
    throw new InputError('GEOREFERENCE_MISSING', 'The raster does not say where on Earth it lies.', {
      where: file,
      hint: "Give it a coordinate system and a transform (gdal_edit), or write COCO's results instead.",
    });
  const [a, b, c, d, e, f] = transform;
  const at = (column: number, row: number): [number, number] => [
    a * column + b * row + c,
    d * column + e * row + f,
  ];
  return {
    type: 'FeatureCollection' as const,
    crs: { type: 'name', properties: { name: crsName(crs) } },
    features: detected.map(({ label, score, box: [left, top, width, height] }, id) => {
      const [right, bottom] = [left + width, top + height];
      const ring = [at(left, top), at(left, bottom), at(right, bottom), at(right, top), at(left, top)];
      return {
        ...{ type: 'Feature' as const, id },
        geometry: { type: 'Polygon' as const, coordinates: [areaOf(ring) < 0 ? ring.reverse() : ring] },
        properties: { label, class: nameOf(label), score },
      };
    }),
  };
}

/** Twice the area of a ring, positive against the clock. */
const areaOf = (ring: readonly (readonly [number, number])[]): number =>
  ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);

function crsName(crs: string): string {
  const [, code] = /^EPSG:(\d+)$/i.exec(crs) ?? [];
  if (code === undefined) return crs;
  // x is the longitude in the raster, which EPSG's own axis order does not say
  return code === '4326' ? 'urn:ogc:def:crs:OGC:1.3:CRS84' : `urn:ogc:def:crs:EPSG::${code}`;
}
