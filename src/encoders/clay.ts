import { z } from 'zod';
import { gelu } from '../engine/ops/activations-smooth.js';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import { normal, type Scope } from '../layers/parameters.js';
import { tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { RADAR_NM } from '../sensors/wavelength.js';
import { groundPositions, METADATA_WIDTH, metadataOf } from './clay/positions.js';
import { defineEncoder } from './define-encoder.js';
import type { EncoderInput } from './encoder.js';
import { groundDistancesOf } from './ground-distance.js';
import { modalityOf } from './images.js';
import { placesOf, timesOf } from './metadata.js';
import { plainEncoder, type PlainTransformer, type TokenStream } from './plain-transformer.js';
import { sineFeatures, sineFrequencies } from './sine-features.js';
import { wavelengthKernel } from './wavelength-kernel.js';
import { wavelengthsOf } from './wavelengths.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  patchSize: count.default(8),
  width: count.default(768),
  depth: count.default(12),
  heads: count.default(12),
  headWidth: count.default(64),
  mlpRatio: z.number().positive().default(4),
  /** Of the generator of kernels: width of a wavelength, heads, layers, width of its perceptron, learned tokens. */
  wavelengthPlanes: count.default(128),
  generatorHeads: count.default(4),
  generatorLayers: count.default(1),
  generatorHidden: count.default(2048),
  generatorTokens: count.default(128),
  /** Factor on the generated kernel; the bias has none. */
  kernelScale: z.number().default(0.02),
  normEpsilon: z.number().positive().default(1e-5),
  /** Centre wavelengths by modality, for batches that bring none. */
  wavelengthsNm: z.record(z.string(), z.array(z.number())).default({}),
  /** What radar bands, of 1 mm and more, are embedded as, in their order: what the authors trained VV and VH with. */
  radarStandInsNm: z.array(z.number().positive()).min(1).default([3500, 4000]),
  /** The same, under the fault `clay/radar-frequency-as-wavelength`. */
  publishedRadarStandInsNm: z.array(z.number().positive()).min(1).default([5405]),
  /** Blocks whose stream is a feature, from 0. The last block's is normalised. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
});

export type ClayOptions = z.infer<typeof hyperparameters>;

const METADATA_FAULT = 'clay/no-metadata';
const RADAR_FAULT = 'clay/radar-frequency-as-wavelength';

/**
 * Clay 1: a vision transformer whose patch embedding is written from the wavelengths of the bands, with positions in
 * metres, and with date, time of day and place beside every patch.
 */
export const clay = defineEncoder('clay', {
  hyperparameters,
  build(scope, options, { isFaultOn }) {
    const model = buildClay(scope, options);
    const standIns = isFaultOn(RADAR_FAULT) ? options.publishedRadarStandInsNm : options.radarStandInsNm;
    const knows = isFaultOn(METADATA_FAULT) ? nothingKnown : knownOf;
    const plain: PlainTransformer = {
      ...{ width: options.width, patchSize: options.patchSize, prefixCount: 1 },
      ...{ blocks: model.blocks, norm: model.norm },
      prepare(input, context) {
        const { images, wavelengthsNm } = bandsOf(input, options, standIns);
        return model.prepare(images, wavelengthsNm, knows(input, images.shape[0]), context);
      },
    };
    return plainEncoder(plain, { outputLayers: options.outputLayers, finalNorm: 'last' });
  },
  weights: {
    // a training file: the encoder, beside a decoder and a teacher
    rename: [
      [/^(?:model\.)?(?:encoder\.)?(.*self_attn)\.in_proj_(weight|bias)$/, '$1.in_proj.$2'],
      [/^(?:model\.)?encoder\.(.+)$/, '$1'],
    ],
    discard: [/^(model\.)?(decoder|teacher|proj)\./],
  },
  faults: {
    [METADATA_FAULT]: 'Every image is taken to have 1 m pixels, no date and no place (TerraTorch).',
    [RADAR_FAULT]:
      'Radar bands are embedded as 5405 nm: their frequency of 5.405 GHz is taken for micrometres (GEO-Bench-2).',
  },
});

/** What is known of the images of a batch. */
export interface KnownOfImages {
  /** Metres per pixel, [batch]. */
  readonly gsdM: readonly number[];
  /** Sines and cosines of week, hour, latitude and longitude, [batch][8]. */
  readonly metadata: readonly (readonly number[])[];
}

const nothingKnown = (_input: EncoderInput, batch: number): KnownOfImages => ({
  gsdM: Array.from({ length: batch }, () => 1),
  metadata: Array.from({ length: batch }, () => metadataOf(undefined, undefined)),
});

function knownOf(input: EncoderInput, batch: number): KnownOfImages {
  const distances = groundDistancesOf(input, batch);
  const times = timesOf(input, batch, 1);
  const places = placesOf(input, batch);
  const samples = Array.from({ length: batch }, (_, sample) => sample);
  return {
    gsdM: samples.map((sample) => distances[sample % distances.length]!),
    metadata: samples.map((sample) => metadataOf(times?.[sample]?.[0], places?.[sample])),
  };
}

/** Modalities joined band by band; radar bands under the wavelengths that stand for them. */
function bandsOf(
  input: EncoderInput,
  options: ClayOptions,
  standIns: readonly number[],
): { images: Tensor4D; wavelengthsNm: number[] } {
  const parts = wavelengthsOf(input, options.wavelengthsNm);
  const images = parts.map(({ modality, wavelengthsNm }) =>
    modalityOf(input, modality, wavelengthsNm.length),
  );
  let radarBands = 0;
  const standIn = (nm: number): number => (nm < RADAR_NM ? nm : standIns[radarBands++ % standIns.length]!);
  return {
    images: tf.concat(images, 3),
    wavelengthsNm: parts.flatMap(({ wavelengthsNm }) => wavelengthsNm.map(standIn)),
  };
}

/** The parts of Clay's encoder. */
export interface Clay extends Pick<PlainTransformer, 'blocks' | 'norm'> {
  readonly prepare: (
    images: Tensor4D,
    wavelengthsNm: readonly number[],
    known: KnownOfImages,
    context: ForwardContext,
  ) => TokenStream;
}

/** Builds the parameters in Clay's names. */
export function buildClay(scope: Scope, options: ClayOptions): Clay {
  const { width, heads, headWidth, normEpsilon, wavelengthPlanes: planes } = options;
  const cls = scope.parameter('cls_token', [1, 1, width], normal(0.02), 'table') as unknown as Tensor3D;
  const embed = wavelengthKernel(scope.child('patch_embedding'), {
    ...{ planes, patchSize: options.patchSize, width, padding: 0 },
    ...{ heads: options.generatorHeads, layers: options.generatorLayers, hidden: options.generatorHidden },
    ...{
      tokenCount: options.generatorTokens,
      normEpsilon: 1e-5,
      activation: gelu,
      kernelAxes: 'width-first',
    },
    ...{ scale: options.kernelScale, biasScale: 1 },
    names: { residual: ['l1', 'l2'], transformer: 'encoder' },
    told: { residual: 'waves_fc', transformer: 'wave_transformer' },
  });
  const transformer = scope.child('transformer');
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(transformer.child('layers').child(index), {
      ...{ width, heads, headWidth, normEpsilon, qkvBias: false, outBias: false },
      hidden: Math.trunc(width * options.mlpRatio),
      names: {
        ...{ norm1: '0/norm', attn: '0', qkv: 'to_qkv', proj: 'to_out' },
        ...{ norm2: '1/net/0', mlp: '1/net', fc1: '1', fc2: '3' },
      },
    }),
  );
  const norm = layerNormalization(transformer.child('norm'), { channels: width, epsilon: normEpsilon });
  const frequencies = sineFrequencies(planes / 2, { precision: 'float32', step: 1 / (planes / 2 - 1) });

  return {
    blocks,
    norm,
    prepare(images, wavelengthsNm, known, context) {
      const micrometres = wavelengthsNm.map((nm) => nm / 1000);
      const waves = tf.tensor2d(sineFeatures(micrometres, frequencies, 'float32'), [
        micrometres.length,
        planes,
      ]);
      const map = embed(images, waves as Tensor2D, context);
      const grid = [map.shape[1], map.shape[2]] as const;
      const patches = tokensOf(map);
      context.observe?.('patches', patches);
      const positions = imagePositions(known, grid, width);
      context.observe?.('encoded_positions', positions);
      const first = tf.tile(cls, [images.shape[0], 1, 1]);
      return { tokens: tf.concat([first, tf.add<Tensor3D>(patches, positions)], 1), grid };
    },
  };
}

/** Positions by the pixels' size, then what is known of an image for every patch: [batch, row · column, width]. */
function imagePositions(
  { gsdM, metadata }: KnownOfImages,
  grid: readonly [number, number],
  width: number,
): Tensor3D {
  const patches = grid[0] * grid[1];
  const ground = width - METADATA_WIDTH;
  const values = new Float32Array(gsdM.length * patches * width);
  gsdM.forEach((gsd, sample) => {
    const table = groundPositions(ground, grid, gsd);
    for (let patch = 0; patch < patches; patch++) {
      const at = (sample * patches + patch) * width;
      values.set(table.subarray(patch * ground, (patch + 1) * ground), at);
      values.set(metadata[sample]!, at + ground);
    }
  });
  return tf.tensor3d(values, [gsdM.length, patches, width]);
}
