import { InputError } from '../../errors.js';
import { csvColumn, readCsv } from '../../io/csv.js';
import { NpzFile } from '../../io/npz.js';
import type { NpyArray } from '../../io/npy.js';
import { emptySteps, imageOfArray, labelsOfArray } from '../arrays.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { stackTimes } from '../image.js';
import type { SampleImage, SampleParts } from '../sample.js';

const ROOT = 'southsudan';
const PARTITIONS: Readonly<Record<string, string>> = { train: '0', val: '1', test: '2' };
const STEP_COUNT = 6;

/**
 * Crop Type Mapping, South Sudan: 64 × 64 px, six dates of 10 Sentinel-2 bands and of 2 Sentinel-1 bands, 10 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/crop-type-mapping-ss.json
 */
export const cropTypeMappingSs = defineDataset<Field>('crop-type-mapping-ss', {
  /** In the order of the list. Without the fault `corrupt-skipped`, samples whose archive cannot be opened are left out. */
  async entries(split, io) {
    const listed = fieldsIn(split, io);
    if (io.isOn('corrupt-skipped')) {
      return listed.map((field, place) => ({ ...field, instead: listed.slice(place + 1) }));
    }
    const fields: Field[] = [];
    for (const field of listed) if ((await findDamage(field, io)) === null) fields.push(field);
    return fields;
  },

  /**
   * optical [time = 6, height, width, band = 10], reflectance × 10 000, and sar [time = 6, height, width, band = 2], dB:
   * the six latest dates of each, latest first, zeros behind where there are fewer; target [height, width], −1 = no label
   * or another crop.
   */
  async read(field, io) {
    for (const candidate of [field, ...(field.instead ?? [])]) {
      try {
        return await readField(candidate, io);
      } catch (error) {
        // the reference goes on to the next sample, and past the end after the last
        if (!io.isOn('corrupt-skipped') || !isDamage(error) || candidate === (field.instead?.at(-1) ?? field))
          throw error;
      }
    }
    return readField(field, io);
  },

  /** `damaged`: samples that were left out, by split, with the reason. */
  async facts(io) {
    const damaged: Record<string, unknown>[] = [];
    for (const split of Object.keys(PARTITIONS)) {
      for (const field of fieldsIn(split, io)) {
        const error = await findDamage(field, io);
        if (error)
          damaged.push({ split, id: field.id, code: error.code, reason: error.message, where: error.where });
      }
    }
    return { damaged };
  },
});

interface Field {
  readonly id: string;
  /** `southsudan_<id, six digits>`. */
  readonly stem: string;
  /** Samples behind it in the list, which the reference takes where this one is damaged. */
  readonly instead?: readonly Field[];
}

function fieldsIn(split: string, io: DatasetIo): Field[] {
  const table = readCsv(io.path(`${ROOT}/list_eval_partition.csv`), { delimiter: ',' });
  const partitions = csvColumn(table, 'partition');
  return csvColumn(table, 'id').flatMap((cell, row) => {
    const id = cell.trim();
    const isOurs = Number(partitions[row]) === Number(PARTITIONS[split]);
    return isOurs ? [{ id, stem: `southsudan_${id.padStart(6, '0')}` }] : [];
  });
}

const archiveOf = ({ stem }: Field): string => `${ROOT}/npy/${stem}.npz`;

/** Whether the content is at fault: a file that is not there, or that may not be read, is not damaged. */
const isDamage = (error: unknown): error is InputError =>
  error instanceof InputError &&
  !['FILE_MISSING', 'NO_PERMISSION', 'NOT_A_FILE', 'READ_FAILED'].includes(error.code);

/** Opens the archive and reads its list of arrays; null where that works. */
async function findDamage(field: Field, io: DatasetIo): Promise<InputError | null> {
  io.signal?.throwIfAborted();
  try {
    (await NpzFile.open(io.path(archiveOf(field)))).close();
    return null;
  } catch (error) {
    if (isDamage(error)) return error;
    throw error;
  }
}

async function readField(field: Field, io: DatasetIo): Promise<SampleParts> {
  const file = archiveOf(field);
  const [radar, optical] = (await io.arrays(file, ['s1', 's2'])) as [NpyArray, NpyArray];
  const truth = `${ROOT}/truth/${field.stem}.npz`;
  const [classes] = (await io.arrays(truth, ['truth'])) as [NpyArray];
  const [sarDates, opticalDates] = [await readDates('s1', field, io), await readDates('s2', field, io)];
  return {
    images: {
      optical: latestSteps(optical, opticalDates, 'optical', io.path(file), io),
      sar: latestSteps(radar, sarDates, 'sar', io.path(file), io),
    },
    target: io.mapLabels(labelsOfArray(classes, io.path(truth)), io.path(truth)),
    facts: {
      rawSteps: { s1: radar.shape.at(-1), s2: optical.shape.at(-1) },
      dates: { sar: latestNumbers(sarDates), optical: latestNumbers(opticalDates) },
    },
  };
}

function latestSteps(
  array: NpyArray,
  dates: readonly string[],
  modality: string,
  where: string,
  io: DatasetIo,
): SampleImage {
  const bands = io.modality(modality).bands.map(({ id }) => id);
  const count = array.shape.at(-1) ?? 0;
  const steps = Array.from({ length: Math.min(count, STEP_COUNT) }, (_, back) => count - 1 - back);
  const image = imageOfArray(array, { axes: 'byxt', bands, steps, where });
  const dated = { ...image, dates: steps.map((step) => dates[step] ?? null) };
  if (steps.length === STEP_COUNT) return dated;
  return stackTimes(
    [dated, emptySteps(image, STEP_COUNT - steps.length, io.isOn('padding-as-value'))],
    where,
  );
}

async function readDates(sensor: 's1' | 's2', { stem }: Field, io: DatasetIo): Promise<string[]> {
  const file = `${ROOT}/${sensor}/${sensor}_${stem}.json`;
  const { dates } = (await io.json(file)) as { dates?: unknown };
  if (Array.isArray(dates) && dates.every((date) => /^\d{4}-\d{2}-\d{2}/.test(String(date))))
    return dates.map((date) => String(date).slice(0, 10));
  throw new InputError('SERIES_DATES', 'The file has no list "dates" of YYYY-MM-DD.', {
    where: io.path(file),
    hint: 'Restore it from the release.',
  });
}

/** YYYYMMDD, latest first, 0 behind: as the reference hands dates on. */
function latestNumbers(dates: readonly string[]): number[] {
  const latest = dates.toReversed().map((date) => Number(date.replaceAll('-', '')));
  return [...latest, ...new Array<number>(STEP_COUNT).fill(0)].slice(0, STEP_COUNT);
}
