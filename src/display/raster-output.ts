import type { MimeBundle } from './mime.js';
import { classColors } from './palette.js';
import { colorPixels, labelPixels, toPicture, type PictureOptions } from './picture.js';
import {
  bandsOf,
  describeRaster,
  elementOf,
  summarizeRaster,
  type BandSummary,
  type RasterLike,
} from './raster.js';
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
  if (isLabels(raster)) return labelsBundle(raster);
  const { bands, rowStep } = summarizeRaster(raster);
  const rows = bands.map((band, index) => bandRow(context.bandNames?.[index] ?? `${index}`, band));
  const [stepX, , , , stepY] = raster.transform ?? [];
  const facts: Fact[] = [
    ['size', describeRaster(raster)],
    ['coordinates', typeof raster.epsg === 'number' ? `EPSG:${raster.epsg}` : undefined],
    [
      'pixel',
      stepX !== undefined && stepY !== undefined ? `${Math.abs(stepX)} × ${Math.abs(stepY)}` : undefined,
    ],
    ['no data', raster.nodata],
  ];
  const notes = rowStep > 1 ? [`Values of every row number ${rowStep} of this large image.`] : [];
  return sheetBundle({
    title: context.title ?? 'Raster',
    picture: rasterPicture(raster, { bands: context.rgb }),
    facts,
    tables: [{ rows, maximumRows: 30 }],
    notes,
  });
}

/** What is known of a label map beside its pixels. */
export interface LabelsContext {
  /** Names of the classes by label. */
  readonly classes?: readonly string[];
  readonly title?: string;
}

/** A label map: its picture, and how many pixels have each label. */
export function labelsBundle(labels: RasterLike, { classes, title }: LabelsContext = {}): MimeBundle {
  const colors = classColors(classes ?? UNNAMED_CLASSES);
  const counts = new Map<number, number>();
  for (const label of labels.data) counts.set(label, (counts.get(label) ?? 0) + 1);
  const rows = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([label, pixels]) => ({
      label: `${label}`,
      ...(classes && { class: classes[label] ?? '' }),
      pixels,
      '%': (100 * pixels) / labels.data.length,
    }));
  return sheetBundle({
    title: title ?? 'Label map',
    picture: toPicture(labelPixels(labels, colors), `label map, ${describeRaster(labels)}`),
    facts: [['size', describeRaster(labels)]],
    tables: [{ rows, digits: 1 }],
  });
}

/** A label map of `io/raster.ts` has no bands. */
const isLabels = (raster: RasterLike): boolean =>
  raster.bandCount === undefined &&
  raster.channels === undefined &&
  bandsOf(raster) === 1 &&
  !elementOf(raster).startsWith('float');

function bandRow(band: string, { minimum, mean, maximum, hidden }: BandSummary): Record<string, unknown> {
  return { band, min: minimum, mean, max: maximum, 'no data %': hidden * 100 };
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

/** Label 0 is mostly the background; there are as many colours as a byte has labels. */
const UNNAMED_CLASSES = Array.from({ length: 256 }, (_, label) => (label === 0 ? 'background' : `${label}`));
