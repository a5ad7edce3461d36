import { InputError, UsageError } from '../../errors.js';
import type { LabelArray } from '../../io/raster.js';
import type { Random } from '../../random.js';
import { defineDataset, type Entry } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { sampleImage, stackTimes } from '../image.js';
import { toLabels } from '../labels.js';
import { resizeImageNearest, resizeNearest } from '../resize-nearest.js';
import type { SampleImage } from '../sample.js';

/** Tiles of a mosaic along each side. */
const TILES = 4;
/** Usable months that lie at least between the two of a training pair, the later one included. */
const LEAST_GAP = 5;

/** A site, and which of its usable months are compared. */
export interface Site extends Entry {
  /** Months without clouds and with labels, `YYYY-MM`, in the order of the metadata. */
  readonly months: readonly string[];
  /** Places in `months`. Default: the pair of evaluation. */
  readonly pair?: readonly [number, number];
}

/**
 * SpaceNet 7: change of buildings between two months, a PlanetScope mosaic of 1024 × 1024 px and 3 bands, 4 m, a site.
 * Bands, classes, sites of the splits, statistics, licence, known faults: data-manifests/datasets/spacenet7-change.json
 */
export const spacenet7Change = defineDataset<Site>('spacenet7-change', {
  /** The sites of the parameter `sites`, in its order. A site is a sample; the benchmark cuts it into 4 × 4 tiles. */
  async entries(split, io) {
    const file = 'metadata_train.json';
    const metadata = (await io.json(file)) as Readonly<Record<string, readonly MonthRecord[]>>;
    return sitesOf(split, io).map((id) => ({ id, months: usableMonths(metadata, id, io.path(file)) }));
  },

  /**
   * optical [time = 2, height, width, band = 3], 8-bit numbers, pixels outside the mosaic masked; target [height, width],
   * 1 = building in one month only; its parts `before` and `after` are the building maps.
   */
  async read({ id, months, pair }, io) {
    const evaluated = evaluationPair(months.length, io.isOn('first-and-middle'));
    const [earlier, later] = (pair ?? evaluated).map((place) => months[place]!).sort() as [string, string];
    const images = [await readMosaic(id, earlier, io), await readMosaic(id, later, io)];
    const before = await readBuildings(id, earlier, images[0]!, io);
    const after = await readBuildings(id, later, images[1]!, io);
    const change = before.data.map((label, pixel) => (label === after.data[pixel] ? 0 : 1));
    const labels: LabelArray = { ...before, data: change };
    return {
      images: { optical: stackTimes(images, io.path(`train/${id}`)) },
      target: { kind: 'mask', labels, stored: labels, parts: { before, after } },
      facts: { usable: months, evalPair: evaluated.map((place) => months[place]!).sort() },
    };
  },
});

/**
 * Two months of a site for training, as the reference draws them: the first uniformly among those that leave room, the
 * second uniformly among those at least five usable months later.
 * @param monthCount usable months of the site
 * @throws InputError SERIES_DATES for fewer than six
 */
export function drawPair(monthCount: number, random: Random): [number, number] {
  if (monthCount <= LEAST_GAP) throw tooFewMonths(monthCount, LEAST_GAP + 1);
  const first = random.integer(monthCount - LEAST_GAP);
  return [first, first + LEAST_GAP + random.integer(monthCount - LEAST_GAP - first)];
}

/** The first month and the last, or with the fault the middle one, places rounded down. */
const evaluationPair = (monthCount: number, isMiddle: boolean): [number, number] => [
  0,
  isMiddle ? Math.floor(monthCount / 2) : monthCount - 1,
];

interface MonthRecord {
  readonly year: number;
  readonly month: number;
  /** Whether there are clouds. */
  readonly mask: boolean;
  /** Whether there are labels. */
  readonly label: boolean;
}

function usableMonths(
  metadata: Readonly<Record<string, readonly MonthRecord[]>>,
  site: string,
  where: string,
): string[] {
  const records = Object.hasOwn(metadata, site) ? metadata[site] : undefined;
  if (!Array.isArray(records)) {
    throw new InputError('SPLIT_LIST', `The metadata has no site "${site}".`, {
      where,
      hint: 'Restore the file from the release, or name the sites that are there in the parameter "sites".',
    });
  }
  const usable = (records as readonly MonthRecord[]).filter(({ mask, label }) => !mask && label);
  if (usable.length < 2) throw tooFewMonths(usable.length, 2, `${where}, site ${site}`);
  return usable.map(({ year, month }) => `${year}-${String(month).padStart(2, '0')}`);
}

const tooFewMonths = (count: number, least: number, where?: string): InputError =>
  new InputError('SERIES_DATES', `${count} months can be used, and a pair takes ${least} or more.`, {
    ...(where !== undefined && { where }),
    hint: 'A month counts if it is free of clouds and has labels. Leave the site out, or restore its metadata.',
  });

function sitesOf(split: string, io: DatasetIo): readonly string[] {
  const sites = io.parameter('sites') as Readonly<Record<string, unknown>>;
  const list = sites[split];
  if (Array.isArray(list) && list.every((site) => typeof site === 'string')) return list;
  throw new UsageError(
    'PARAMETER_INVALID',
    `The parameter "sites" has no list of names for the split "${split}".`,
    {
      hint: 'It reads { train: ["…"], val: ["…"], test: ["…"] }.',
    },
  );
}

const mosaicOf = (site: string, month: string, folder: string, ending: string): string =>
  `train/${site}/${folder}/global_monthly_${month.replace('-', '_')}_mosaic_${site}${ending}.tif`;

async function readMosaic(site: string, month: string, io: DatasetIo): Promise<SampleImage> {
  const file = mosaicOf(site, month, 'images_masked', '');
  const raster = await io.pixels(file);
  const { data, bandCount, height, width } = raster;
  const bands = io.modality().bands.map(({ id }) => id);
  const pixels = new Uint8Array(height * width * bands.length);
  const valid = new Uint8Array(pixels.length);
  for (let pixel = 0; pixel < height * width; pixel++) {
    const alpha = bandCount > bands.length ? data[pixel * bandCount + bands.length]! : 255;
    for (let band = 0; band < bands.length; band++) {
      pixels[pixel * bands.length + band] = data[pixel * bandCount + band]!;
      valid[pixel * bands.length + band] = alpha > 0 ? 1 : 0;
    }
  }
  const isWhole = !valid.includes(0);
  const image = sampleImage(
    { ...raster, data: pixels, bands, dates: [month], valid: isWhole ? null : valid },
    io.path(file),
  );
  return resizeImageNearest(image, fullSize(image, io));
}

/** 1 = building. */
async function readBuildings(
  site: string,
  month: string,
  size: { readonly height: number; readonly width: number },
  io: DatasetIo,
): Promise<LabelArray> {
  const file = mosaicOf(site, month, 'labels_raster', '_Buildings');
  const { data, height, width } = toLabels(await io.pixels(file, [0]), io.path(file));
  const buildings = Uint8Array.from(data, (value) => (value > 0 ? 1 : 0));
  const { height: rows, width: columns } = fullSize({ height, width }, io);
  if (rows !== size.height || columns !== size.width) {
    throw new InputError(
      'IMAGE_SIZE',
      `The labels have ${rows} × ${columns} px, the mosaic ${size.height} × ${size.width}.`,
      {
        where: io.path(file),
        hint: 'Mosaic and labels of a month have one size: restore the one that differs.',
      },
    );
  }
  return { data: resizeNearest(buildings, { height, width }, size), height: rows, width: columns };
}

/** Some mosaics have 1023 rows or columns: the reference brings all to 1024 by the nearest pixel. */
function fullSize(
  { height, width }: { readonly height: number; readonly width: number },
  { manifest }: DatasetIo,
): { height: number; width: number } {
  const [tileHeight, tileWidth] = manifest.imageSize ?? [0, 0];
  const complete = (size: number, full: number): number => (size < full && size > full - TILES ? full : size);
  return { height: complete(height, TILES * tileHeight), width: complete(width, TILES * tileWidth) };
}
