// `gondwana/decoders`: what a decoder of one's own is made of. Types here mention TensorFlow.js.
export { assembleDecoder, type AssembledDecoder, type DecoderParts } from './assemble-decoder.js';
export {
  decoderMisfit,
  defineDecoder,
  type BuiltDecoder,
  type DecoderFamily,
  type DecoderOptions,
  type DecoderTask,
  type ImageTask,
  type Logits,
  type PixelTask,
} from './decoder.js';
export { getNeck, type BuildNeck } from './necks/registry.js';
export type { Neck } from './necks/neck.js';
export type { OwnDecoder } from './own-decoder.js';
export { registerDecoder, resolveDecoder } from './register-decoder.js';
export { getTemporalFusion } from './temporal/registry.js';
export type { BuildFusion, TemporalFusion } from './temporal/temporal-fusion.js';
export type { FeatureSpec } from '../encoders/feature-spec.js';
export { batchNormalization } from '../layers/batch-normalization.js';
export { convolution, padded, transposedConvolution } from '../layers/convolution.js';
export { dense } from '../layers/dense.js';
export { channelDropout, dropout } from '../layers/dropout.js';
export { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
export {
  createScope,
  normal,
  ParameterStore,
  uniformByFanIn,
  xavierUniform,
  zeros,
  type Initializer,
  type ParameterRole,
  type Scope,
} from '../layers/parameters.js';
export { createRandom, type Random } from '../random.js';
export * as ops from '../engine/ops/index.js';
export { tf } from '../engine/tf.js';
