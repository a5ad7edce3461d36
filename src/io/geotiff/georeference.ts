import type { Directory } from './directory.js';
import { TAG } from './tags.js';

/** x = a · column + b · row + c, y = d · column + e · row + f, of the outer corner of a pixel. */
export type Transform = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A coordinate system. */
export interface Crs {
  /** null: the file defines it without a code. */
  readonly epsg: number | null;
  /** The file's name for it. */
  readonly name: string | null;
}

/** A pixel's place on the ground. Row and column count from the image's outer corner. */
export interface ControlPoint {
  readonly row: number;
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

/** Where an image lies on the Earth. */
export interface Georeference {
  /** null: the file has no grid, or one of pixels only. */
  readonly transform: Transform | null;
  /** null: none, also where only control points have one. */
  readonly crs: Crs | null;
  readonly areaOrPoint: 'Area' | 'Point';
  /** Of an image without a grid. */
  readonly controlPoints: readonly ControlPoint[];
  readonly controlPointCrs: Crs | null;
}

const KEY = {
  modelType: 1024,
  rasterType: 1025,
  citation: 1026,
  geographic: 2048,
  geographicCitation: 2049,
  projected: 3072,
  projectedCitation: 3073,
} as const;

/** Codes from here on are none of EPSG; 32767 stands for a system the file defines itself. */
const FIRST_OTHER_CODE = 32_767;

/** Place and coordinate system of a page. */
export function readGeoreference(page: Directory): Georeference {
  const keys = readGeoKeys(page);
  const isPoint = keys.get(KEY.rasterType) === 2;
  const found = readTransform(page);
  // the tie point of "point" names a pixel's centre
  const transform = found && isPoint ? shift(found, -0.5, -0.5) : found;
  const controlPoints = found ? [] : readControlPoints(page, isPoint ? 0.5 : 0);
  const crs = readCrs(keys);
  const isByPoints = controlPoints.length > 0;
  return {
    transform: transform && isIdentity(transform) ? null : transform,
    crs: isByPoints ? null : crs,
    areaOrPoint: isPoint ? 'Point' : 'Area',
    controlPoints,
    controlPointCrs: isByPoints ? crs : null,
  };
}

/** The transform of a window whose corner lies at this row and column. */
export const shift = ([a, b, c, d, e, f]: Transform, column: number, row: number): Transform => [
  a,
  b,
  c + a * column + b * row,
  d,
  e,
  f + d * column + e * row,
];

const isIdentity = ([a, b, c, d, e, f]: Transform): boolean =>
  a === 1 && b === 0 && c === 0 && d === 0 && e === 1 && f === 0;

function readTransform(page: Directory): Transform | null {
  const scale = page.numbers(TAG.modelPixelScale) ?? [];
  const tie = page.numbers(TAG.modelTiePoint) ?? [];
  const [scaleX = 0, scaleY = 0] = scale;
  if (scaleX !== 0 && scaleY !== 0 && tie.length >= 6) {
    const [column, row, , x, y] = tie as [number, number, number, number, number];
    return shift([scaleX, 0, x, 0, -Math.abs(scaleY), y], -column, -row);
  }
  const matrix = page.numbers(TAG.modelTransformation);
  if (matrix?.length !== 16) return null;
  const [a, b, , c, d, e, , f] = matrix as [number, number, number, number, number, number, number, number];
  return [a, b, c, d, e, f];
}

function readControlPoints(page: Directory, half: number): ControlPoint[] {
  const tie = page.numbers(TAG.modelTiePoint) ?? [];
  return Array.from({ length: Math.floor(tie.length / 6) }, (_, i) => {
    const [column, row, , x, y] = tie.slice(i * 6) as [number, number, number, number, number];
    return { row: row + half, column: column + half, x, y };
  });
}

function readGeoKeys(page: Directory): ReadonlyMap<number, number | string> {
  const directory = page.numbers(TAG.geoKeys) ?? [];
  const doubles = page.numbers(TAG.geoDoubles) ?? [];
  const text = page.text(TAG.geoText) ?? '';
  const keys = new Map<number, number | string>();
  for (let i = 0, at = 4; i < (directory[3] ?? 0) && at + 4 <= directory.length; i++, at += 4) {
    const [key, tag, count, value] = directory.slice(at, at + 4) as [number, number, number, number];
    if (tag === 0) keys.set(key, value);
    else if (tag === TAG.geoDoubles && value < doubles.length) keys.set(key, doubles[value]!);
    else if (tag === TAG.geoText) keys.set(key, text.slice(value, value + count).replace(/[|\0]+$/, ''));
  }
  return keys;
}

function readCrs(keys: ReadonlyMap<number, number | string>): Crs | null {
  const code = keys.get(KEY.projected) ?? keys.get(KEY.geographic);
  const modelType = keys.get(KEY.modelType);
  const name = [KEY.projectedCitation, KEY.citation, KEY.geographicCitation]
    .map((key) => keys.get(key))
    .find((value): value is string => typeof value === 'string' && value !== '');
  if (code === undefined && !modelType) return null;
  const isKnown = typeof code === 'number' && code > 0 && code < FIRST_OTHER_CODE;
  return { epsg: isKnown ? code : null, name: name ?? null };
}
