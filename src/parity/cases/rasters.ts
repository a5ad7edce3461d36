import { bandSeries } from '../../io/geotiff/band-series.js';
import type { Crs, Transform } from '../../io/geotiff/georeference.js';
import { nearestOnGrid } from '../../io/geotiff/nearest-grid.js';
import { rasterStatistics, type BandStatistics } from '../../io/geotiff/raster-statistics.js';
import { GeoTiffFile, type GeoRaster } from '../../io/geotiff.js';
import { readPrintedPickle } from '../../io/pickle-attribute.js';
import { RunningStatistics, type Statistics } from '../../io/statistics.js';
import { judge, type CaseEntry } from './judge.js';
import { isNumber, type ExpectedNumber, type ExpectedStatistics, type ExpectedTolerance } from './numbers.js';

type ExpectedCrs = { readonly epsg: number | null } | null;

interface RasterEntry extends CaseEntry {
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly dtype: string;
  readonly crs: ExpectedCrs;
  readonly transform: readonly number[] | null;
  readonly nodata: ExpectedNumber;
  readonly nodataText?: string | null;
  readonly areaOrPoint: string;
  readonly bandNames: readonly (string | null)[];
  readonly scale: readonly number[];
  readonly offset: readonly number[];
  readonly units?: readonly (string | null)[];
  readonly bands: readonly { readonly raw: ExpectedStatistics; readonly valid: ExpectedStatistics }[];
  readonly pixels: readonly ExpectedPixel[];
  /** `meanAbs`: for means, where pixels may differ by more. */
  readonly tol: ExpectedTolerance & { readonly meanAbs?: number };
  readonly overviews?: readonly {
    readonly level: number;
    readonly width: number;
    readonly height: number;
    readonly band1: ExpectedStatistics;
  }[];
  readonly pageSizes?: readonly (readonly [number, number])[];
  readonly alphaBand?: number;
  readonly histogram?: Readonly<Record<string, number>>;
  readonly gcps?: readonly (readonly [row: number, column: number, x: number, y: number])[];
  readonly gcpCrs?: ExpectedCrs;
  readonly pick?: { readonly bands: readonly string[]; readonly means: readonly number[] };
  readonly scaled?: { readonly band1Mean: number };
  readonly cube?: { readonly shape: readonly number[]; readonly means: readonly (readonly number[])[] };
  readonly upTo10m?: { readonly shape: readonly [number, number]; readonly mean: number };
  readonly pickle?: { readonly globals: readonly string[]; readonly class: string };
}

interface ExpectedPixel {
  readonly row: number;
  readonly col: number;
  readonly values: readonly ExpectedNumber[];
  readonly valid: readonly boolean[];
}

/** One GeoTIFF of the input cases. @returns undefined where all is right, else one line */
export const runRasterCase = (path: string, entry: RasterEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    const file = GeoTiffFile.open(path);
    try {
      const whole = await file.read({ mask: true });
      if (entry.expect === 'error') return undefined;
      return (
        headerDifference(file, whole, entry) ??
        (await statisticsOfBandsDifference(file, entry)) ??
        pixelsDifference(whole, entry) ??
        (await overviewsDifference(file, entry)) ??
        placesDifference(file, entry) ??
        (await bandsDifference(file, whole, entry)) ??
        histogramDifference(whole, entry) ??
        gridDifference(whole, entry) ??
        pickleDifference(file, path, entry)
      );
    } finally {
      file.close();
    }
  });

/** Texts of what differs first, `name is A, not B`. */
function firstOther(
  pairs: Readonly<Record<string, readonly [got: unknown, due: unknown]>>,
): string | undefined {
  for (const [name, [got, due]] of Object.entries(pairs)) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(due)];
    if (a !== b) return `${name} is ${a}, not ${b}`;
  }
  return undefined;
}

/** Rounding of a reference that multiplies and adds in another order. */
const TRANSFORM_TOLERANCE = { rel: 1e-12, abs: 1e-9 };

function headerDifference(file: GeoTiffFile, raster: GeoRaster, entry: RasterEntry): string | undefined {
  const { info } = file;
  const other = firstOther({
    width: [info.width, entry.width],
    height: [info.height, entry.height],
    bands: [info.bandCount, entry.count],
    type: [info.type, entry.dtype],
    'pixels read': [raster.data.length, entry.width * entry.height * entry.count],
    areaOrPoint: [info.areaOrPoint, entry.areaOrPoint],
    'band names': [info.bands.map(({ name }) => name), entry.bandNames],
    scale: [info.bands.map(({ scale }) => scale), entry.scale],
    offset: [info.bands.map(({ offset }) => offset), entry.offset],
    ...(entry.units && { units: [info.bands.map(({ unit }) => unit), entry.units] }),
    ...(entry.nodataText !== undefined && {
      nodataText: [info.nodataText, entry.nodataText?.replace(/\0+$/, '') ?? null],
    }),
    crs: [crsOf(info.crs), entry.crs && { epsg: entry.crs.epsg }],
  });
  if (other) return other;
  if (entry.nodata === null ? info.nodata !== null : !isNumber(info.nodata ?? undefined, entry.nodata)) {
    return `nodata is ${info.nodata}, not ${entry.nodata}`;
  }
  return transformDifference(raster.transform, entry.transform);
}

const crsOf = (crs: Crs | null): ExpectedCrs => crs && { epsg: crs.epsg };

function transformDifference(got: Transform | null, due: readonly number[] | null): string | undefined {
  const isSame =
    got === null || due === null
      ? got === due
      : due.every((value, place) => isNumber(got[place], value, TRANSFORM_TOLERANCE));
  return isSame ? undefined : `the transform is [${got?.join(', ')}], not [${due?.join(', ')}]`;
}

/** A mean is a sum that was rounded, then divided: a few units in the last place. */
const ROUNDING = 1e-14;

function difference(
  got: Statistics,
  due: ExpectedStatistics,
  { abs = 0, rel = 0, meanAbs }: RasterEntry['tol'],
): string | undefined {
  for (const name of ['count', 'nanCount', 'infCount'] as const) {
    if (got[name] !== (due[name] ?? 0)) return `${name} is ${got[name]}, not ${due[name] ?? 0}`;
  }
  const count = got.count;
  const mean = { abs: meanAbs ?? abs, rel: Math.max(rel, ROUNDING) };
  const tolerances = {
    min: { abs, rel },
    max: { abs, rel },
    mean,
    sum: { abs: mean.abs * count, rel: mean.rel },
  };
  for (const name of ['min', 'max', 'mean', 'sum'] as const) {
    const expected = due[name];
    if (expected === undefined) continue;
    const number = typeof expected === 'string' ? Number(expected) : expected;
    if (!isNumber(got[name] ?? undefined, number, tolerances[name])) {
      return `${name} is ${got[name]}, not ${String(expected)}`;
    }
  }
  return undefined;
}

async function statisticsOfBandsDifference(
  file: GeoTiffFile,
  entry: RasterEntry,
): Promise<string | undefined> {
  const found: readonly BandStatistics[] = await rasterStatistics(file);
  for (const [band, due] of entry.bands.entries()) {
    for (const kind of ['raw', 'valid'] as const) {
      const other = difference(found[band]![kind], due[kind], entry.tol);
      if (other) return `${kind} statistics of band ${band + 1}: ${other}`;
    }
  }
  return undefined;
}

function pixelsDifference(raster: GeoRaster, { pixels, tol }: RasterEntry): string | undefined {
  for (const { row, col, values, valid } of pixels) {
    for (const [band, due] of values.entries()) {
      const at = (row * raster.width + col) * raster.bandCount + band;
      const got = raster.data[at]!;
      const where = `row ${row}, column ${col}, band ${band + 1}`;
      if (!isNumber(got, due, tol)) return `${where} is ${got}, not ${String(due)}`;
      const counts = raster.valid?.[at] !== 0 && Number.isFinite(got);
      if (counts !== valid[band]) return `${where} ${counts ? 'counts' : 'is hidden'}, which is wrong`;
    }
  }
  return undefined;
}

async function overviewsDifference(file: GeoTiffFile, entry: RasterEntry): Promise<string | undefined> {
  const { overviews, pageSizes } = file.info;
  const due = entry.overviews ?? [];
  const other = firstOther({
    overviews: [overviews, due.map(({ height, width }) => [height, width])],
    ...(entry.pageSizes && { 'page sizes': [pageSizes, entry.pageSizes] }),
  });
  if (other) return other;
  for (const { level, band1 } of due) {
    const [first] = await rasterStatistics(file, { overview: level });
    const found = difference(first!.raw, band1, entry.tol);
    if (found) return `overview ${level}: ${found}`;
  }
  return undefined;
}

function placesDifference({ info }: GeoTiffFile, entry: RasterEntry): string | undefined {
  const points = info.controlPoints.map(({ row, column, x, y }) => [row, column, x, y]);
  return firstOther({
    'control points': [points, entry.gcps ?? []],
    ...(entry.gcpCrs !== undefined && {
      'CRS of the control points': [crsOf(info.controlPointCrs), entry.gcpCrs],
    }),
    ...(entry.alphaBand !== undefined && {
      'alpha band': [info.alphaBand === null ? null : info.alphaBand + 1, entry.alphaBand],
    }),
  });
}

const meanOf = ({ data, bandCount, valid }: GeoRaster, band: number): number | undefined => {
  const statistics = new RunningStatistics(false);
  statistics.add(data, valid, band, bandCount);
  return statistics.result().mean ?? undefined;
};

/** Means of fixtures are those of NumPy, which adds pairwise. */
const MEAN_TOLERANCE = { rel: 1e-12 };

async function bandsDifference(
  file: GeoTiffFile,
  whole: GeoRaster,
  { pick, scaled, cube }: RasterEntry,
): Promise<string | undefined> {
  if (pick) {
    const picked = await file.read({ bands: pick.bands });
    const wrong = pick.means.findIndex((mean, band) => !isNumber(meanOf(picked, band), mean, MEAN_TOLERANCE));
    if (wrong >= 0)
      return `the mean of ${pick.bands[wrong]} is ${meanOf(picked, wrong)}, not ${pick.means[wrong]}`;
  }
  if (scaled) {
    const mean = meanOf(await file.read({ scaled: true, mask: true }), 0);
    if (!isNumber(mean, scaled.band1Mean, MEAN_TOLERANCE))
      return `the scaled mean is ${mean}, not ${scaled.band1Mean}`;
  }
  if (!cube) return undefined;
  const series = bandSeries(whole.bandNames);
  if (!series) return 'the names of its bands are taken for no time series';
  const shape = [series.dates.length, series.bands.length, whole.height, whole.width];
  const means = series.places.map((places) => places.map((band) => meanOf({ ...whole, valid: null }, band)));
  for (const [time, row] of cube.means.entries()) {
    for (const [band, mean] of row.entries()) {
      const got = means[time]?.[band];
      if (!isNumber(got, mean, MEAN_TOLERANCE))
        return `the mean at [${time}, ${band}] is ${got}, not ${mean}`;
    }
  }
  return firstOther({ 'shape of the series': [shape, cube.shape] });
}

function histogramDifference({ data }: GeoRaster, { histogram }: RasterEntry): string | undefined {
  if (!histogram) return undefined;
  const counts = new Map<number, number>();
  for (const value of data) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = (pairs: Iterable<readonly [number, number]>): unknown =>
    [...pairs].sort(([a], [b]) => a - b);
  const due = Object.entries(histogram).map(([value, count]) => [Number(value), count] as const);
  return firstOther({ histogram: [sorted(counts), sorted(due)] });
}

function gridDifference(raster: GeoRaster, { upTo10m }: RasterEntry): string | undefined {
  if (!upTo10m || !raster.transform) return upTo10m && 'it has no transform';
  const [, , x, , , y] = raster.transform;
  const [height, width] = upTo10m.shape;
  const image = { ...raster, transform: raster.transform };
  const fine = nearestOnGrid(image, { transform: [10, 0, x, 0, -10, y], height, width }, NaN);
  const mean = meanOf({ ...raster, ...fine, valid: null }, 0);
  return isNumber(mean, upTo10m.mean, MEAN_TOLERANCE)
    ? undefined
    : `the mean at 10 m is ${mean}, not ${upTo10m.mean}`;
}

function pickleDifference({ info }: GeoTiffFile, path: string, { pickle }: RasterEntry): string | undefined {
  if (!pickle) return undefined;
  const { names, dangerous } = readPrintedPickle(info.metadata.data ?? '', path);
  const kind = dangerous.length > 0 ? 'hostile' : names.length > 0 ? 'known types' : 'plain data';
  return firstOther({
    'names in the pickle': [names, pickle.globals],
    'kind of pickle': [kind, pickle.class],
  });
}
