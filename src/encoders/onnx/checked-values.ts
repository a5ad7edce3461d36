import type { Tensor4D } from '../../engine/tf.js';
import { InputError } from '../../errors.js';
import { readOnnxHeader, type OnnxValue } from '../../manifests/onnx/onnx-header.js';
import type { EncoderInput } from '../encoder.js';
import { imageOf, modalityOf } from '../images.js';

/** An input of the model that is an image. */
export interface OnnxImage {
  readonly name: string;
  readonly channels: number;
  /** null: as many as are given; else one. */
  readonly batch: 1 | null;
  /** null: any. */
  readonly height: number | null;
  readonly width: number | null;
  /**
   * Its image out of a batch: [batch, height, width, band]. Of a model with one input it may have any name.
   * @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH
   */
  readonly take: (input: EncoderInput, inputCount: number) => Tensor4D;
}

export interface OnnxOutput {
  readonly name: string;
  readonly kind: 'map' | 'tokens' | 'vector';
}

interface Declared {
  readonly file: string;
  readonly layout: 'NCHW' | 'NHWC';
  readonly outputs?: readonly string[] | undefined;
  readonly patchSize?: number | undefined;
  readonly imageSize?: readonly [number, number] | undefined;
  readonly bandCounts?: Readonly<Record<string, number>> | undefined;
}

/** A text where the model leaves it open. */
type Size = OnnxValue['shape'][number];

const shapeText = ({ name, shape }: OnnxValue): string => `${name} [${shape.join(', ')}]`;

const unfit = (where: string, message: string, hint: string): InputError =>
  new InputError('ONNX_MODEL', message, { where, hint });

/** The inputs of a model. @throws InputError ONNX_MODEL for one that is no image of float32, or not as declared */
export function checkedInputs(declared: Declared): OnnxImage[] {
  const images = imagesOf(declared);
  const { file, imageSize, bandCounts = {} } = declared;
  const names = images.map(({ name }) => name);
  for (const [modality, count] of Object.entries(bandCounts)) {
    const image = images.length === 1 ? images[0] : images.find(({ name }) => name === modality);
    if (!image) {
      throw unfit(
        file,
        `The model has no input ${modality}.`,
        `Call the modalities as its inputs: ${names.join(', ')}.`,
      );
    }
    if (image.channels === count) continue;
    throw unfit(
      file,
      `${count} bands are declared for ${modality}, and the input ${image.name} takes ${image.channels} (${declared.layout}).`,
      'Name its bands in their order; for images whose last axis is bands say `layout: "NHWC"`.',
    );
  }
  const other =
    imageSize &&
    images.find(
      ({ height, width }) =>
        (height ?? imageSize[0]) !== imageSize[0] || (width ?? imageSize[1]) !== imageSize[1],
    );
  if (!other) return images;
  throw unfit(
    file,
    `Images of ${imageSize.join(' × ')} pixels are declared, and the input ${other.name} takes ${other.height} × ${other.width}.`,
    'Correct `imageSize`, or export the model with open sizes.',
  );
}

function imagesOf({ file, layout }: Declared): OnnxImage[] {
  const { inputs } = readOnnxHeader(file);
  if (inputs.length === 0) throw unfit(file, 'The model has no input.', 'Export it with an image as input.');
  return inputs.map((input) => {
    const { name, type, shape } = input;
    if (type !== 'float32' || shape.length !== 4) {
      throw unfit(
        file,
        `The input ${shapeText(input)} of ${type} is no image: [batch, channel, height, width] of float32.`,
        'Export the model with images of one date as its only inputs, in float32.',
      );
    }
    const [batch, first, second, third] = shape as [Size, Size, Size, Size];
    const [channels, height, width] = layout === 'NCHW' ? [first, second, third] : [third, first, second];
    if (typeof channels !== 'number') {
      throw unfit(
        file,
        `The input ${shapeText(input)} leaves its channels open (${layout}).`,
        'Export it with the number of bands fixed; for images whose last axis is bands say `layout: "NHWC"`.',
      );
    }
    if (typeof batch === 'number' && batch !== 1) {
      throw unfit(
        file,
        `The input ${shapeText(input)} takes ${batch} images at once.`,
        'Export it with an open batch axis (dynamic_axes or dynamic_shapes), or with a batch of 1.',
      );
    }
    const size = (value: Size): number | null => (typeof value === 'number' ? value : null);
    const image = {
      name,
      channels,
      batch: size(batch) as 1 | null,
      height: size(height),
      width: size(width),
    };
    return {
      ...image,
      take: (given, count) => checkedSize(taken(given, name, channels, count), image, file),
    };
  });
}

const taken = (input: EncoderInput, name: string, channels: number, inputCount: number): Tensor4D =>
  inputCount === 1 ? imageOf(input, channels) : modalityOf(input, name, channels);

function checkedSize(
  image: Tensor4D,
  { name, height, width }: Pick<OnnxImage, 'name' | 'height' | 'width'>,
  file: string,
): Tensor4D {
  const [, rows, columns] = image.shape;
  if ((height ?? rows) === rows && (width ?? columns) === columns) return image;
  throw new InputError(
    'SHAPE_MISMATCH',
    `The images are ${rows} × ${columns} pixels, and the model takes ${height ?? 'any'} × ${width ?? 'any'}.`,
    {
      where: `${file}, input ${name}`,
      hint: 'Resize or crop them, or export the model with open sizes.',
    },
  );
}

/** The outputs of a model that are wanted. @throws InputError ONNX_MODEL */
export function checkedOutputs({ file, outputs: wanted, patchSize }: Declared): OnnxOutput[] {
  const { outputs } = readOnnxHeader(file);
  const byName = new Map(outputs.map((output) => [output.name, output]));
  const chosen = wanted?.map((name) => {
    const output = byName.get(name);
    if (output) return output;
    const known = [...byName.keys()].join(', ');
    throw unfit(file, `The model has no output ${name}.`, `Its outputs are ${known}.`);
  });
  return (chosen ?? outputs).map((output) => {
    const { name, type, shape } = output;
    const kind = ({ 2: 'vector', 3: 'tokens', 4: 'map' } as const)[shape.length];
    if (type !== 'float32' || !kind) {
      throw unfit(
        file,
        `The output ${shapeText(output)} of ${type} is no feature map, no tokens and no vector of float32.`,
        'Name those that are: `outputs`.',
      );
    }
    if (kind === 'tokens' && patchSize === undefined) {
      throw unfit(
        file,
        `The output ${shapeText(output)} is tokens, and the size of their patches is not known.`,
        'Say `patchSize` in pixels, and `prefixTokens` where others such as a class token stand before them.',
      );
    }
    return { name, kind };
  });
}
