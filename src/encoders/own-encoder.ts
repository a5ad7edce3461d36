import type { EncoderManifest } from '../manifests/encoder-manifest.js';

/** What `defineEncoder` of `gondwana/encoders` makes, without the types of TensorFlow.js. */
export interface OwnEncoder {
  readonly id: string;
  readonly manifest?: EncoderManifest;
}
