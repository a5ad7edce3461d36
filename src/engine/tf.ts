import { createRequire } from 'node:module';

type TensorFlow = typeof import('@tensorflow/tfjs');

let loaded: TensorFlow | undefined;

/** `require`, since the native backend registers itself with the CommonJS copy and an `import` could make a second one. */
const load = (): TensorFlow => (loaded ??= createRequire(import.meta.url)('@tensorflow/tfjs') as TensorFlow);

/**
 * The one place that loads TensorFlow.js (without a native library), when it is first used: code that only describes
 * models starts at once.
 */
export const tf = new Proxy({} as TensorFlow, {
  get: (_, name) => load()[name as keyof TensorFlow],
  has: (_, name) => name in load(),
});

export type {
  Tensor,
  Tensor1D,
  Tensor2D,
  Tensor3D,
  Tensor4D,
  Tensor5D,
  Scalar,
  TensorLike,
} from '@tensorflow/tfjs';
export type Variable = import('@tensorflow/tfjs').Variable;
