/** What `defineDecoder` of `gondwana/decoders` makes, without the types of TensorFlow.js. */
export interface OwnDecoder {
  readonly id: string;
  readonly predicts?: 'pixels' | 'images';
}
