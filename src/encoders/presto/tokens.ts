import { gather } from '../../engine/ops/gather.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from '../../engine/tf.js';

/** Tokens of a batch with those that are masked moved to the end, as far as every sample lacks them cut off. */
export interface KeptTokens {
  /** [sample, kept, width]; masked ones are 0. */
  readonly tokens: Tensor3D;
  /** Where each kept token stood before, [sample, kept]. */
  readonly indices: Tensor2D;
  /** 1 where a kept token is masked, [sample, kept]. */
  readonly mask: Tensor2D;
}

/**
 * @param tokens [sample, token, width]
 * @param isMasked [sample · token]
 */
export function keepTokens(tokens: Tensor3D, isMasked: ArrayLike<number | boolean>): KeptTokens {
  const [samples, count, width] = tokens.shape;
  const order = Array.from({ length: samples }, (_, sample) => {
    const all = Array.from({ length: count }, (_, token) => token);
    const masked = (token: number): boolean => Boolean(isMasked[sample * count + token]);
    const present = all.filter((token) => !masked(token));
    return { present: present.length, tokens: [...present, ...all.filter(masked)] };
  });
  const kept = Math.max(...order.map(({ present }) => present));
  const indices = new Int32Array(samples * kept);
  const mask = new Float32Array(samples * kept);
  order.forEach((ofSample, sample) => {
    for (let i = 0; i < kept; i++) {
      indices[sample * kept + i] = ofSample.tokens[i]!;
      mask[sample * kept + i] = i < ofSample.present ? 0 : 1;
    }
  });
  const maskTensor = tf.tensor2d(mask, [samples, kept]);
  const isWhole = kept === count && mask.every((value) => value === 0);
  if (isWhole) return { tokens, indices: tf.tensor2d(indices, [samples, kept], 'int32'), mask: maskTensor };
  const flat = indices.map((token, at) => Math.floor(at / kept) * count + token);
  const rows = gather(tf.reshape(tokens, [samples * count, width]), tf.tensor1d(flat, 'int32'));
  const moved: Tensor3D = tf.reshape(rows, [samples, kept, width]);
  return {
    tokens: tf.mul(moved, tf.expandDims(tf.sub(1, maskTensor), 2)),
    indices: tf.tensor2d(indices, [samples, kept], 'int32'),
    mask: maskTensor,
  };
}

/** What keeps attention away from masked tokens, [sample, 1, 1, token]. */
export const maskBias = (mask: Tensor2D): Tensor =>
  tf.reshape(tf.mul(mask, -1e9), [mask.shape[0], 1, 1, mask.shape[1]]);

/** Mean of the tokens that are not masked: [sample, token, width] → [sample, width]. */
export function meanOfPresent(tokens: Tensor3D, mask: Tensor2D): Tensor2D {
  const present = tf.sub(1, mask);
  const sums = tf.sum(tf.mul(tokens, tf.expandDims(present, 2)), 1);
  return tf.div(sums, tf.sum(present, 1, true));
}
