import { createRequire } from 'node:module';

/**
 * The one place that loads TensorFlow.js (without a native library). `require`, since the native
 * backend registers itself with the CommonJS copy and an `import` could make a second one.
 */
export const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof import('@tensorflow/tfjs');

export type { Tensor, Tensor1D, Tensor2D, Tensor3D, Tensor4D, Tensor5D, Scalar, TensorLike } from '@tensorflow/tfjs';
export type Variable = import('@tensorflow/tfjs').Variable;
