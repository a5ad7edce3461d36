import { InputError } from '../errors.js';
import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { EncoderInput } from './encoder.js';

/**
 * The one image of a batch, of whatever modality, for encoders of one date.
 * @returns [batch, height, width, band]
 * @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH
 */
export function imageOf(input: EncoderInput, bandCount: number): Tensor4D {
  const name = onlyModality(input);
  return singleDate(name, input.images[name]!, bandCount);
}

/**
 * The one modality of a batch, of whatever name, as a time series: of so many dates, if that matters.
 * @returns [batch, time, height, width, band]
 * @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH
 */
export function imageSeriesOf(input: EncoderInput, bandCount: number, dateCount?: number): Tensor5D {
  const name = onlyModality(input);
  const series = seriesOf(input, name, bandCount);
  if (dateCount === undefined || series.shape[1] === dateCount) return series;
  throw new InputError(
    'TIME_STEPS',
    `${name} has ${series.shape[1]} dates, and the encoder takes ${dateCount}.`,
    { where: `images.${name}`, hint: 'Choose as many dates, or build the encoder for these.' },
  );
}

function onlyModality({ images }: EncoderInput): string {
  const names = Object.keys(images);
  if (names.length !== 1) {
    throw new InputError(
      'MODALITIES',
      `The encoder takes one modality, and there are: ${names.join(', ')}.`,
      {
        where: 'images',
        hint: 'Give one, or join their bands into one image.',
      },
    );
  }
  return names[0]!;
}

/**
 * One modality of a batch by name.
 * @returns [batch, height, width, band]
 * @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH
 */
export function modalityOf({ images }: EncoderInput, name: string, bandCount: number): Tensor4D {
  return singleDate(name, given(images, name), bandCount);
}

/**
 * One modality as a time series; a single date is one of length 1.
 * @returns [batch, time, height, width, band]
 * @throws InputError MODALITIES, SHAPE_MISMATCH
 */
export function seriesOf({ images }: EncoderInput, name: string, bandCount: number): Tensor5D {
  const image = given(images, name);
  checkBands(name, image, bandCount);
  return image.rank === 5 ? (image as Tensor5D) : (tf.expandDims(image, 1) as Tensor5D);
}

/**
 * All modalities of a batch as one series, their bands joined: optical first, then sar, then others as they come.
 * @param bandCount of all together
 * @returns [batch, time, height, width, band]
 * @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH
 */
export function joinedSeriesOf({ images }: EncoderInput, bandCount: number, dateCount: number): Tensor5D {
  const names = ['optical', 'sar'].filter((name) => Object.hasOwn(images, name));
  names.push(...Object.keys(images).filter((name) => !names.includes(name)));
  const parts = names.map((name) => seriesOf({ images }, name, images[name]!.shape.at(-1)!));
  const first = parts[0] ?? given(images, 'optical');
  const sides = first.shape.slice(0, -1).join(' × ');
  for (const [index, { shape }] of parts.entries()) {
    const other = shape.slice(0, -1).join(' × ');
    if (other === sides) continue;
    throw new InputError(
      'SHAPE_MISMATCH',
      `${names[index]} is ${other} (batch × time × height × width), and ${names[0]} is ${sides}.`,
      { where: `images.${names[index]}`, hint: 'Bring the modalities to the same dates and pixels first.' },
    );
  }
  if (first.shape[1] !== dateCount) {
    throw new InputError(
      'TIME_STEPS',
      `The series has ${first.shape[1]} dates, and the encoder takes ${dateCount}.`,
      {
        where: 'images',
        hint: 'Choose as many dates, or build the encoder for these.',
      },
    );
  }
  const joined = tf.concat(parts, 4) as Tensor5D;
  checkBands(names.join(' and '), joined, bandCount);
  return joined;
}

function given(images: EncoderInput['images'], name: string): Tensor4D | Tensor5D {
  const image = Object.hasOwn(images, name) ? images[name] : undefined;
  if (image) return image;
  throw new InputError(
    'MODALITIES',
    `The encoder takes the modality ${name}, and there are: ${Object.keys(images).join(', ') || 'none'}.`,
    { where: 'images', hint: 'Give the modalities that the encoder takes, by its names.' },
  );
}

function singleDate(name: string, image: Tensor4D | Tensor5D, bandCount: number): Tensor4D {
  checkBands(name, image, bandCount);
  if (image.rank === 4) return image as Tensor4D;
  if (image.shape[1] === 1) return tf.squeeze(image, [1]);
  throw new InputError('TIME_STEPS', `${name} has ${image.shape[1]} dates, and the encoder takes one.`, {
    where: `images.${name}`,
    hint: 'Choose a date, or encode each date and join the features over time.',
  });
}

function checkBands(name: string, { shape }: Tensor4D | Tensor5D, bandCount: number): void {
  const bands = shape.at(-1);
  if (bands === bandCount) return;
  throw new InputError('SHAPE_MISMATCH', `${name} has ${bands} bands, and the encoder takes ${bandCount}.`, {
    where: `images.${name}`,
    hint: 'Match the bands first, or build the encoder for these.',
  });
}
