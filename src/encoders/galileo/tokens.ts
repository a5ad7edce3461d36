import { gather } from '../../engine/ops/gather.js';
import {
  tf,
  type Tensor,
  type Tensor2D,
  type Tensor3D,
  type Tensor4D,
  type Tensor5D,
} from '../../engine/tf.js';
import { dense } from '../../layers/dense.js';
import { normal, zeros, type Scope } from '../../layers/parameters.js';
import { flexiblePatches } from './flexible-patches.js';
import { GALILEO_GROUPS, type BandGroup, type GroupKind } from './groups.js';
import { patchPositions } from './positions.js';

export interface GalileoTokenOptions {
  readonly width: number;
  readonly patchSize: number;
  readonly fullPatchSize: number;
  readonly maxDates: number;
}

/** What is known of a batch beside its images. */
export interface GalileoBatch {
  readonly batch: number;
  readonly dates: number;
  /** Rows and columns of patches. */
  readonly grid: readonly [number, number];
  /** 0 … 11, [batch · date]. */
  readonly months: readonly number[];
  /** Metres per pixel, of the batch or of each image. */
  readonly gsdM: readonly number[];
}

/** Tokens of one group: its place in the table of its kind says what it is. */
export type EmbedGroup = (image: Tensor4D | Tensor5D, batch: GalileoBatch) => Tensor3D;

const NAMES: Readonly<Record<GroupKind, readonly [channels: string, embeddings: string]>> = {
  'space-time': ['s_t_channel_embed', 'space_time_embed'],
  space: ['sp_channel_embed', 'space_embed'],
  time: ['t_channel_embed', 'time_embed'],
  static: ['st_channel_embed', 'static_embed'],
};

/** Metres of the pixels that positions are counted in. */
const UNIT_M = 10;

/**
 * Embeds groups of bands: a patch, a date or an image a token, and a quarter of the channels each for what group it is
 * of, its date, its month and its place in the image.
 * @returns by group, [batch, date, height, width, band] → [batch, token, width], the row of patches slowest, the date
 *   fastest
 */
export function galileoTokens(scope: Scope, options: GalileoTokenOptions): ReadonlyMap<string, EmbedGroup> {
  const { width, maxDates } = options;
  const quarter = Math.floor(width / 4);
  const kinds = Object.keys(NAMES) as GroupKind[];
  const channels = new Map(
    kinds.map((kind) => {
      const rows = GALILEO_GROUPS[kind].length;
      return [kind, scope.parameter(NAMES[kind][0], [rows, quarter], normal(0.02), 'table')] as const;
    }),
  );
  const ofDate = scope.parameter('pos_embed', [maxDates, quarter], zeros, 'constant') as unknown as Tensor2D;
  const ofMonth = scope.child('month_embed').parameter('weight', [12, quarter], zeros, 'constant');

  /** Rows [row, quarter] at their quarter of the channels, zeros elsewhere: [row, width]. */
  const inQuarter = (rows: Tensor2D, index: number): Tensor2D =>
    tf.pad(rows, [
      [0, 0],
      [index * quarter, width - (index + 1) * quarter],
    ]);
  /** [batch, 1, 1, date, width] */
  const knownOfDates = ({ batch, dates, months }: GalileoBatch): Tensor => {
    const ofDates = tf.reshape(inQuarter(tf.slice(ofDate, [0, 0], [dates, -1]), 1), [1, 1, 1, dates, width]);
    const rows = gather(ofMonth, tf.tensor1d([...months], 'int32')) as Tensor2D;
    return tf.add(ofDates, tf.reshape(inQuarter(rows, 2), [batch, 1, 1, dates, width]));
  };
  /** [batch or 1, row, column, 1, width] */
  const knownOfPlaces = ({ grid, gsdM }: GalileoBatch): Tensor => {
    const tables = gsdM.map((gsd) => {
      const table = patchPositions(quarter, grid, (gsd * options.patchSize) / UNIT_M);
      return tf.tensor2d(table, [grid[0] * grid[1], quarter]);
    });
    const rows = inQuarter(tf.concat(tables, 0), 3);
    return tf.reshape(rows, [gsdM.length, grid[0], grid[1], 1, width]);
  };

  const embedded = new Map<string, EmbedGroup>();
  for (const kind of kinds) {
    for (const [index, group] of GALILEO_GROUPS[kind].entries()) {
      const project = projection(scope.child(NAMES[kind][1]).child(group.name), kind, group, options);
      embedded.set(group.name, (image, batch) => {
        const row = tf.slice(channels.get(kind)! as unknown as Tensor2D, [index, 0], [1, -1]);
        let x: Tensor = tf.add(project(image), tf.reshape(inQuarter(row, 0), [1, 1, 1, 1, width]));
        if (kind.endsWith('time')) x = tf.add(x, knownOfDates(batch));
        if (kind.startsWith('space')) x = tf.add(x, knownOfPlaces(batch));
        return tf.reshape(x, [batch.batch, -1, width]);
      });
    }
  }
  return embedded;
}

/** Bands of an image → [batch, row, column, date, width], sizes of 1 where the group does not vary. */
function projection(
  scope: Scope,
  kind: GroupKind,
  { columns }: BandGroup,
  { width, patchSize, fullPatchSize }: GalileoTokenOptions,
): (image: Tensor4D | Tensor5D) => Tensor5D {
  const bandsOf = (image: Tensor4D | Tensor5D): Tensor5D => {
    const series: Tensor5D = image.rank === 5 ? (image as Tensor5D) : tf.expandDims(image, 1);
    return gather(series, tf.tensor1d([...columns], 'int32'), 4) as Tensor5D;
  };
  if (kind === 'time' || kind === 'static') {
    const project = dense(scope, columns.length, width);
    // one pixel stands for the image
    return (image) => tf.transpose(project(bandsOf(image)), [0, 2, 3, 1, 4]);
  }
  const embed = flexiblePatches(scope.child('proj'), {
    ...{ bandCount: columns.length, width, patchSize, fullSize: fullPatchSize },
  });
  return (image) => {
    const bands = bandsOf(image);
    const [batch, dates, height, columnsOfImage] = bands.shape;
    const maps = embed(tf.reshape(bands, [batch * dates, height, columnsOfImage, columns.length]));
    const apart: Tensor5D = tf.reshape(maps, [batch, dates, maps.shape[1], maps.shape[2], width]);
    return tf.transpose(apart, [0, 2, 3, 1, 4]);
  };
}
