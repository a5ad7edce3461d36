import { tf, type Tensor, type Tensor2D, type Tensor4D } from '../engine/tf.js';

/** How the two numbers of a pair that turns together lie in a head: apart by half its width, or side by side. */
export type RotaryPairs = 'halves' | 'neighbours';

/** Sines and cosines of the turn of every patch, [row · column, headWidth] each. */
export interface RotaryTable {
  readonly sine: Tensor2D;
  readonly cosine: Tensor2D;
}

/** Periods of DINOv3's turns, longest last: temperature^(2 j / (headWidth / 2)). */
export function rotaryPeriods(headWidth: number, temperature: number): Float32Array {
  const count = headWidth / 4;
  return Float32Array.from({ length: count }, (_, j) =>
    Math.fround(temperature ** Math.fround((2 * j) / (headWidth / 2))),
  );
}

/**
 * Turns of a grid as DINOv3 has them: rows and columns scaled to −1 … 1 between the borders of the image, patches at
 * their centres; the first half of the pairs follows the row, the other the column.
 * @param periods [headWidth / 4]
 */
export function rotaryTable(
  [rows, columns]: readonly [number, number],
  periods: Tensor,
  pairs: RotaryPairs,
): RotaryTable {
  return tf.tidy(() => {
    const centres = (size: number): Float32Array =>
      Float32Array.from({ length: size }, (_, i) => Math.fround((2 * (i + 0.5)) / size - 1));
    const [down, across] = [centres(rows), centres(columns)];
    const coordinates = new Float32Array(rows * columns * 2);
    for (let i = 0; i < rows * columns; i++) {
      coordinates[2 * i] = down[Math.floor(i / columns)]!;
      coordinates[2 * i + 1] = across[i % columns]!;
    }
    const count = periods.size;
    const place = tf.tensor(coordinates, [rows * columns, 2, 1]);
    const turns = tf.div(tf.mul(place, 2 * Math.PI), periods.reshape([1, 1, count]));
    const angles = turns.reshape([rows * columns, 2 * count]);
    const both =
      pairs === 'halves'
        ? tf.concat([angles, angles], 1)
        : tf.tile(angles.expandDims(2), [1, 1, 2]).reshape([rows * columns, 4 * count]);
    return { sine: tf.sin(both) as Tensor2D, cosine: tf.cos(both) as Tensor2D };
  });
}

/**
 * Turns queries or keys by their place; the first tokens, which have none, stay.
 * @returns [batch, head, prefix + row · column, headWidth] → the same
 */
export function rotation(
  { sine, cosine }: RotaryTable,
  prefixCount: number,
  pairs: RotaryPairs,
): (x: Tensor4D) => Tensor4D {
  const width = sine.shape[1];
  const cosines = tf.concat([tf.ones([prefixCount, width]), cosine], 0);
  // the partner of a pair's first number enters with a minus
  const isFirst = (channel: number): boolean =>
    pairs === 'halves' ? channel < width / 2 : channel % 2 === 0;
  const signs = tf.tensor1d(Array.from({ length: width }, (_, channel) => (isFirst(channel) ? -1 : 1)));
  const sines = tf.concat([tf.zeros([prefixCount, width]), tf.mul(sine, signs)], 0);
  return (x) => tf.tidy(() => tf.add(tf.mul(x, cosines), tf.mul(partners(x, pairs), sines)) as Tensor4D);
}

/** Every number in the place of the other of its pair. */
function partners(x: Tensor4D, pairs: RotaryPairs): Tensor {
  const { shape } = x;
  if (pairs === 'halves') {
    const [first, second] = tf.split(x, 2, -1) as [Tensor4D, Tensor4D];
    return tf.concat([second, first], -1);
  }
  const [first, second] = tf.split(x.reshape([...shape.slice(0, 3), shape[3] / 2, 2]), 2, -1) as [
    Tensor,
    Tensor,
  ];
  return tf.concat([second, first], -1).reshape(shape);
}
