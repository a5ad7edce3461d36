import { InputError } from '../../errors.js';
import { placeIn } from '../../io/format-error.js';
import type { LabelArray } from '../../io/raster.js';
import { rasterizePolygons, type Polygon } from '../rasterize-polygons.js';
import { parseWktPolygons } from '../wkt-polygons.js';

/** Building outlines of one image, and what its label file says besides. */
export interface Footprints {
  /** `YYYY-MM-DD`; null where the file does not say. */
  readonly date: string | null;
  readonly disasterType: string | null;
  /** Of the image, pixels, as the file says; null where it does not. */
  readonly size: { readonly height: number; readonly width: number } | null;
  readonly draw: (size: { readonly height: number; readonly width: number }) => LabelArray;
}

/** Class of a damage: those that nobody classified count as undamaged. */
const DAMAGE: Readonly<Record<string, number>> = {
  'no-damage': 1,
  'minor-damage': 2,
  'major-damage': 3,
  destroyed: 4,
  'un-classified': 1,
};

interface Feature {
  readonly properties?: { readonly subtype?: unknown };
  readonly wkt?: unknown;
}

interface LabelFile {
  readonly features?: { readonly xy?: readonly Feature[] };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * @param content of a label file. Outlines before the disaster are all buildings, 1; those after it carry their damage
 * @throws InputError ANNOTATION_MALFORMED, WKT_MALFORMED, LABEL_UNKNOWN
 */
export function readFootprints(content: unknown, moment: 'pre' | 'post', where: string): Footprints {
  const { features, metadata = {} } = (content ?? {}) as LabelFile;
  const outlines = features?.xy;
  if (!Array.isArray(outlines)) {
    throw new InputError('ANNOTATION_MALFORMED', 'The file has no list features.xy.', {
      where,
      hint: 'It is no label file of xView2: restore it from the release.',
    });
  }
  const buildings = (outlines as readonly Feature[]).flatMap((feature, place) => {
    const part = placeIn(where, `features.xy[${place}]`);
    const label = moment === 'pre' ? 1 : damageOf(feature, part);
    return polygonsOf(feature, part).map((polygon) => ({ polygon, label }));
  });
  const { capture_date: date, disaster_type: type, height, width } = metadata;
  return {
    date: typeof date === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] ?? null) : null,
    disasterType: typeof type === 'string' ? type : null,
    size: typeof height === 'number' && typeof width === 'number' ? { height, width } : null,
    draw: (size) => rasterizePolygons(buildings, size),
  };
}

function polygonsOf({ wkt }: Feature, where: string): Polygon[] {
  if (typeof wkt === 'string') return parseWktPolygons(wkt, where);
  throw new InputError('ANNOTATION_MALFORMED', 'The feature has no outline "wkt".', {
    where,
    hint: 'Restore the file from the release.',
  });
}

function damageOf({ properties }: Feature, where: string): number {
  const subtype = properties?.subtype;
  const label = typeof subtype === 'string' && Object.hasOwn(DAMAGE, subtype) ? DAMAGE[subtype] : undefined;
  if (label !== undefined) return label;
  throw new InputError(
    'LABEL_UNKNOWN',
    `The damage ${JSON.stringify(subtype) ?? 'of a building'} is none of the classes.`,
    {
      where,
      hint: `Known: ${Object.keys(DAMAGE).join(', ')}.`,
    },
  );
}
