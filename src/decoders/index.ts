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
export { transposedConvolution } from '../layers/convolution.js';
export { channelDropout, dropout } from '../layers/dropout.js';
export { createScope, ParameterStore } from '../layers/parameters.js';
export { createRandom, type Random } from '../random.js';
export * from '../layers/own-parts.js';
