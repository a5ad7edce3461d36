import { z } from 'zod';
import { tf, type Tensor4D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { ForwardContext } from '../layers/layer.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder, EncoderInput, FeatureSpec } from './encoder.js';
import { frozenOnly } from './frozen-only.js';
import { checkedInputs, checkedOutputs, type OnnxImage, type OnnxOutput } from './onnx/checked-values.js';
import { openOnnxSession, type OnnxArray, type OnnxSession } from './onnx/runtime.js';

const size = z.int().positive();

const hyperparameters = z.strictObject({
  /** The model; comes from `weights.file` of the manifest. */
  file: z.string(),
  /** Of images and maps. */
  layout: z.enum(['NCHW', 'NHWC']).default('NCHW'),
  /** Outputs that are features, and the vector where there is one. Default: all. */
  outputs: z.array(z.string()).min(1).optional(),
  /** Pixels a side of what becomes a token, for outputs that are [batch, token, channel]. */
  patchSize: size.optional(),
  /** Tokens before those of the patches, such as a class token. */
  prefixTokens: z.int().nonnegative().default(0),
  /** [height, width] of the images, which the model must take. Default: its own, or 224 × 224 where it leaves them open. */
  imageSize: z.tuple([size, size]).optional(),
  /** Bands of the images by modality, which the model must take. */
  bandCounts: z.record(z.string(), size).optional(),
});

export type OnnxOptions = z.infer<typeof hyperparameters>;

/**
 * A frozen encoder in an ONNX file, which ONNX Runtime runs: images by the names of its inputs, each
 * [batch, channel, height, width], float32. Outputs of four axes are feature maps; those of three are tokens of patches;
 * one of two is the vector that `embed` gives. It has no parameters, and no gradients.
 */
export const onnx = defineEncoder('onnx', {
  hyperparameters,
  isFrozenOnly: true,
  build: (_scope, options) => buildOnnx(options),
  weights: { rename: [], discard: [/^/] },
});

function buildOnnx(options: OnnxOptions): BuiltEncoder {
  const images = checkedInputs(options);
  const outputs = checkedOutputs(options);
  const session = openOnnxSession(options.file);
  try {
    const features = tried(session, images, outputs, options);
    return runner({ session, images, outputs, options, features });
  } catch (error) {
    session.dispose();
    throw error;
  }
}

interface Model {
  readonly session: OnnxSession;
  readonly images: readonly OnnxImage[];
  readonly outputs: readonly OnnxOutput[];
  readonly options: OnnxOptions;
  readonly features: readonly FeatureSpec[];
}

/** What the model makes of one black image: channels and strides of its features. */
function tried(
  session: OnnxSession,
  images: readonly OnnxImage[],
  outputs: readonly OnnxOutput[],
  options: OnnxOptions,
): FeatureSpec[] {
  const { layout, imageSize = [224, 224], file, patchSize } = options;
  const inputs = images.map(({ name, channels, height, width }) => {
    const [rows, columns] = [height ?? imageSize[0], width ?? imageSize[1]];
    const dims = layout === 'NCHW' ? [1, channels, rows, columns] : [1, rows, columns, channels];
    return [name, { data: new Float32Array(channels * rows * columns), dims }] as const;
  });
  const found = session.run(
    Object.fromEntries(inputs),
    outputs.map(({ name }) => name),
  );
  const height = images[0]!.height ?? imageSize[0];
  return outputs.flatMap(({ name, kind }) => {
    const { dims } = found[name]!;
    if (kind === 'vector') return [];
    if (kind === 'tokens') return [{ channels: dims[2]!, stride: patchSize! }];
    const [rows, channels] = layout === 'NCHW' ? [dims[2]!, dims[1]!] : [dims[1]!, dims[3]!];
    const stride = height / rows;
    if (rows > 0 && stride >= 1) return [{ channels, stride }];
    throw new InputError(
      'ONNX_MODEL',
      `The output ${name} is [${dims.join(', ')}], which is no feature map.`,
      {
        where: file,
        hint: 'Name the outputs that are maps, [batch, channel, height, width]: `outputs`; or say `layout: "NHWC"`.',
      },
    );
  });
}

function runner(model: Model): BuiltEncoder {
  const { session, outputs, features } = model;
  const maps = outputs.filter(({ kind }) => kind !== 'vector');
  const vector = outputs.find(({ kind }) => kind === 'vector');
  return {
    features,
    forward: (input, context) => {
      refuseTraining(context, model.options.file);
      const found = runBatch(model, input, maps);
      return maps.map((map) => mapOf(found[map.name]!, map, input, model));
    },
    ...(vector && {
      embed: (input: EncoderInput, context: ForwardContext) => {
        refuseTraining(context, model.options.file);
        const { data, dims } = runBatch(model, input, [vector])[vector.name]!;
        return tf.tensor2d(data, dims as [number, number]);
      },
    }),
    dispose: () => session.dispose(),
  };
}

/** @throws UsageError ENCODER_FROZEN_ONLY */
function refuseTraining({ training }: ForwardContext, file: string): void {
  if (training) throw frozenOnly(file);
}

/** Models of a fixed batch of one take the images one by one. */
function runBatch(
  { session, images, options }: Model,
  input: EncoderInput,
  outputs: readonly OnnxOutput[],
): Record<string, OnnxArray> {
  const names = outputs.map(({ name }) => name);
  const given = Object.fromEntries(
    images.map((image) => [image.name, imageArray(image, input, images.length, options)]),
  );
  if (images.every(({ batch }) => batch === null)) return session.run(given, names);
  const count = given[images[0]!.name]!.dims[0]!;
  const single = Array.from({ length: count }, (_, index) => {
    const ofOne = Object.entries(given).map(([name, { data, dims }]) => {
      const length = data.length / count;
      return [name, { data: data.slice(index * length, (index + 1) * length), dims: [1, ...dims.slice(1)] }];
    });
    return session.run(Object.fromEntries(ofOne) as Record<string, OnnxArray>, names);
  });
  return Object.fromEntries(names.map((name) => [name, joined(single.map((found) => found[name]!))]));
}

function joined(parts: readonly OnnxArray[]): OnnxArray {
  const length = parts[0]!.data.length;
  const data = new Float32Array(length * parts.length);
  for (const [index, part] of parts.entries()) data.set(part.data, index * length);
  return { data, dims: [parts.length, ...parts[0]!.dims.slice(1)] };
}

/** @throws InputError MODALITIES, TIME_STEPS, SHAPE_MISMATCH */
function imageArray(
  image: OnnxImage,
  input: EncoderInput,
  count: number,
  { layout }: OnnxOptions,
): OnnxArray {
  const taken = image.take(input, count);
  const ordered = tf.tidy(() => (layout === 'NCHW' ? tf.transpose(taken, [0, 3, 1, 2]) : taken.clone()));
  const array = { data: ordered.dataSync<'float32'>(), dims: ordered.shape };
  ordered.dispose();
  return array;
}

/** @returns [batch, row, column, channel] */
function mapOf(
  { data, dims }: OnnxArray,
  { name, kind }: OnnxOutput,
  { images }: EncoderInput,
  { options }: Model,
): Tensor4D {
  const { layout, patchSize, prefixTokens, file } = options;
  if (kind === 'map') {
    const tensor = tf.tensor4d(data, dims as [number, number, number, number]);
    return layout === 'NCHW' ? tf.transpose(tensor, [0, 2, 3, 1]) : tensor;
  }
  const [batch, tokens, channels] = dims as [number, number, number];
  const [height, width] = Object.values(images)[0]!.shape.slice(-3) as [number, number];
  const [rows, columns] = [Math.floor(height / patchSize!), Math.floor(width / patchSize!)];
  if (tokens !== prefixTokens + rows * columns) {
    throw new InputError(
      'ONNX_MODEL',
      `The output ${name} has ${tokens} tokens; an image of ${height} × ${width} has ${rows * columns} patches of ${patchSize} pixels.`,
      { where: file, hint: 'Correct `patchSize`, or say how many tokens stand before them: `prefixTokens`.' },
    );
  }
  const patches = tf.slice(tf.tensor3d(data, [batch, tokens, channels]), [0, prefixTokens, 0]);
  return tf.reshape(patches, [batch, rows, columns, channels]);
}
