import { InputError } from '../errors.js';
import type { AcquisitionTime, EncoderInput, Place } from './encoder.js';

/**
 * Dates of a batch, checked.
 * @param steps dates of a sample
 * @returns [batch][time], undefined where the batch brings none
 * @throws InputError METADATA_INVALID
 */
export function timesOf(
  { times }: EncoderInput,
  batch: number,
  steps: number,
): readonly (readonly AcquisitionTime[])[] | undefined {
  if (times === undefined) return undefined;
  if (times.length !== batch || times.some((ofSample) => ofSample.length !== steps)) {
    throw invalid(
      'times',
      `The batch has ${batch} samples of ${steps} dates, and times are given for ${times.length} of ${times[0]?.length ?? 0}.`,
      'Give one time for every date of every sample.',
    );
  }
  times.forEach((ofSample, sample) => {
    ofSample.forEach(({ year, dayOfYear, hour }, step) => {
      const where = `times[${sample}][${step}]`;
      if (!Number.isFinite(year)) throw invalid(where, `${year} is no year.`, 'Give the year of the image.');
      if (!(dayOfYear >= 1 && dayOfYear <= 366)) {
        throw invalid(where, `${dayOfYear} is no day of a year.`, 'Days count from 1, up to 366.');
      }
      if (hour !== undefined && !(hour >= 0 && hour < 24)) {
        throw invalid(where, `${hour} is no hour of a day.`, 'Hours are UTC, 0 ≤ hour < 24.');
      }
    });
  });
  return times;
}

/**
 * Places of a batch, checked.
 * @returns [batch], undefined where the batch brings none
 * @throws InputError METADATA_INVALID
 */
export function placesOf({ places }: EncoderInput, batch: number): readonly Place[] | undefined {
  if (places === undefined) return undefined;
  if (places.length !== batch) {
    throw invalid(
      'places',
      `The batch has ${batch} samples, and ${places.length} places are given.`,
      'Give the place of every sample.',
    );
  }
  places.forEach(({ latitude, longitude }, sample) => {
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 360) return;
    throw invalid(
      `places[${sample}]`,
      `Latitude ${latitude}, longitude ${longitude} is no place.`,
      'Degrees, north and east positive; coordinates of a map projection have to be turned into them first.',
    );
  });
  return places;
}

/** What an encoder needs and the batch does not bring. */
export const missingInput = (what: string, where: string, hint: string): InputError =>
  new InputError('INPUT_MISSING', `The encoder needs ${what}, which the batch does not bring.`, {
    where,
    hint,
  });

const invalid = (where: string, message: string, hint: string): InputError =>
  new InputError('METADATA_INVALID', message, { where, hint });
