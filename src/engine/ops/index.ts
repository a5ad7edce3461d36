export { relu, relu6 } from './activations.js';
export { gelu, geluTanh, logSoftmax, quickGelu, sigmoid, silu, softmax, tanh } from './activations-smooth.js';
export { batchNorm, batchNormTraining, type BatchNormResult } from './batch-norm.js';
export { checkpoint, withCheckpoints } from './checkpoint.js';
export { conv2d, depthwiseConv2d, type ConvOptions, type ExplicitPadding, type Padding } from './conv.js';
export { conv3d, type Conv3dOptions, type Triple } from './conv3d.js';
export { conv2dTranspose, type ConvTransposeOptions } from './conv-transpose.js';
export { crossEntropy, sigmoidCrossEntropy, sparseCrossEntropy } from './cross-entropy.js';
export { gather, gatherND, scatterAdd, takeAlongLastAxis } from './gather.js';
export { addBias, linear, matMul, type MatMulOptions } from './linear.js';
export { nonMaxSuppression, type SuppressionOptions } from './non-max-suppression.js';
export { groupNorm, l2Normalize, layerNorm } from './norm.js';
export { constantPad, mirrorPad, type AxisPaddings } from './pad.js';
export type { Pair } from './pair.js';
export { pixelShuffle, pixelUnshuffle, type ShuffleOrder } from './pixel-shuffle.js';
export {
  adaptiveAvgPool2d,
  adaptiveMaxPool2d,
  avgPool2d,
  globalAvgPool2d,
  maxPool2d,
  type AvgPoolOptions,
  type PoolOptions,
} from './pool.js';
export { resize, type ResizeMode, type ResizeOptions } from './resize.js';
export { cropAndResize } from './roi.js';
export { cumsum, roll, stridedSlice, type CumulativeSumOptions } from './slice.js';
export { topK } from './top-k.js';
export { projectiveTransform, type TransformOptions } from './transform.js';
