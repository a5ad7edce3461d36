import type { AcquisitionTime, Place } from '../encoder.js';

const TEMPERATURE = 10_000;

/**
 * Positions of a grid, in metres: sines and cosines of the column, then of the row, a quarter of the channels each.
 * The exponent of the frequencies is divided by the width once more than usual, so that all are close to the ground
 * sampling distance; the checkpoints were trained so.
 * @param gsdM metres per pixel
 * @returns [row · column, width]
 */
export function groundPositions(
  width: number,
  [rows, columns]: readonly [number, number],
  gsdM: number,
): Float32Array {
  const round = Math.fround;
  const quarter = width / 4;
  const frequencies = Array.from({ length: quarter }, (_, j) => {
    const exponent = round(round(2 * round(j / (quarter - 1))) / width);
    return round(round(1 / round(TEMPERATURE ** exponent)) * gsdM);
  });
  const table = new Float32Array(rows * columns * width);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * width;
      for (const [j, frequency] of frequencies.entries()) {
        const [across, down] = [round(column * frequency), round(row * frequency)];
        table[at + j] = Math.sin(across);
        table[at + quarter + j] = Math.cos(across);
        table[at + 2 * quarter + j] = Math.sin(down);
        table[at + 3 * quarter + j] = Math.cos(down);
      }
    }
  }
  return table;
}

/** Numbers that Clay knows of an image beside its pixels. */
export const METADATA_WIDTH = 8;

/**
 * Week of the year, hour of the day, latitude and longitude, each as sine and cosine; what is not known is 0, as in a
 * part of the training.
 */
export function metadataOf(time: AcquisitionTime | undefined, place: Place | undefined): number[] {
  const week = time && circle((isoWeek(time) / 52) * 2 * Math.PI);
  const hour = time?.hour === undefined ? undefined : circle((time.hour / 24) * 2 * Math.PI);
  const radians = (degrees: number): number => (degrees / 180) * Math.PI;
  const unknown = [0, 0];
  return [
    ...(week ?? unknown),
    ...(hour ?? unknown),
    ...(place ? circle(radians(place.latitude)) : unknown),
    ...(place ? circle(radians(place.longitude)) : unknown),
  ];
}

const circle = (angle: number): [number, number] => [Math.sin(angle), Math.cos(angle)];

const DAY_MS = 86_400_000;

/** Week of ISO 8601, 1 … 53: weeks begin on Monday, the first holds the year's first Thursday. */
function isoWeek({ year, dayOfYear }: AcquisitionTime): number {
  const date = Date.UTC(year, 0, dayOfYear);
  const weekday = (new Date(date).getUTCDay() + 6) % 7; // 0 is Monday
  const thursday = new Date(date + (3 - weekday) * DAY_MS);
  return 1 + Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / DAY_MS / 7);
}
