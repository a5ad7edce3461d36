// `gondwana/encoders`: what an encoder of one's own is made of. Types here mention TensorFlow.js.
export { AS_PUBLISHED, CORRECTED, defineEncoder } from './define-encoder.js';
export type {
  AcquisitionTime,
  BandLayer,
  BuildContext,
  BuiltEncoder,
  EncoderDefinition,
  EncoderFamily,
  EncoderInput,
  EncoderParts,
  EncoderVariant,
  FeatureSpec,
  Place,
  VariantParts,
  WeightAdaptation,
  WeightArray,
  WeightRules,
} from './encoder.js';
export type { OwnEncoderManifest, OwnWeights } from '../manifests/own-encoder-manifest.js';
export { registerEncoder } from './register-encoder.js';
export {
  openEncoder,
  type EncodedMap,
  type EncodeOptions,
  type Encoder,
  type EncoderSample,
  type OpenEncoderOptions,
} from './open-encoder.js';
export type { BandAdaptation, NewBands } from './band-options.js';
export { imageOf, imageSeriesOf, modalityOf, seriesOf } from './images.js';
export { resizePositions } from './position-table.js';
export { wavelengthsOf } from './wavelengths.js';
export { layerNormalization } from '../layers/layer-normalization.js';
export { mapOf, patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
export { perceptron } from '../layers/perceptron.js';
export { transformerBlock } from '../layers/transformer-block.js';
export * from '../layers/own-parts.js';
