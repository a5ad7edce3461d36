import type { Directory } from './directory.js';
import { parseGdalMetadata, type GdalMetadata } from './gdal-metadata.js';
import { readGeoreference, type Georeference } from './georeference.js';
import { compressionName, type Layout, type SampleType } from './layout.js';
import { parseNodata } from './nodata.js';
import { pageSize, type Pages } from './pages.js';
import { TAG } from './tags.js';

/** One band as the file describes it. */
export interface BandInfo {
  readonly name: string | null;
  readonly unit: string | null;
  /** value = stored · scale + offset */
  readonly scale: number;
  readonly offset: number;
  readonly isAlpha: boolean;
  /** Further items, as text. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What the header of a GeoTIFF says about its image. */
export interface GeoTiffInfo extends Georeference {
  readonly width: number;
  readonly height: number;
  readonly bandCount: number;
  /** As read; float16 is read as float32. */
  readonly type: SampleType;
  readonly bitsPerSample: number;
  readonly bands: readonly BandInfo[];
  /** Value of hidden pixels; null: none, or one that the type cannot hold. */
  readonly nodata: number | null;
  /** The same as it is written, blanks at its end included; null: none. */
  readonly nodataText: string | null;
  /** Place of the band that says how opaque a pixel is, from 0; null: none. */
  readonly alphaBand: number | null;
  /** Whether a page says which pixels count. */
  readonly hasMask: boolean;
  /** Colours of a palette image by index, 8 bits each; null: none. Pixels are read as indices. */
  readonly palette: readonly (readonly [red: number, green: number, blue: number])[] | null;
  readonly compression: string;
  readonly predictor: 1 | 2 | 3;
  readonly photometric: number;
  readonly interleave: 'pixel' | 'band';
  readonly isTiled: boolean;
  /** [height, width] */
  readonly blockSize: readonly [number, number];
  /** [height, width] of each smaller copy. */
  readonly overviews: readonly (readonly [height: number, width: number])[];
  /** [height, width] of each full-size page; the first is the image. */
  readonly pageSizes: readonly (readonly [height: number, width: number])[];
  /** Items of the file, as text: never opened, whatever they hold. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Describes the first image. Place, bands and nodata are those of the full-size page. */
export function describePage(pages: Pages, page: Directory, layout: Layout, hasMask: boolean): GeoTiffInfo {
  const text = page.text(TAG.gdalMetadata);
  const metadata = parseGdalMetadata(text ?? '');
  const alphaBand = findAlpha(page, layout, metadata);
  const nodataText = page.text(TAG.gdalNodata);
  return {
    ...readGeoreference(page),
    width: layout.width,
    height: layout.height,
    bandCount: layout.bandCount,
    type: layout.type,
    bitsPerSample: layout.bits,
    bands: Array.from({ length: layout.bandCount }, (_, band) =>
      bandInfo(metadata, band, band === alphaBand),
    ),
    nodata: parseNodata(nodataText, layout.type),
    nodataText: nodataText?.replace(/\0+$/, '') ?? null,
    alphaBand,
    hasMask,
    palette: readPalette(page, layout),
    compression: compressionName(layout.compression),
    predictor: layout.predictor,
    photometric: layout.photometric,
    interleave: layout.isPlanar ? 'band' : 'pixel',
    isTiled: layout.isTiled,
    blockSize: [layout.blockHeight, layout.blockWidth],
    overviews: pages.overviews.map(pageSize),
    pageSizes: pages.images.map(pageSize),
    metadata: Object.fromEntries(metadata.items),
  };
}

function bandInfo(metadata: GdalMetadata, place: number, isAlpha: boolean): BandInfo {
  const { name, unit, scale = 1, offset = 0, items } = metadata.bands.get(place) ?? {};
  return {
    name: name ?? null,
    unit: unit ?? null,
    scale: Number.isFinite(scale) ? scale : 1,
    offset: Number.isFinite(offset) ? offset : 0,
    isAlpha,
    metadata: Object.fromEntries(items ?? []),
  };
}

/** Samples of a pixel's colour, by photometric interpretation. */
const COLOUR_SAMPLES: Readonly<Record<number, number>> = { 2: 3, 5: 4, 6: 3, 8: 3 };

function findAlpha(page: Directory, layout: Layout, metadata: GdalMetadata): number | null {
  const extra = page.numbers(TAG.extraSamples) ?? [];
  const first = layout.bandCount - extra.length;
  const place = extra.findIndex((kind) => kind === 1 || kind === 2);
  if (place >= 0 && first >= (COLOUR_SAMPLES[layout.photometric] ?? 1)) return first + place;
  const named = [...metadata.bands].find(([, { colour }]) => colour?.toLowerCase() === 'alpha');
  return named && named[0] < layout.bandCount ? named[0] : null;
}

function readPalette(page: Directory, { bits }: Layout): GeoTiffInfo['palette'] {
  const values = page.numbers(TAG.colorMap);
  const count = 2 ** bits;
  // some writers leave the photometric interpretation at grey
  if (bits > 16 || values?.length !== 3 * count) return null;
  const channel = (place: number, index: number): number => values[place * count + index]! >> 8;
  return Array.from({ length: count }, (_, index) => [
    channel(0, index),
    channel(1, index),
    channel(2, index),
  ]);
}
