import { z } from 'zod';
import { InputError } from '../errors.js';
import { tf, type Tensor2D, type Tensor3D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { mapOf } from '../layers/patch-embedding.js';
import {
  crossEncoder,
  modalityEncoder,
  pooledHead,
  type CromaStreams,
  type CrossEncoder,
  type EncodeModality,
} from './croma/blocks.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, BuiltEncoder, EncoderInput } from './encoder.js';
import { modalityOf } from './images.js';
import { checkOutputLayers } from './plain-transformer.js';

const count = z.int().positive();
const layers = z.array(z.int().nonnegative()).min(1);

const hyperparameters = z.strictObject({
  /** What is encoded: one modality, or both and then SAR in the light of the optical image. */
  modality: z.enum(['optical', 'sar', 'joint']),
  /** Default 12: Sentinel-2 without B10. */
  opticalBandCount: count.default(12),
  /** Default 2: VV, VH. */
  sarBandCount: count.default(2),
  patchSize: count.default(8),
  width: count,
  heads: count.default(16),
  opticalDepth: count,
  sarDepth: count,
  crossDepth: count,
  mlpRatio: z.number().positive().default(4),
  normEpsilon: z.number().positive().default(1e-5),
  /** Blocks whose stream is a feature, from 0; of the cross encoder for `joint`. */
  outputLayers: layers,
  /** The same, under the fault `croma/taps`. */
  publishedOutputLayers: layers.optional(),
  /** Whether there are heads on the mean over patches, which `embed` needs for one modality. */
  pooledHeads: z.boolean().default(true),
});

export type CromaOptions = z.infer<typeof hyperparameters>;

const TAPS_FAULT = 'croma/taps';
const NORM_FAULT = 'croma/norm-on-last-tap';

/**
 * CROMA (Fuller et al. 2023): one transformer for SAR, one for optical images, and one in which the SAR patches attend
 * to the optical ones. No position table: attention is weakened by the distance between patches.
 */
export const croma = defineEncoder('croma', {
  hyperparameters,
  build: (scope, options, context) => asEncoder(buildCroma(scope, options), options, context),
  bandLayers: () => [
    {
      modality: 'optical',
      kernel: /^s2_encoder\.linear_input\.weight$/,
      withBands: (opticalBandCount) => ({ opticalBandCount }),
    },
    {
      modality: 'sar',
      kernel: /^s1_encoder\.linear_input\.weight$/,
      withBands: (sarBandCount) => ({ sarBandCount }),
    },
  ],
  weights: ({ modality, pooledHeads }) => ({
    rename: [],
    discard: [
      // the file holds all three encoders
      ...(modality === 'optical' ? [/^s1_/, /^joint_/] : []),
      ...(modality === 'sar' ? [/^s2_/, /^joint_/] : []),
      ...(pooledHeads ? [] : [/^s[12]_GAP_FFN\./]),
      /^joint_GAP_FFN\./,
    ],
  }),
  faults: {
    [TAPS_FAULT]:
      'The optical features are blocks 3, 5, 7 and 11 of 24 in place of evenly spaced ones (PANGAEA D04).',
    [NORM_FAULT]:
      'The final normalisation is applied to the last feature, whichever block that is, though it belongs to the last block (PANGAEA D04).',
  },
});

/** The encoders of a variant, those that its modality needs. */
export interface Croma {
  readonly sar: EncodeModality | undefined;
  readonly optical: EncodeModality | undefined;
  readonly cross: CrossEncoder | undefined;
  /** Heads on the mean over normalised patches: [batch, token, width] → [batch, width]. */
  readonly pool: Readonly<Record<'sar' | 'optical', ((normed: Tensor3D) => Tensor2D) | undefined>>;
}

/** Builds the parameters in CROMA's names. */
export function buildCroma(scope: Scope, options: CromaOptions): Croma {
  const { modality, width, patchSize, pooledHeads, normEpsilon } = options;
  const hidden = Math.trunc(width * options.mlpRatio);
  const sizes = { width, heads: options.heads, normEpsilon, hidden };
  const hasSar = modality !== 'optical';
  const hasOptical = modality !== 'sar';
  const encoder = (name: string, bandCount: number, depth: number): EncodeModality =>
    modalityEncoder(scope.child(name), name, { ...sizes, depth, bandCount, patchSize });
  const head = (name: string): Croma['pool']['sar'] =>
    pooledHeads ? pooledHead(scope.child(name), sizes) : undefined;
  return {
    sar: hasSar ? encoder('s1_encoder', options.sarBandCount, options.sarDepth) : undefined,
    optical: hasOptical ? encoder('s2_encoder', options.opticalBandCount, options.opticalDepth) : undefined,
    cross:
      modality === 'joint'
        ? crossEncoder(scope.child('joint_encoder'), 'cross_encoder', {
            ...sizes,
            depth: options.crossDepth,
          })
        : undefined,
    pool: {
      sar: hasSar ? head('s1_GAP_FFN') : undefined,
      optical: hasOptical ? head('s2_GAP_FFN') : undefined,
    },
  };
}

/**
 * Streams of the encoder that the modality names.
 * @param depth how many blocks of it are needed; default all. The encoders before the cross encoder run to their end.
 */
export function runCroma(
  model: Croma,
  options: CromaOptions,
  input: EncoderInput,
  context: ForwardContext,
  depth?: number,
): CromaStreams {
  const ofModality = (name: 'sar' | 'optical', blocks?: number): CromaStreams => {
    const bandCount = name === 'sar' ? options.sarBandCount : options.opticalBandCount;
    return model[name]!(modalityOf(input, name, bandCount), context, blocks);
  };
  if (options.modality !== 'joint') return ofModality(options.modality, depth);
  const [sar, optical] = [ofModality('sar'), ofModality('optical')];
  checkSameGrid(sar.grid, optical.grid);
  const [tokens, attended] = [sar, optical].map(({ streams, norm }) => norm(streams.at(-1)!)) as [
    Tensor3D,
    Tensor3D,
  ];
  return model.cross!(tokens, attended, sar.grid, context, depth);
}

function checkSameGrid(sar: CromaStreams['grid'], optical: CromaStreams['grid']): void {
  if (sar[0] === optical[0] && sar[1] === optical[1]) return;
  throw new InputError(
    'SHAPE_MISMATCH',
    `sar has ${sar.join(' × ')} patches, optical has ${optical.join(' × ')}.`,
    { where: 'images', hint: 'Bring both modalities to the same pixels first.' },
  );
}

/** Features and pooled vector of built encoders. */
export function asEncoder(model: Croma, options: CromaOptions, { isFaultOn }: BuildContext): BuiltEncoder {
  const { modality, width, patchSize } = options;
  const taps = (isFaultOn(TAPS_FAULT) && options.publishedOutputLayers) || options.outputLayers;
  const depth = { optical: options.opticalDepth, sar: options.sarDepth, joint: options.crossDepth }[modality];
  checkOutputLayers(taps, depth);
  const meanOf = (x: Tensor3D): Tensor2D => tf.mean(x, 1);
  const pool = modality === 'joint' ? meanOf : model.pool[modality];
  const isNormed = (layer: number, index: number): boolean =>
    isFaultOn(NORM_FAULT) ? index === taps.length - 1 : layer === depth - 1;
  return {
    features: taps.map(() => ({ channels: width, stride: patchSize })),
    forward(input, context) {
      const { streams, norm, grid } = runCroma(model, options, input, context, Math.max(...taps) + 1);
      return taps.map((layer, index) =>
        mapOf(isNormed(layer, index) ? norm(streams[layer]!) : streams[layer]!, grid),
      );
    },
    ...(pool && {
      embed(input: EncoderInput, context: ForwardContext): Tensor2D {
        const { streams, norm } = runCroma(model, options, input, context);
        return pool(norm(streams.at(-1)!));
      },
    }),
  };
}
