import type { MimeBundle } from './mime.js';
import { formatNumber } from './numbers.js';
import { classColors } from './palette.js';
import { colorPixels, labelPixels, toPicture, type PictureOptions } from './picture.js';
import { bandsOf, describeRaster, summarizeRaster, type BandSummary, type RasterLike } from './raster.js';
import { sheetBundle, type Fact } from './sheet.js';

/** What is known of a raster beside its pixels. */
export interface RasterContext {
  /** Names of the bands, in the raster's order. */
  readonly bandNames?: readonly string[];
  /** Places of the bands for red, green and blue; default the first three, or the first as grey. */
  readonly rgb?: readonly number[];
  readonly title?: string;
}

interface Place {
  readonly epsg?: number | null;
  readonly transform?: readonly number[] | null;
}

/** A thumbnail, and a table with least, mean and greatest value of each band and its share of hidden pixels. */
export function rasterBundle(raster: RasterLike & Place, context: RasterContext = {}): MimeBundle {
  const { bands, rowStep } = summarizeRaster(raster);
  const rows = bands.map((band, index) => bandRow(context.bandNames?.[index] ?? `${index}`, band));
  const [stepX, , , , stepY] = raster.transform ?? [];
  const facts: Fact[] = [
    ['size', describeRaster(raster)],
    ['coordinates', typeof raster.epsg === 'number' ? `EPSG:${raster.epsg}` : undefined],
    ['pixel', stepX !== undefined && stepY !== undefined ? `${stepX} × ${stepY}` : undefined],
    ['no data', raster.nodata],
  ];
  const notes = rowStep > 1 ? [`Values of every row number ${rowStep} of this large image.`] : [];
  const picture = isLabels(raster) ? labelPicture(raster) : rasterPicture(raster, { bands: context.rgb });
  return sheetBundle({
    title: context.title ?? (isLabels(raster) ? 'Label map' : 'Raster'),
    picture,
    facts,
    tables: [{ rows, maximumRows: 30 }],
    notes,
  });
}

/** A label map of `io/raster.ts` has no bands. */
const isLabels = (raster: RasterLike): boolean =>
  raster.bandCount === undefined && raster.channels === undefined && bandsOf(raster) === 1;

function bandRow(band: string, { minimum, mean, maximum, hidden }: BandSummary): Record<string, unknown> {
  return { band, min: minimum, mean, max: maximum, 'no data': `${formatNumber(hidden * 100, 1)} %` };
}

/** @throws RangeError for bands that the raster does not have */
export const rasterPicture = (
  raster: RasterLike,
  options: { readonly [Name in keyof PictureOptions]?: PictureOptions[Name] | undefined } = {},
) => {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { alt } = options;
  return toPicture(colorPixels(raster, given), alt ?? describeRaster(raster));
};

const labelPicture = (labels: RasterLike) => {
  const names = Array.from({ length: 256 }, (_, index) => (index === 0 ? 'background' : `${index}`));
  return toPicture(labelPixels(labels, classColors(names)), `label map, ${describeRaster(labels)}`);
};
