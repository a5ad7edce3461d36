import { assembleDecoder, type AssembledDecoder } from '../decoders/assemble-decoder.js';
import type { DecoderFamily } from '../decoders/decoder.js';
import { CORRECTED } from '../encoders/define-encoder.js';
import type { BuiltEncoder, EncoderFamily } from '../encoders/encoder.js';
import { loadWeights } from '../encoders/load-weights.js';
import { createScope, ParameterStore } from '../layers/parameters.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import type { Random } from '../random.js';

/** An encoder and a decoder with their parameters, `encoder/…` and `decoder/…`. */
export interface SegmentationModel {
  readonly parameters: ParameterStore;
  readonly encoder: BuiltEncoder;
  readonly decoder: AssembledDecoder;
  dispose(): void;
}

export interface ModelOptions {
  readonly family: EncoderFamily;
  readonly manifest: EncoderManifest;
  readonly decoder: DecoderFamily;
  readonly bandCount: number;
  readonly classCount: number;
  /** Checkpoint of the encoder; undefined leaves its random start. */
  readonly weightsFile?: string;
  readonly random: Random;
}

/** @throws what loadWeights throws; nothing stays allocated then */
export async function buildModel(options: ModelOptions): Promise<SegmentationModel> {
  const { family, manifest, decoder, bandCount, classCount, weightsFile, random } = options;
  const parameters = new ParameterStore();
  const scope = createScope(parameters, random);
  try {
    const hyperparameters = { ...manifest.hyperparameters, bandCount };
    const encoder = family.build(scope.child('encoder'), hyperparameters, CORRECTED);
    const built = assembleDecoder(scope.child('decoder'), {
      features: encoder.features,
      decoder,
      classCount,
    });
    if (weightsFile !== undefined) {
      await loadWeights(weightsFile, parameters, 'encoder', family.weights(hyperparameters));
    }
    return { parameters, encoder, decoder: built, dispose: () => parameters.dispose() };
  } catch (error) {
    parameters.dispose();
    throw error;
  }
}
