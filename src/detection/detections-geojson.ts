import type { Affine } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import { maskOutlines, type MaskOutline } from '../metrics/coco/mask-outlines.js';
import type { RunLengthMask } from '../metrics/coco/run-length-mask.js';
import type { PlacedMask } from './placed-mask.js';

export interface DetectionPlace {
  /** Pixels to the raster's coordinates; null: the raster has no place. */
  readonly transform: Affine | null;
  /** `EPSG:n` or WKT; null: the file says none. */
  readonly crs: string | null;
  /** File that errors name. */
  readonly file: string;
}

/** A detection to be placed: of an image, or of a raster that was looked at window by window. */
export interface LocatedDetection extends Pick<DetectedObject, 'label' | 'score' | 'box'> {
  readonly mask?: RunLengthMask | PlacedMask;
}

/**
 * Detections as a GeoJSON collection in the raster's own coordinate system, which its `crs` names as GDAL and QGIS read it
 * (GeoJSON 2008; RFC 7946 knows longitude and latitude alone). Masks are polygons along the edges of their pixels with their
 * holes, boxes polygons of four corners; outlines run against the clock, holes with it.
 * @param nameOf name of a label
 * @throws InputError GEOREFERENCE_MISSING
 */
export function detectionsGeoJson(
  detected: readonly LocatedDetection[],
  { transform, crs, file }: DetectionPlace,
  nameOf: (label: number) => string = String,
) {
  if (!transform || crs === null)
    throw new InputError('GEOREFERENCE_MISSING', 'The raster does not say where on Earth it lies.', {
      where: file,
      hint: "Give it a coordinate system and a transform (gdal_edit), or write COCO's results instead.",
    });
  const [a, b, c, d, e, f] = transform;
  const ringOf = (corners: readonly number[], place: number): [number, number][] => {
    const ring: [number, number][] = [];
    for (let at = 0; at < corners.length; at += 2) {
      const [column, row] = [corners[at]!, corners[at + 1]!];
      ring.push([a * column + b * row + c, d * column + e * row + f]);
    }
    const isOutline = place === 0;
    if (areaOf(ring) > 0 !== isOutline) ring.reverse();
    return [...ring, ring[0]!];
  };
  return {
    type: 'FeatureCollection' as const,
    crs: { type: 'name', properties: { name: crsName(crs) } },
    features: detected.map((detection, id) => {
      const { label, score } = detection;
      const polygons = outlinesOf(detection).map((rings) => rings.map(ringOf));
      return {
        ...{ type: 'Feature' as const, id },
        geometry:
          polygons.length === 1
            ? { type: 'Polygon' as const, coordinates: polygons[0]! }
            : { type: 'MultiPolygon' as const, coordinates: polygons },
        properties: { label, class: nameOf(label), score },
      };
    }),
  };
}

/** Outlines in the raster's pixels: of the mask where it has any, else of the box. */
function outlinesOf({ box: [left, top, width, height], mask }: LocatedDetection): MaskOutline[] {
  const [right, bottom] = [left + width, top + height];
  const { row, column, mask: own } = !mask || 'counts' in mask ? { row: 0, column: 0, mask } : mask;
  const outlines = own ? maskOutlines(own) : [];
  if (outlines.length === 0) return [[[left, top, left, bottom, right, bottom, right, top]]];
  return outlines.map((rings) =>
    rings.map((ring) => ring.map((value, at) => value + (at % 2 === 0 ? column : row))),
  );
}

/** Twice the area of a ring that is not closed, positive against the clock. */
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
