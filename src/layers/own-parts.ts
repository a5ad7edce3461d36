// What encoders and decoders of one's own are both made of.
export { batchNormalization } from './batch-normalization.js';
export { convolution, padded } from './convolution.js';
export { dense } from './dense.js';
export { sequence, type ForwardContext, type Layer } from './layer.js';
export {
  normal,
  uniformByFanIn,
  xavierUniform,
  zeros,
  type Initializer,
  type ParameterRole,
  type Scope,
} from './parameters.js';
export * as ops from '../engine/ops/index.js';
export { tf } from '../engine/tf.js';
