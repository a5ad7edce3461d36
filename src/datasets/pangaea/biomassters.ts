import { InputError } from '../../errors.js';
import { csvColumn, readCsv } from '../../io/csv.js';
import type { RasterArray } from '../../io/raster.js';
import { emptySteps } from '../arrays.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { sampleImage, stackTimes } from '../image.js';
import type { SampleImage, TargetOf } from '../sample.js';

/** 00 = September … 11 = August. */
const MONTHS = Array.from({ length: 12 }, (_, month) => String(month).padStart(2, '0'));

/**
 * BioMassters: biomass of Finnish forests, 256 × 256 px, twelve months of 10 Sentinel-2 bands with cloud probability and of
 * 4 Sentinel-1 bands, 10 m.
 * Bands, splits, statistics, licence, known faults: data-manifests/datasets/biomassters.json
 */
export const biomassters = defineDataset('biomassters', {
  /** In the order of the list; the files of `val` lie in the folders of `train`. */
  entries(split, io) {
    const list = `${split}_Data_list.csv`;
    if (!io.exists(list)) {
      throw new InputError('FILE_MISSING', `There is no list ${list}.`, {
        where: io.path(list),
        hint: 'The lists of the benchmark were never released: write one with a column "chip_id", one chip a line.',
      });
    }
    const folder = split === 'test' ? 'test' : 'train';
    const chips = csvColumn(readCsv(io.path(list), { delimiter: ',' }), 'chip_id');
    return chips.map((chip) => ({ id: chip.trim(), folder }));
  },

  /**
   * optical [time = 12, height, width, band = 11], reflectance × 10 000 and cloud probability; sar [time = 12, height,
   * width, band = 4], dB, −9999 masked; a month without a file is zeros; target [height, width], biomass.
   */
  async read({ id, folder }, io) {
    const biomass = await io.pixels(`${folder}_agbm/${id}_agbm.tif`, [0]);
    const series = { id, folder, size: biomass };
    const optical = await readSeries({ ...series, modality: 'optical', sensor: 'S2' }, io);
    const sar = await readSeries({ ...series, modality: 'sar', sensor: 'S1' }, io);
    return {
      images: { optical: optical.image, sar: sar.image },
      target: targetOf(biomass),
      facts: { missingS2Months: optical.missing, missingS1Months: sar.missing },
    };
  },
});

interface Series {
  readonly id: string;
  readonly folder: string;
  readonly modality: string;
  readonly sensor: 'S1' | 'S2';
  /** Of the target: a series without any file has it as well. */
  readonly size: { readonly height: number; readonly width: number };
}

async function readSeries(
  { id, folder, modality, sensor, size }: Series,
  io: DatasetIo,
): Promise<{ image: SampleImage; missing: number[] }> {
  const months: (SampleImage | null)[] = [];
  for (const month of MONTHS) {
    const file = `${folder}_features/${id}_${sensor}_${month}.tif`;
    months.push(io.exists(file) ? await io.raster(file, modality) : null);
  }
  const like = months.find((image) => image !== null) ?? blank(modality, sensor, size, io);
  const empty = emptySteps(like, 1, io.isOn('padding-as-value'));
  return {
    image: stackTimes(
      months.map((image) => image ?? empty),
      io.path(`${folder}_features/${id}_${sensor}`),
    ),
    missing: months.flatMap((image, month) => (image === null ? [month] : [])),
  };
}

function blank(
  modality: string,
  sensor: 'S1' | 'S2',
  { height, width }: Series['size'],
  io: DatasetIo,
): SampleImage {
  const bands = io.modality(modality).bands.map((band) => band.id);
  const Pixels = sensor === 'S2' ? Uint16Array : Float32Array; // types of the release
  return sampleImage({ data: new Pixels(height * width * bands.length), height, width, bands });
}

/** NaN is no value. */
function targetOf({ data, height, width }: RasterArray): TargetOf<'values'> {
  const values = data instanceof Float64Array ? data : Float32Array.from(data);
  const valid = values.some((value) => Number.isNaN(value))
    ? Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1))
    : null;
  return { kind: 'values', values, height, width, valid };
}
