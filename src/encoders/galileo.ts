import { z } from 'zod';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { AcquisitionTime, BuiltEncoder, EncoderInput } from './encoder.js';
import { bandCountOf, GALILEO_GROUPS, type GroupKind } from './galileo/groups.js';
import { galileoTokens, type GalileoBatch } from './galileo/tokens.js';
import { groundDistancesOf } from './ground-distance.js';
import { seriesOf } from './images.js';
import { missingInput, placesOf, timesOf } from './metadata.js';
import { checkOutputLayers } from './plain-transformer.js';
import { cartesian } from './presto/model.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    width: count.default(128),
    depth: count.default(4),
    heads: count.default(8),
    mlpRatio: z.number().positive().default(4),
    normEpsilon: z.number().positive().default(1e-5),
    /** Side of the patches that the kernels were trained for, in pixels. */
    fullPatchSize: count.default(8),
    /** Side of the patches here; kernels are brought to it. */
    patchSize: count.default(4),
    /** Longest series. */
    maxDates: count.default(24),
    /** Blocks whose stream is a feature, from 0. The last block's is normalised. */
    outputLayers: z.array(z.int().nonnegative()).min(1),
  })
  .refine(({ patchSize, fullPatchSize }) => patchSize <= fullPatchSize, {
    path: ['patchSize'],
    message: 'is larger than fullPatchSize',
  });

type Hyperparameters = z.infer<typeof hyperparameters>;

/**
 * Galileo (Tseng et al. 2025): one transformer over tokens of many sensors, by patch, date and group of bands. Images
 * of a batch, whichever there are, in the training's scale: `sar`, `optical`, `ndvi` (varying in space and time);
 * `srtm`, `dynamic-world`, `world-cover` (one date); `era5`, `terra-climate`, `viirs` (one pixel); `landscan`,
 * `dynamic-world-static`, `world-cover-static` (one pixel and date). Places become a token where they are given. It
 * needs dates and metres a pixel. A feature is the mean over the groups and dates of a patch.
 */
export const galileo = defineEncoder('galileo', {
  hyperparameters,
  build: buildGalileo,
  weights: { rename: [], discard: [/^decoder/] },
});

interface Part {
  readonly kind: GroupKind;
  /** [batch, token, width] */
  readonly tokens: Tensor3D;
}

function buildGalileo(scope: Scope, options: Hyperparameters): BuiltEncoder {
  const { width, heads, depth, normEpsilon, patchSize, outputLayers } = options;
  checkOutputLayers(outputLayers, depth);
  const embedGroups = galileoTokens(scope, options);
  const blocks = Array.from({ length: depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, hidden: Math.trunc(width * options.mlpRatio) },
      separate: ['q', 'k', 'v'],
    }),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });

  const run = (input: EncoderInput, layers: number, context: ForwardContext) => {
    const images = imagesOf(input);
    const batch = batchOf(input, images, options);
    const parts: Part[] = [];
    for (const kind of Object.keys(GALILEO_GROUPS) as GroupKind[]) {
      for (const { name, image } of GALILEO_GROUPS[kind]) {
        const given = images.get(image);
        if (given) parts.push({ kind, tokens: embedGroups.get(name)!(given, batch) });
      }
    }
    const streams: Tensor3D[] = [
      tf.concat(
        parts.map(({ tokens }) => tokens),
        1,
      ),
    ];
    for (const [index, block] of blocks.slice(0, layers).entries()) {
      streams.push(block(streams.at(-1)!));
      context.observe?.(`block.${index}`, streams.at(-1)!);
    }
    return { streams: streams.slice(1), parts, batch };
  };

  return {
    dates: 'any',
    features: outputLayers.map(() => ({ channels: width, stride: patchSize })),
    forward(input, context) {
      const { streams, parts, batch } = run(input, Math.max(...outputLayers) + 1, context);
      return outputLayers.map((layer) => {
        const x = layer === depth - 1 ? norm(streams[layer]!) : streams[layer]!;
        return meanOfPatches(x, parts, batch.grid);
      });
    },
    embed: (input, context): Tensor2D => tf.mean(norm(run(input, depth, context).streams.at(-1)!), 1),
  };
}

/** Tokens of the groups that vary in space, averaged by patch: [batch, row, column, width]. */
function meanOfPatches(
  x: Tensor3D,
  parts: readonly Part[],
  [rows, columns]: readonly [number, number],
): Tensor4D {
  const [batch, , width] = x.shape;
  let from = 0;
  const byPatch: Tensor5D[] = [];
  for (const { kind, tokens } of parts) {
    const count = tokens.shape[1];
    const ofGroup = tf.slice(x, [0, from, 0], [-1, count, -1]);
    if (kind.startsWith('space')) byPatch.push(tf.reshape(ofGroup, [batch, rows, columns, -1, width]));
    from += count;
  }
  return tf.mean(tf.concat(byPatch, 3), 3);
}

/** Images that the groups know, [batch, date, height, width, band]. */
function imagesOf(input: EncoderInput): Map<string, Tensor5D> {
  const names = new Set(
    Object.values(GALILEO_GROUPS)
      .flat()
      .map(({ image }) => image),
  );
  const known = [...names].filter((name) => Object.hasOwn(input.images, name) && name !== LOCATION);
  const isInSpace = (name: string): boolean =>
    [...GALILEO_GROUPS['space-time'], ...GALILEO_GROUPS.space].some(({ image }) => image === name);
  if (!known.some(isInSpace)) {
    throw new InputError(
      'MODALITIES',
      `Galileo takes ${[...names].filter(isInSpace).join(', ')}, and there are: ${Object.keys(input.images).join(', ') || 'none'}.`,
      { where: 'images', hint: 'Give one of these at least.' },
    );
  }
  const images = new Map(known.map((name) => [name, seriesOf(input, name, bandCountOf(name))] as const));
  const batch = images.values().next().value!.shape[0];
  const places = placesOf(input, batch);
  if (places) images.set(LOCATION, tf.tensor5d(places.flatMap(cartesian), [batch, 1, 1, 1, 3]));
  return images;
}

const LOCATION = 'location';

function batchOf(
  input: EncoderInput,
  images: ReadonlyMap<string, Tensor5D>,
  { patchSize, maxDates }: Hyperparameters,
): GalileoBatch {
  const sizes = { batch: 0, dates: 1, rows: 0, columns: 0 };
  for (const kind of ['space-time', 'space', 'time', 'static'] as const) {
    for (const { image } of GALILEO_GROUPS[kind]) {
      const shape = images.get(image)?.shape;
      if (!shape) continue;
      sizes.batch ||= shape[0];
      if (kind.endsWith('time') && sizes.dates === 1) sizes.dates = shape[1];
      if (kind.startsWith('space')) {
        sizes.rows ||= shape[2];
        sizes.columns ||= shape[3];
      }
      const expected = [
        sizes.batch,
        kind.endsWith('time') ? sizes.dates : 1,
        ...(kind.startsWith('space') ? [sizes.rows, sizes.columns] : [1, 1]),
      ];
      checkSizes(image, shape.slice(0, 4), expected);
    }
  }
  const { batch, dates, rows, columns } = sizes;
  if (dates > maxDates) {
    throw new InputError('TIME_STEPS', `The series have ${dates} dates, and the encoder takes ${maxDates}.`, {
      where: 'images',
      hint: 'Choose dates, one a month as in the training.',
    });
  }
  const times = timesOf(input, batch, dates);
  if (!times) throw missingInput('dates', 'times', 'Give the year and day of every date.');
  return {
    ...{ batch, dates, grid: [Math.floor(rows / patchSize), Math.floor(columns / patchSize)] },
    months: times.flat().map(monthOf),
    gsdM: groundDistancesOf(input, batch),
  };
}

function checkSizes(image: string, got: readonly number[], expected: readonly number[]): void {
  if (got.join() === expected.join()) return;
  throw new InputError(
    'SHAPE_MISMATCH',
    `${image} has [batch, date, height, width] ${got.join(' × ')}, where ${expected.join(' × ')} is due.`,
    {
      where: `images.${image}`,
      hint: 'Give all images the same pixels and dates; those of one pixel or date have size 1.',
    },
  );
}

const monthOf = ({ year, dayOfYear }: AcquisitionTime): number =>
  new Date(Date.UTC(year, 0, Math.floor(dayOfYear))).getUTCMonth();
