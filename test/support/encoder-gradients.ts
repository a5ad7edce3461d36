import type { BuiltEncoder, EncoderInput } from '../../src/encoders/encoder.js';
import { tf, type Scalar, type Tensor } from '../../src/engine/tf.js';
import type { ParameterStore } from '../../src/layers/parameters.js';

/** Names of learned parameters that the features do not move, below the model. */
export function unreachedParameters(
  encoder: BuiltEncoder,
  store: ParameterStore,
  input: EncoderInput,
): string[] {
  const { grads, value } = tf.variableGrads(() => {
    const maps = encoder.forward(input, { training: true });
    // squares, since the sum of a normalised row is the same whatever moves it
    return tf.addN(
      maps.map((map) => tf.sum(tf.mul(tf.square<Tensor>(map), tf.range(0, map.shape.at(-1)!)))),
    ) as Scalar;
  });
  const reached = new Set(
    Object.entries(grads)
      .filter(([, grad]) => (grad as Tensor | null) !== null)
      .map(([name]) => name),
  );
  const names = store.all
    .filter(({ variable }) => variable.trainable && !reached.has(variable.name))
    .map(({ name }) => name.replace(/^model\//, ''));
  tf.dispose([grads, value]);
  return names;
}
