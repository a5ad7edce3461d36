import { gelu } from '../engine/ops/activations-smooth.js';
import { conv2d, type ExplicitPadding } from '../engine/ops/conv.js';
import { addBias } from '../engine/ops/linear.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { selfAttention } from '../layers/attention.js';
import { dense } from '../layers/dense.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import { normal, type Scope } from '../layers/parameters.js';
import { checkHoldsPatch } from '../layers/patch-embedding.js';
import { perceptron } from '../layers/perceptron.js';

export interface WavelengthKernelOptions {
  /** Width of an embedded wavelength. */
  readonly planes: number;
  /** Learned tokens before those of the wavelengths. */
  readonly tokenCount: number;
  readonly heads: number;
  readonly layers: number;
  /** Width between the layers of the generator's perceptron. */
  readonly hidden: number;
  readonly normEpsilon: number;
  readonly patchSize: number;
  /** Of a patch's vector. */
  readonly width: number;
  /** Rows and columns of zeros around the image. */
  readonly padding: number;
  /** Factor on the generated kernel. */
  readonly scale: number;
  /** Factor on the generated bias. */
  readonly biasScale: number;
  /** Axes of the generated numbers of a band: `taps-first` [row, column, width], or [width, row, column]. */
  readonly kernelAxes: 'taps-first' | 'width-first';
  /** Of the residual layers on the embedded wavelengths. */
  readonly activation: <T extends Tensor>(x: T) => T;
  /** Names in the checkpoint: the two residual layers, the transformer. */
  readonly names: { readonly residual: readonly [string, string]; readonly transformer: string };
  /** Names under which intermediates are told. */
  readonly told: { readonly residual: string; readonly transformer: string };
}

/**
 * A patch embedding whose kernel a small transformer writes, from the wavelength of every band: any number of bands,
 * in any order.
 * images [batch, height, width, band], embedded wavelengths [band, planes] → [batch, row, column, width]
 * @throws InputError IMAGE_TOO_SMALL
 */
export function wavelengthKernel(
  scope: Scope,
  options: WavelengthKernelOptions,
): (images: Tensor4D, embedded: Tensor2D, context: ForwardContext) => Tensor4D {
  const { planes, tokenCount, layers, patchSize, width, padding, scale, biasScale, names, told } = options;
  const residual = perceptron(scope.child('fclayer'), {
    ...{ width: planes, hidden: planes, activation: options.activation, names: names.residual },
  });
  const generator = scope.child('weight_generator');
  const weightTokens = generator.parameter('weight_tokens', [tokenCount, planes], normal(0.02), 'table');
  const biasToken = generator.parameter('bias_token', [1, planes], normal(0.02), 'table');
  const encode = Array.from({ length: layers }, (_, index) =>
    postNormLayer(generator.child(names.transformer).child('layers').child(index), options),
  );
  const writeKernel = dense(generator.child('fc_weight'), planes, patchSize * patchSize * width);
  const writeBias = dense(generator.child('fc_bias'), planes, width);
  const sides: ExplicitPadding = [
    [padding, padding],
    [padding, padding],
  ];

  return (images, embedded, context) => {
    checkHoldsPatch(images.shape[1] + 2 * padding, images.shape[2] + 2 * padding, patchSize);
    return tf.tidy(() => {
      const bands = embedded.shape[0];
      const waves = tf.add(embedded, options.activation(residual(embedded))) as Tensor2D;
      context.observe?.(told.residual, waves);
      const tokens = tf.concat([weightTokens, waves, biasToken] as unknown as Tensor2D[], 0);
      const encoded = encode.reduce((x, layer) => layer(x), tf.expandDims(tokens, 0) as Tensor3D);
      const stream = tf.squeeze<Tensor2D>(encoded, [0]);
      context.observe?.(told.transformer, stream);
      const ofBands = tf.add(tf.slice(stream, [tokenCount, 0], [bands, -1]), waves) as Tensor2D;
      const kernel = writeKernel(ofBands);
      const bias = tf.squeeze(writeBias(tf.slice(stream, [tokenCount + bands, 0], [1, -1])), [0]);
      context.observe?.('fc_weight', kernel);
      context.observe?.('fc_bias', bias);
      const y = conv2d(images, tf.mul(asKernel(kernel, bands, options), scale), {
        ...{ stride: patchSize, padding: sides },
      });
      return addBias(y, tf.mul(bias, biasScale));
    });
  };
}

/** [band, …] → [row, column, band, width] */
function asKernel(
  generated: Tensor2D,
  bands: number,
  { kernelAxes, patchSize, width }: WavelengthKernelOptions,
): Tensor4D {
  return kernelAxes === 'taps-first'
    ? tf.transpose(tf.reshape(generated, [bands, patchSize, patchSize, width]), [1, 2, 0, 3])
    : tf.transpose(tf.reshape(generated, [bands, width, patchSize, patchSize]), [2, 3, 0, 1]);
}

/** PyTorch's encoder layer in its first form: each half is added to the stream, then the sum is normalised. */
function postNormLayer(
  scope: Scope,
  { planes, heads, hidden, normEpsilon }: WavelengthKernelOptions,
): (x: Tensor3D) => Tensor3D {
  const attend = selfAttention(scope.child('self_attn'), {
    ...{ width: planes, heads, names: ['in_proj', 'out_proj'] as const },
  });
  const mlp = perceptron(scope, {
    ...{ width: planes, hidden, activation: gelu, names: ['linear1', 'linear2'] as const },
  });
  const [norm1, norm2] = ['norm1', 'norm2'].map((name) =>
    layerNormalization(scope.child(name), { channels: planes, epsilon: normEpsilon }),
  ) as [<T extends Tensor>(x: T) => T, <T extends Tensor>(x: T) => T];
  return (x) => {
    const attended = norm1(tf.add(x, attend(x)) as Tensor3D);
    return norm2(tf.add(attended, mlp(attended)) as Tensor3D);
  };
}
