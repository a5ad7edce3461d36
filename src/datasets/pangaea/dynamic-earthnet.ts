import { InputError } from '../../errors.js';
import type { LabelArray } from '../../io/raster.js';
import { imageOfArray, labelsOfArray } from '../arrays.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { stackTimes } from '../image.js';
import type { SampleImage } from '../sample.js';

/** Days of the month that make a sample. */
const DAYS = ['01', '02', '03', '04', '05', '06'];
/** Channel of a released label that has no class: snow and ice. */
const SNOW = 6;

/**
 * DynamicEarthNet: land cover a month, 1024 × 1024 px, six days of 4 PlanetFusion bands, 3 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/dynamic-earthnet.json
 */
export const dynamicEarthnet = defineDataset('dynamic-earthnet', {
  /** A line a month, in the order of the list. */
  async entries(split, io) {
    const list = `dynnet_training_splits/${split}.txt`;
    const lines = await io.lines(list);
    return lines.map((line) => monthOf(line, io.path(list)));
  },

  /**
   * optical [time = 6, height, width, band = 4], reflectance × 10 000; target [height, width], −1 = snow and ice.
   * Files are read as the reference's arrays, or where there are none, as the release's GeoTIFF.
   */
  async read({ images, label, month }, io) {
    const days = DAYS.map((day) => `${month}-${day}`);
    const steps: SampleImage[] = [];
    for (const day of days) steps.push(await readDay(`${images}/${day}`, day, io));
    return {
      images: { optical: stackTimes(steps, io.path(images)) },
      target: io.mapLabels(await readLabels(label, io), io.path(label)),
      facts: { dates: days, days_since_20180101: days.map(daysSinceStart) },
    };
  },
});

interface Month {
  readonly id: string;
  /** Line of the list, by which the reference names a sample. */
  readonly line: string;
  /** Folder of the days. */
  readonly images: string;
  /** Path without the ending. */
  readonly label: string;
  /** `YYYY-MM`. */
  readonly month: string;
}

function monthOf(line: string, where: string): Month {
  const [folder, label, month, ...rest] = line.split(/\s+/);
  if (!folder || !label || !month || rest.length > 0 || !/^\d{4}-\d{2}$/.test(month)) {
    throw new InputError('SPLIT_LIST', `"${line.slice(0, 80)}" names no month of a cube.`, {
      where,
      hint: 'A line reads <image folder> <label file> <YYYY-MM>: restore the list of the release.',
    });
  }
  // the lists name the places of the authors' own disks
  const images = folder.replace('reprocess-cropped/UTM-24000', 'planet').replace(/^\//, '');
  const parts = images.split('/').filter((part) => part !== 'PF-SR');
  return {
    id: `${parts.at(-1)!} ${month}`,
    line,
    images,
    label: label.replace(/^\//, '').replace(/\.(tiff?|npy)$/i, ''),
    month,
  };
}

async function readDay(path: string, day: string, io: DatasetIo): Promise<SampleImage> {
  const array = `${path}.npy`;
  if (!io.exists(array) && io.exists(`${path}.tif`))
    return { ...(await io.raster(`${path}.tif`)), dates: [day] };
  const bands = io.modality().bands.map(({ id }) => id);
  return imageOfArray(await io.array(array), { axes: 'byx', bands, dates: [day], where: io.path(array) });
}

async function readLabels(path: string, io: DatasetIo): Promise<LabelArray> {
  const array = `${path}.npy`;
  if (io.exists(array) || !io.exists(`${path}.tif`))
    return labelsOfArray(await io.array(array), io.path(array));
  return classOfChannels(`${path}.tif`, io);
}

/** The release's label map: seven channels, 255 in the one of the class. */
async function classOfChannels(file: string, io: DatasetIo): Promise<LabelArray> {
  const { data, height, width, bandCount } = await io.pixels(file);
  const labels = new Int16Array(height * width);
  for (let pixel = 0; pixel < labels.length; pixel++) {
    const channels = data.subarray(pixel * bandCount, (pixel + 1) * bandCount);
    const channel = channels.indexOf(255);
    if (channel < 0 || channel > SNOW) {
      throw new InputError('LABEL_UNREADABLE', 'A pixel has no class: none of its seven channels is 255.', {
        where: io.path(file),
        hint: `Pixel at row ${Math.floor(pixel / width)}, column ${pixel % width} of ${bandCount} channels.`,
      });
    }
    labels[pixel] = channel === SNOW ? -1 : channel;
  }
  return { data: labels, height, width };
}

/** Days since 1 January 2018, the first of the series. */
const daysSinceStart = (day: string): number => (Date.parse(day) - Date.UTC(2018, 0, 1)) / 86_400_000;
