import { z } from 'zod';
import { conv3d } from '../engine/ops/conv3d.js';
import { addBias } from '../engine/ops/linear.js';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import { normal, uniformByFanIn, xavierUniform, type Scope } from '../layers/parameters.js';
import { checkHoldsPatch } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { selectBands } from './adapt-bands.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, BuiltEncoder, EncoderInput, WeightAdaptation } from './encoder.js';
import { imageSeriesOf } from './images.js';
import { checkOutputLayers } from './plain-transformer.js';
import { coordinateEncoding } from './prithvi/coordinates.js';
import { positionsFor, spaceTimePositions, type SpaceTimeGrid } from './prithvi/positions.js';

const count = z.int().positive();
const HLS_BANDS = ['BLUE', 'GREEN', 'RED', 'NIR_NARROW', 'SWIR_1', 'SWIR_2'];

const hyperparameters = z.strictObject({
  /** Default six: blue, green, red, narrow near infrared, two of short-wave infrared. */
  bandCount: count.default(6),
  /** Names of the model's bands, where they are others than the checkpoint's: known ones keep their weights. */
  bands: z.array(z.string()).min(1).optional(),
  checkpointBands: z.array(z.string()).min(1).default(HLS_BANDS),
  /** Pixels of the images that the positions belong to. */
  imageSize: z.tuple([count, count]).default([224, 224]),
  /** Dates of a sample. */
  dates: count.default(1),
  /** Pixels along a patch's sides. */
  patchSize: count.default(16),
  /** Dates in one patch. */
  datesPerPatch: count.default(1),
  width: count,
  depth: count,
  heads: count,
  mlpRatio: z.number().positive().default(4),
  normEpsilon: z.number().positive().default(1e-5),
  /** What the variant was trained to know of an image, beside its pixels. */
  coordinates: z.array(z.enum(['time', 'location'])).default([]),
  /** What happens where the batch does not bring them; `leave-out` is what GEO-Bench-2 does. */
  missingMetadata: z.enum(['refuse', 'leave-out']).default('refuse'),
  /**
   * `stored`: the checkpoint's table where it is of this size, else a computed one (PANGAEA); `computed`: always
   * computed, resized for images of another size (TerraTorch).
   */
  positions: z.enum(['stored', 'computed']).default('computed'),
  /** Blocks whose stream is a feature, from 0. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
  /** `last`: the last block's stream is normalised, as TerraTorch has it; PANGAEA has `none`. */
  finalNorm: z.enum(['none', 'last']).default('last'),
  /** Where the time axis of a feature goes: it stays, except for one date (PANGAEA), or into the channels (TerraTorch). */
  timeAxis: z.enum(['kept', 'in-channels']).default('in-channels'),
  /** Whether the encoder serves a change detection on pairs of single dates. */
  inChangeDetection: z.boolean().default(false),
});

type Hyperparameters = z.infer<typeof hyperparameters>;

const REDRAWN_FAULT = 'prithvi/random-patch-embedding';
const SPLIT_FAULT = 'prithvi/dates-split-patches';

const redraws = ({ inChangeDetection }: Hyperparameters, { isFaultOn }: BuildContext): boolean =>
  inChangeDetection && isFaultOn(REDRAWN_FAULT);

/**
 * Prithvi (Jakubik et al. 2023, Szwarcman et al. 2024): a vision transformer over patches in space and time, in its
 * second version with dates and places beside them.
 */
export const prithvi = defineEncoder('prithvi', {
  hyperparameters,
  build: buildPrithvi,
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights(options, context) {
    const { positions, coordinates } = options;
    const redrawn = redraws(options, context);
    const unused = (name: string): RegExp => new RegExp(`^(encoder\\.)?${name}`);
    return {
      // version 2 keeps encoder and decoder apart, version 1 has the encoder's names bare
      rename: [
        [/^(?:encoder\.)?(temporal|location)_embed_enc\.scale$/, '$1_embed_enc.factor'],
        [/^encoder\.(.+)$/, '$1'],
      ],
      discard: [
        /^decoder/,
        /^mask_token$/,
        ...(positions === 'computed' ? [unused('pos_embed$')] : []),
        ...(coordinates.includes('time') ? [] : [unused('temporal_embed_enc\\.')]),
        ...(coordinates.includes('location') ? [] : [unused('location_embed_enc\\.')]),
        ...(redrawn ? [unused('patch_embed\\.')] : []),
      ],
      optional: redrawn ? [/^patch_embed\./] : [],
      adapt: adaptations(options),
    };
  },
  faults: {
    [REDRAWN_FAULT]:
      'In change detection the patch embedding is drawn anew after the weights were loaded (PANGAEA D02).',
    [SPLIT_FAULT]:
      'Where a patch spans several dates, each date is added to a share of its tokens in place of all (TerraTorch).',
  },
});

function adaptations(options: Hyperparameters): WeightAdaptation[] {
  const { bands, checkpointBands, width } = options;
  return [
    {
      match: /^pos_embed$/,
      adapt: (given, shape) =>
        given.shape[1] === shape[1] || given.shape[2] !== width
          ? given
          : { data: spaceTimePositions(width, gridOf(options)), shape },
    },
    ...(bands
      ? [
          {
            match: /^patch_embed\.proj\.weight$/,
            adapt: (given, shape) => selectBands(given, shape, { from: checkpointBands, to: bands }),
          } satisfies WeightAdaptation,
        ]
      : []),
  ];
}

const gridOf = ({ dates, datesPerPatch, imageSize, patchSize }: Hyperparameters): SpaceTimeGrid => [
  Math.floor(dates / datesPerPatch),
  Math.floor(imageSize[0] / patchSize),
  Math.floor(imageSize[1] / patchSize),
];

function buildPrithvi(scope: Scope, options: Hyperparameters, context: BuildContext): BuiltEncoder {
  const { width, heads, depth, normEpsilon, patchSize, outputLayers } = options;
  const bandCount = options.bands?.length ?? options.bandCount;
  checkOutputLayers(outputLayers, depth);
  const grid = gridOf(options);
  const embedPatches = spaceTimePatches(scope.child('patch_embed').child('proj'), options, bandCount);
  const cls = scope.parameter('cls_token', [1, 1, width], normal(0.02), 'table') as unknown as Tensor3D;
  const rows = 1 + grid[0] * grid[1] * grid[2];
  const stored =
    options.positions === 'stored'
      ? scope.parameter('pos_embed', [1, rows, width], () => spaceTimePositions(width, grid), 'constant')
      : undefined;
  const addCoordinates = coordinateEncoding(scope, {
    ...options,
    splitsPatches: context.isFaultOn(SPLIT_FAULT),
  });
  const blocks = Array.from({ length: depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, hidden: Math.trunc(width * options.mlpRatio) },
    }),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });

  const run = (input: EncoderInput, layers: number, forward: ForwardContext) => {
    const series = imageSeriesOf(input, bandCount, options.dates);
    const map = embedPatches(series);
    const at: SpaceTimeGrid = [map.shape[1], map.shape[2], map.shape[3]];
    const patches: Tensor3D = tf.reshape(map, [map.shape[0], at[0] * at[1] * at[2], width]);
    forward.observe?.('patch_embed', patches);
    const isOwnGrid = at[1] === grid[1] && at[2] === grid[2];
    const table = stored && isOwnGrid ? (stored as unknown as Tensor3D) : positionsFor(width, grid, at);
    forward.observe?.('pos_embed', table);
    const placed: Tensor3D = tf.add(patches, tf.slice(table, [0, 1, 0], [-1, -1, -1]));
    const known = addCoordinates(placed, at, input, forward);
    const first = tf.tile(tf.add<Tensor3D>(cls, tf.slice(table, [0, 0, 0], [-1, 1, -1])), [
      map.shape[0],
      1,
      1,
    ]);
    const streams: Tensor3D[] = [tf.concat([first, known], 1)];
    for (const [index, block] of blocks.slice(0, layers).entries()) {
      streams.push(block(streams.at(-1)!));
      forward.observe?.(`block.${index}`, streams.at(-1)!);
    }
    return { streams: streams.slice(1), grid: at };
  };

  const inChannels = options.timeAxis === 'in-channels';
  const isNormed = (layer: number): boolean => options.finalNorm === 'last' && layer === depth - 1;
  return {
    dates: options.dates,
    features: outputLayers.map(() => ({ channels: inChannels ? grid[0] * width : width, stride: patchSize })),
    forward(input, forward) {
      const { streams, grid: at } = run(input, Math.max(...outputLayers) + 1, forward);
      return outputLayers.map((layer) => {
        const x = isNormed(layer) ? norm(streams[layer]!) : streams[layer]!;
        if (isNormed(layer)) forward.observe?.('norm', x);
        return inChannels ? timeInChannels(x, at) : timeKept(x, at);
      });
    },
    embed(input, forward): Tensor2D {
      const { streams } = run(input, depth, forward);
      return tf.squeeze(tf.slice(norm(streams.at(-1)!), [0, 0, 0], [-1, 1, -1]), [1]);
    },
  };
}

/** [batch, date, height, width, band] → [batch, time, row, column, width], by a kernel as large as a patch. */
function spaceTimePatches(
  scope: Scope,
  { patchSize, datesPerPatch, width }: Hyperparameters,
  bandCount: number,
): (series: Tensor5D) => Tensor5D {
  const taps = datesPerPatch * patchSize * patchSize;
  const shape = [datesPerPatch, patchSize, patchSize, bandCount, width];
  const kernel = scope.parameter('kernel', shape, xavierUniform(bandCount * taps, width), 'kernel');
  const bias = scope.parameter('bias', [width], uniformByFanIn(bandCount * taps), 'bias');
  return (series) => {
    checkHoldsPatch(series.shape[2], series.shape[3], patchSize);
    return addBias(conv3d(series, kernel, { stride: [datesPerPatch, patchSize, patchSize] }), bias);
  };
}

const patchTokens = (x: Tensor3D, [steps, rows, columns]: SpaceTimeGrid): Tensor5D =>
  tf.reshape(tf.slice(x, [0, 1, 0], [-1, -1, -1]), [x.shape[0], steps, rows, columns, x.shape[2]]);

/** [batch, 1 + patch, width] → [batch, time, row, column, width], without the time axis where it has one step. */
function timeKept(x: Tensor3D, grid: SpaceTimeGrid): Tensor4D | Tensor5D {
  const map = patchTokens(x, grid);
  return grid[0] === 1 ? tf.squeeze<Tensor4D>(map, [1]) : map;
}

/** [batch, 1 + patch, width] → [batch, row, column, time · width] */
function timeInChannels(x: Tensor3D, grid: SpaceTimeGrid): Tensor4D {
  const map = tf.transpose(patchTokens(x, grid), [0, 2, 3, 1, 4]);
  return tf.reshape(map, [x.shape[0], grid[1], grid[2], grid[0] * x.shape[2]]);
}
