import { resize } from '../../engine/ops/resize.js';
import { tf, type Tensor3D, type Tensor4D } from '../../engine/tf.js';
import type { AcquisitionTime, Place } from '../encoder.js';
import { sineFeatures, sineFrequencies, type Precision } from '../sine-features.js';

/** Steps of time, rows and columns of patches. */
export type SpaceTimeGrid = readonly [time: number, rows: number, columns: number];

/**
 * Fixed positions in space and time, a zero row for the class token first, [1 + time · row · column, width]: 6/16 of
 * the channels for the column, 6/16 for the row, 4/16 for the time.
 */
export function spaceTimePositions(width: number, [steps, rows, columns]: SpaceTimeGrid): Float32Array {
  const unit = Math.floor(width / 16);
  const axis = (size: number, channels: number): Float32Array =>
    sineFeatures(
      Array.from({ length: size }, (_, i) => i),
      sineFrequencies(channels / 2, { precision: 'float64' }),
      'float64',
    );
  const [ofColumn, ofRow, ofTime] = [axis(columns, 6 * unit), axis(rows, 6 * unit), axis(steps, 4 * unit)];
  const table = new Float32Array((1 + steps * rows * columns) * width);
  let at = width;
  for (let step = 0; step < steps; step++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        table.set(ofColumn.subarray(column * 6 * unit, (column + 1) * 6 * unit), at);
        table.set(ofRow.subarray(row * 6 * unit, (row + 1) * 6 * unit), at + 6 * unit);
        table.set(ofTime.subarray(step * 4 * unit, (step + 1) * 4 * unit), at + 12 * unit);
        at += width;
      }
    }
  }
  return table;
}

/**
 * The positions of a grid for images of another size, as TerraTorch has it: the table of the same steps of time, each
 * step's map resized by bicubic interpolation, corners on corners.
 * @returns [1, 1 + time · row · column, width]
 */
export function positionsFor(width: number, [, rows, columns]: SpaceTimeGrid, to: SpaceTimeGrid): Tensor3D {
  const values = spaceTimePositions(width, [to[0], rows, columns]);
  return tf.tidy(() => {
    const table = tf.tensor3d(values, [1, 1 + to[0] * rows * columns, width]);
    if (to[1] === rows && to[2] === columns) return table;
    const maps = tf.reshape(tf.slice(table, [0, 1, 0], [-1, -1, -1]), [to[0], rows, columns, width]);
    const resized = resize(maps as Tensor4D, [to[1], to[2]], { mode: 'bicubic', alignCorners: true });
    return tf.concat([tf.slice(table, [0, 0, 0], [1, 1, -1]), tf.reshape(resized, [1, -1, width])], 1);
  });
}

const PRECISION: Precision = 'float32';

/** Two numbers, each by half of the channels: [count, width]. */
function pairFeatures(pairs: readonly (readonly [number, number])[], width: number): Float32Array {
  const half = Math.floor(width / 2);
  const features = [half, width - half].map((channels, which) =>
    sineFeatures(
      pairs.map((pair) => pair[which]!),
      sineFrequencies(Math.floor(channels / 2), { precision: PRECISION }),
      PRECISION,
    ),
  ) as [Float32Array, Float32Array];
  const values = new Float32Array(pairs.length * width);
  pairs.forEach((_, row) => {
    values.set(features[0].subarray(row * half, (row + 1) * half), row * width);
    values.set(features[1].subarray(row * (width - half), (row + 1) * (width - half)), row * width + half);
  });
  return values;
}

/** Year and day of the year of every image: [batch, time, width]. */
export function timeFeatures(times: readonly (readonly AcquisitionTime[])[], width: number): Tensor3D {
  const pairs = times.flat().map(({ year, dayOfYear }): [number, number] => [year, dayOfYear]);
  return tf.tensor3d(pairFeatures(pairs, width), [times.length, times[0]!.length, width]);
}

/** Latitude and longitude: [batch, 1, width]. */
export function placeFeatures(places: readonly Place[], width: number): Tensor3D {
  const pairs = places.map(({ latitude, longitude }): [number, number] => [latitude, longitude]);
  return tf.tensor3d(pairFeatures(pairs, width), [places.length, 1, width]);
}
