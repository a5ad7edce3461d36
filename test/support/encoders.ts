import type { BuildContext, BuiltEncoder, EncoderFamily } from '../../src/encoders/encoder.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { tf, type Tensor, type Tensor4D } from '../../src/engine/tf.js';
import type { ForwardContext } from '../../src/layers/layer.js';
import { createScope, ParameterStore, type Parameter } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';

export interface SmallEncoder {
  readonly encoder: BuiltEncoder;
  readonly store: ParameterStore;
  /** Parameter by its path below the encoder. */
  readonly parameter: (name: string) => Parameter | undefined;
}

/** Builds an encoder with drawn weights. The caller disposes of the store. */
export function smallEncoder(
  family: EncoderFamily,
  hyperparameters: Readonly<Record<string, unknown>>,
  context: BuildContext = CORRECTED,
): SmallEncoder {
  const store = new ParameterStore();
  const scope = createScope(store, createRandom(0)).child('model');
  const encoder = family.build(scope, hyperparameters, context);
  return { encoder, store, parameter: (name) => store.all.find((one) => one.name === `model/${name}`) };
}

/** Evaluation that keeps copies of what it is told, for the caller to dispose of. */
export function observing(): { readonly context: ForwardContext; readonly seen: Map<string, Tensor> } {
  const seen = new Map<string, Tensor>();
  const observe = (name: string, value: Tensor): unknown => seen.set(name, tf.keep(value.clone()));
  return { context: { training: false, observe }, seen };
}

/** A batch whose values differ everywhere: [batch, height, width, band]. */
export const images = (...shape: [number, number, number, number]): Tensor4D =>
  tf.randomNormal(shape, 0, 1, 'float32', 7) as Tensor4D;
