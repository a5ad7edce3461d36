import type { OwnDecoder } from '../decoders/own-decoder.js';
import type { OperationCount } from '../engine/shapes/operation-count.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';

/** What a count needs to know of an encoder, as manifests say it. */
export type EncoderDescription = Pick<
  EncoderManifest,
  'id' | 'family' | 'modalities' | 'imageSize' | 'hyperparameters'
>;

export interface ModelCostOptions {
  /** Pixels of the image: one side, or [height, width]. Default: the encoder's image size. */
  readonly size?: number | readonly [number, number];
  /** Bands of the first modality. Default: the manifest's; 3 where the encoder takes any. */
  readonly bandCount?: number;
  /** Dates of a series; default 1, or as many as the encoder takes at once. */
  readonly dateCount?: number;
  /** Put over those of the manifest, e.g. `{ outputLayers: [11] }`. */
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
  /** Id of a decoder behind the encoder, or what `defineDecoder` makes; default none. */
  readonly decoder?: string | OwnDecoder;
  /** Hyperparameters of the decoder, e.g. `{ channels: 256 }`. */
  readonly decoderHyperparameters?: Readonly<Record<string, unknown>>;
  /** Classes that the decoder tells apart; default 2. */
  readonly classCount?: number;
  /** Id of a neck, or `none`. Default: a pyramid by PANGAEA's rule where the decoder needs one. */
  readonly neck?: string;
  /** Id of a temporal fusion; due for a decoder behind maps of several dates. */
  readonly fusion?: string;
}

/** What one part of a model takes. */
export interface LayerCost extends OperationCount {
  readonly part: 'encoder' | 'decoder';
  /** Path of its parameters, with a star in the place of the numbers of equal blocks. */
  readonly layer: string;
  /** Learned numbers. */
  readonly parameters: number;
}

/** What a model takes for one sample. In a notebook it shows itself as a table. */
export interface ModelCost extends OperationCount {
  readonly encoder: string;
  readonly decoder: string | null;
  /** [height, width] in pixels. */
  readonly size: readonly [number, number];
  /** By modality. */
  readonly bandCounts: Readonly<Record<string, number>>;
  readonly dateCount: number;
  /** Learned numbers of both. */
  readonly parameters: number;
  readonly encoderParameters: number;
  readonly decoderParameters: number;
  readonly encoderMultiplyAdds: number;
  readonly decoderMultiplyAdds: number;
  readonly byLayers: readonly LayerCost[];
}
