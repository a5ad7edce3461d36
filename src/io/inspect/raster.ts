import { InputError } from '../../errors.js';
import { FileSource, readHead } from '../byte-source.js';
import type { Crs } from '../geotiff/georeference.js';
import { rasterStatistics } from '../geotiff/raster-statistics.js';
import { GeoTiffFile, type GeoTiffInfo } from '../geotiff.js';
import { readJpeg } from '../jpeg.js';
import { readPrintedPickle } from '../pickle-attribute.js';
import { readPng } from '../png.js';
import type { RasterArray } from '../raster.js';
import { RunningStatistics } from '../statistics.js';
import {
  describePart,
  factOf,
  wantsStatistics,
  type BandDescription,
  type Describer,
  type DescribeOptions,
  type Fact,
  type FileDescription,
} from './description.js';

/** Pixels of a GeoTIFF are read in stretches: statistics of large ones cost time, not memory. */
const MAX_BYTES = 2 * 2 ** 30;

/** A TIFF or GeoTIFF, PNG or JPEG: shape, type, place, nodata, and the statistics of the pixels that count. */
export const describeRaster: Describer = async (file, options = {}) => {
  const source = FileSource.open(file);
  const head = Buffer.from(readHead(source, 4)).toString('latin1');
  source.close();
  if (head === '\x89PNG' || (head.length > 0 && /\.png$/i.test(file)))
    return describePlain('PNG', await readPng(file), options);
  if (head.startsWith('\xff\xd8') || (head.length > 0 && /\.jpe?g$/i.test(file)))
    return describePlain('JPEG', await readJpeg(file), options);
  return describeGeoTiff(file, options);
};

function describePlain(kind: string, image: RasterArray, options: DescribeOptions): FileDescription {
  const { data, height, width, bandCount } = image;
  const type = data.constructor.name.replace('Array', '').toLowerCase();
  const facts = { shape: [height, width, bandCount], type };
  if (!wantsStatistics(data.byteLength, options)) return { kind, facts };
  const bands = Array.from({ length: bandCount }, (_, band): BandDescription => {
    const statistics = new RunningStatistics(true);
    statistics.add(data, null, band, bandCount);
    return { name: `band ${band + 1}`, ...statistics.result() };
  });
  return { kind, facts, bands };
}

async function describeGeoTiff(path: string, options: DescribeOptions): Promise<FileDescription> {
  const file = GeoTiffFile.open(path);
  try {
    const { info } = file;
    const isPlaced = info.transform !== null || info.crs !== null || info.controlPoints.length > 0;
    const notes = notesOf(info);
    const { statistics, note } = await statisticsOf(file, options);
    if (note) notes.push(note);
    const bands = info.bands.map(({ name, unit, scale, offset }, place) => ({
      name: name ?? `band ${place + 1}`,
      ...(unit !== null && { unit }),
      ...(scale !== 1 && { scale }),
      ...(offset !== 0 && { offset }),
      ...statistics[place],
    }));
    const pickles = Object.entries(info.metadata).filter(([, text]) =>
      /^b(['"])[\s\S]*\1$/.test(text.trim()),
    );
    const parts: FileDescription[] = [];
    for (const [name, text] of pickles) {
      parts.push(await describePart('pickle', name, () => describePickle(name, text, path)));
    }
    return { kind: isPlaced ? 'GeoTIFF' : 'TIFF', facts: factsOf(info), bands, parts, notes };
  } finally {
    file.close();
  }
}

/** `EPSG:32633`, else the file's name for it. */
const crsText = (crs: Crs | null): string | null =>
  crs && (crs.epsg === null ? `without EPSG code: ${crs.name ?? 'unnamed'}` : `EPSG:${crs.epsg}`);

function factsOf(info: GeoTiffInfo): Record<string, Fact> {
  const { nodata, nodataText, alphaBand, controlPoints, palette } = info;
  const [blockHeight, blockWidth] = info.blockSize;
  const isPacked = info.bitsPerSample !== Number(/\d+$/.exec(info.type)![0]);
  const items = Object.entries(info.metadata);
  return {
    shape: [info.height, info.width, info.bandCount],
    type: info.type,
    ...(isPacked && { bitsPerSample: info.bitsPerSample }),
    crs: crsText(info.crs),
    transform: info.transform && [...info.transform],
    ...(info.areaOrPoint === 'Point' && { pixelIs: 'Point' }),
    nodata: factOf(nodata),
    ...(nodata === null && nodataText !== null && { nodataText }),
    ...(info.hasMask && { maskPage: true }),
    ...(alphaBand !== null && { alphaBand: alphaBand + 1 }),
    ...(palette && { paletteColours: palette.length }),
    ...(controlPoints.length > 0 && {
      controlPoints: controlPoints.length,
      controlPointCrs: crsText(info.controlPointCrs),
    }),
    compression: info.compression,
    ...(info.predictor !== 1 && { predictor: info.predictor }),
    interleave: info.interleave,
    blocks: info.isTiled ? `tiles of ${blockHeight} × ${blockWidth}` : `strips of ${blockHeight} rows`,
    ...(info.overviews.length > 0 && { overviews: info.overviews.map(([height, width]) => [height, width]) }),
    ...(info.pageSizes.length > 1 && { pages: info.pageSizes.map(([height, width]) => [height, width]) }),
    ...(items.length > 0 && { metadata: factOf(info.metadata) }),
  };
}

function notesOf({ nodata, nodataText, type, pageSizes }: GeoTiffInfo): string[] {
  const notes: string[] = [];
  if (nodata === null && nodataText !== null) {
    notes.push(
      `the nodata value "${nodataText.trim()}" is none that ${type} can hold: no pixel is hidden by it`,
    );
  }
  if (pageSizes.length > 1) notes.push(`${pageSizes.length - 1} more full-size pages are not described`);
  return notes;
}

async function statisticsOf(
  file: GeoTiffFile,
  { statistics = true, maxBytes = MAX_BYTES, signal }: DescribeOptions,
): Promise<{ statistics: readonly Omit<BandDescription, 'name'>[]; note?: string }> {
  if (!statistics) return { statistics: [] };
  const { height, width, bandCount, bitsPerSample } = file.info;
  if ((height * width * bandCount * bitsPerSample) / 8 > maxBytes) {
    return { statistics: [], note: 'the image is large: its numbers were not read' };
  }
  try {
    const bands = await rasterStatistics(file, signal ? { signal } : {});
    const total = height * width;
    return {
      statistics: bands.map(({ valid }) => {
        const hidden = total - valid.count - valid.nanCount - valid.infCount;
        return { ...valid, ...(hidden > 0 && { hidden }) };
      }),
    };
  } catch (error) {
    if (!(error instanceof InputError) || error.code !== 'PRECISION_LOSS') throw error;
    return { statistics: [], note: `${error.code}: ${error.message}` };
  }
}

function describePickle(name: string, text: string, where: string): FileDescription {
  const { names, dangerous } = readPrintedPickle(text, where);
  const warning = `it names ${dangerous.join(', ')}, which would run code: do not open it with Python`;
  return {
    kind: 'pickle',
    name,
    facts: { names: [...names] },
    notes: ['read as data; nothing of it was run', ...(dangerous.length > 0 ? [warning] : [])],
  };
}
