import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import { normal, type Scope } from '../layers/parameters.js';
import { tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { RADAR_NM } from '../sensors/wavelength.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, BuiltEncoder, EncoderInput } from './encoder.js';
import { modalityOf } from './images.js';
import { plainEncoder, withoutPrefix } from './plain-transformer.js';
import { resizePositions } from './position-table.js';
import { sineFeatures, sineFrequencies } from './sine-features.js';
import { wavelengthKernel } from './wavelength-kernel.js';
import { wavelengthsOf } from './wavelengths.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  /** Pixels of the images that the position table belongs to. */
  imageSize: z.tuple([count, count]).default([224, 224]),
  patchSize: count.default(16),
  width: count,
  depth: count,
  heads: count,
  mlpRatio: z.number().positive().default(4),
  /** Of the generator of kernels: width of a wavelength, heads, layers, width of its perceptron, learned tokens. */
  wavelengthPlanes: count.default(128),
  generatorHeads: count.default(4),
  generatorLayers: count.default(1),
  generatorHidden: count.default(2048),
  generatorTokens: count.default(128),
  /** Factor on the generated kernel and bias. */
  kernelScale: z.number().default(0.01),
  /** Rows and columns of zeros around the image before it is cut into patches. */
  imagePadding: z.int().nonnegative().default(1),
  /** Centre wavelengths by modality, for batches that bring none. */
  wavelengthsNm: z.record(z.string(), z.array(z.number())).default({}),
  /** What radar bands, of 1 mm and more, are embedded as: what the authors trained with. */
  radarStandInNm: z.number().positive().default(3750),
  /** The same, under the fault `dofa/radar-frequency-as-wavelength`; default no other. */
  publishedRadarStandInNm: z.number().positive().optional(),
  /** How the position table is brought to the grid of another image. */
  positionResizing: z.enum(['bilinear', 'bicubic', 'bicubic-antialias']).default('bilinear'),
  normEpsilon: z.number().positive().default(1e-6),
  /** Blocks whose stream is a feature, from 0. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
  /** `last`: the last block's stream is normalised, as PANGAEA has it; TerraTorch has `none`. */
  finalNorm: z.enum(['none', 'last']).default('last'),
  /** What `embed` gives: the class token, or the patches' mean under a norm of its own. */
  pool: z.enum(['class-token', 'mean']).default('class-token'),
});

type Hyperparameters = z.infer<typeof hyperparameters>;

const RADAR_FAULT = 'dofa/radar-frequency-as-wavelength';

/**
 * DOFA (Xiong et al. 2024): a vision transformer whose patch embedding is written from the wavelengths of the bands,
 * so that it takes any bands of any modalities.
 */
export const dofa = defineEncoder('dofa', {
  hyperparameters,
  build: buildDofa,
  weights: ({ pool, finalNorm }) => ({
    rename: [[/^(.*self_attn)\.in_proj_(weight|bias)$/, '$1.in_proj.$2']],
    discard: [
      // reconstruction and distillation heads of the pre-training
      /^mask_token$/,
      /^decoder/,
      /^projector\./,
      /^head\./,
      ...(pool === 'mean' && finalNorm === 'none' ? [/^norm\./] : []),
      ...(pool === 'mean' ? [] : [/^fc_norm\./]),
    ],
    // the published files have no norm of the mean
    optional: [/^fc_norm\./],
  }),
  faults: {
    [RADAR_FAULT]:
      'Radar bands are embedded as 5405 nm: their frequency of 5.405 GHz is taken for micrometres (GEO-Bench-2).',
  },
});

function buildDofa(scope: Scope, options: Hyperparameters, context: BuildContext): BuiltEncoder {
  const { width, depth, heads, patchSize, normEpsilon, pool, finalNorm, outputLayers } = options;
  const embedPatches = patchesByWavelength(scope.child('patch_embed'), options, context);
  const [rows, columns] = options.imageSize.map((pixels) => Math.floor(pixels / patchSize)) as [
    number,
    number,
  ];
  const cls = scope.parameter('cls_token', [1, 1, width], normal(0.02), 'table');
  const table = scope.parameter('pos_embed', [1, rows * columns + 1, width], normal(0.02), 'constant');
  const blocks = Array.from({ length: depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, hidden: Math.trunc(width * options.mlpRatio) },
    }),
  );
  const normNamed = (name: string): (<T extends Tensor>(x: T) => T) =>
    layerNormalization(scope.child(name), { channels: width, epsilon: normEpsilon });
  const poolsMean = pool === 'mean';
  const norm = !poolsMean || finalNorm === 'last' ? normNamed('norm') : <T extends Tensor>(x: T): T => x;
  const normMean = poolsMean ? normNamed('fc_norm') : undefined;

  return plainEncoder(
    {
      ...{ width, patchSize, prefixCount: 1, blocks, norm },
      prepare(input, forward) {
        const map = embedPatches(input, forward);
        forward.observe?.('patch_embed', tokensOf(map));
        const grid = [map.shape[1], map.shape[2]] as const;
        const positions = resizePositions(table as unknown as Tensor3D, 1, [rows, columns], grid, {
          mode: options.positionResizing,
        });
        const first = tf.tile(cls as unknown as Tensor3D, [map.shape[0], 1, 1]);
        return { tokens: tf.add(tf.concat([first, tokensOf(map)], 1), positions) as Tensor3D, grid };
      },
    },
    { outputLayers, finalNorm },
    ...(normMean
      ? [
          (last: Tensor3D): Tensor2D =>
            tf.squeeze(normMean(tf.mean<Tensor3D>(withoutPrefix(last, 1), 1, true)), [1]),
        ]
      : []),
  );
}

/** Modalities joined band by band, and the kernel that belongs to their wavelengths. */
function patchesByWavelength(
  scope: Scope,
  options: Hyperparameters,
  { isFaultOn }: BuildContext,
): (input: EncoderInput, context: ForwardContext) => Tensor4D {
  const planes = options.wavelengthPlanes;
  const embed = wavelengthKernel(scope, {
    ...{ planes, patchSize: options.patchSize, width: options.width, padding: options.imagePadding },
    ...{ heads: options.generatorHeads, layers: options.generatorLayers, hidden: options.generatorHidden },
    ...{ tokenCount: options.generatorTokens, normEpsilon: 1e-5, activation: relu, kernelAxes: 'taps-first' },
    ...{ scale: options.kernelScale, biasScale: options.kernelScale },
    names: { residual: ['w1', 'w2'], transformer: 'transformer_encoder' },
    told: { residual: 'fclayer', transformer: 'generator_transformer' },
  });
  const frequencies = sineFrequencies(planes / 2, { precision: 'float32' });
  const radar = (isFaultOn(RADAR_FAULT) && options.publishedRadarStandInNm) || options.radarStandInNm;
  return (input, context) => {
    const parts = wavelengthsOf(input, options.wavelengthsNm);
    const images = parts.map(({ modality, wavelengthsNm }) =>
      modalityOf(input, modality, wavelengthsNm.length),
    );
    const wavelengths = parts.flatMap(({ wavelengthsNm }) =>
      wavelengthsNm.map((nm) => (nm >= RADAR_NM ? radar : nm)),
    );
    const embedded = tf.tensor2d(sineFeatures(wavelengths, frequencies, 'float32'), [
      wavelengths.length,
      planes,
    ]);
    return embed(tf.concat(images, 3), embedded, context);
  };
}
