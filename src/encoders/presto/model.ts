import { gather } from '../../engine/ops/gather.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from '../../engine/tf.js';
import { dense } from '../../layers/dense.js';
import { layerNormalization } from '../../layers/layer-normalization.js';
import type { ForwardContext } from '../../layers/layer.js';
import { normal, zeros, type Scope } from '../../layers/parameters.js';
import { transformerBlock } from '../../layers/transformer-block.js';
import type { Place } from '../encoder.js';
import { keepTokens, maskBias, meanOfPresent } from './tokens.js';

export interface PrestoSizes {
  readonly width: number;
  readonly depth: number;
  readonly heads: number;
  readonly mlpRatio: number;
  readonly normEpsilon: number;
  /** Shares of the channels that say which band group and which month a token is of; the rest says which date. */
  readonly groupShare: number;
  readonly monthShare: number;
  /** Longest series. */
  readonly maxDates: number;
  /** Columns of the series by group, in the order of the checkpoint's group table. */
  readonly bandGroups: Readonly<Record<string, readonly number[]>>;
  /** Number that stands for no land cover class; the classes are the numbers below it. */
  readonly missingClass: number;
}

/** Pixel series as the model takes them. */
export interface PrestoSeries {
  /** [series, date, band], scaled as in the training. */
  readonly values: Tensor3D;
  /** True where a number is not to be used, [series · date · band]; default none. */
  readonly isMasked?: ArrayLike<number | boolean>;
  /** Dynamic World's class of every date, [series · date]. */
  readonly landCover: ArrayLike<number>;
  /** [series] */
  readonly places: readonly Place[];
  /** 0 … 11 of every date, [series · date]. */
  readonly months: ArrayLike<number>;
}

export interface PrestoTokens {
  /** [series, 1 + kept, width], the place's token first, not normalised. */
  readonly tokens: Tensor3D;
  /** [series, 1 + kept], the place is 0. */
  readonly indices: Tensor2D;
  readonly mask: Tensor2D;
}

/** Presto's encoder. */
export interface Presto {
  readonly encode: (series: PrestoSeries, context: ForwardContext) => PrestoTokens;
  readonly norm: <T extends Tensor>(x: T) => T;
  /** The normalised mean over tokens: [series, width]. */
  readonly pool: (tokens: PrestoTokens) => Tensor2D;
}

/** Elevation and slope do not change over time: one token a series. */
const STATIC_GROUP = 'SRTM';

/** Builds the parameters in Presto's names. */
export function buildPresto(scope: Scope, sizes: PrestoSizes): Presto {
  const { width, heads, normEpsilon, bandGroups } = sizes;
  const groups = Object.entries(bandGroups);
  const [groupWidth, monthWidth] = [sizes.groupShare, sizes.monthShare].map((share) =>
    Math.trunc(width * share),
  ) as [number, number];
  const dateWidth = Math.trunc(width * (1 - (sizes.groupShare + sizes.monthShare)));
  const ofBands = groups.map(([name, columns]) => ({
    name,
    columns,
    embed: dense(scope.child('eo_patch_embed').child(name), columns.length, width),
  }));
  const table = (name: string, rows: number, columns: number, role: 'table' | 'constant') =>
    scope.child(name).parameter('weight', [rows, columns], normal(0.02), role) as unknown as Tensor2D;
  const ofClass = table('dw_embed', sizes.missingClass + 1, width, 'table');
  const ofPlace = dense(scope.child('latlon_embed'), 3, width);
  const blocks = Array.from({ length: sizes.depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, hidden: Math.trunc(width * sizes.mlpRatio) },
    }),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });
  const ofDate = scope.parameter('pos_embed', [1, sizes.maxDates, dateWidth], zeros, 'constant');
  const ofMonth = table('month_embed', 12, monthWidth, 'constant');
  const ofGroup = table('channel_embed', groups.length + 1, groupWidth, 'table');

  /** What a token is: month, group, date, [series, date, width]. */
  const place = (months: Tensor3D, group: number, dates: Tensor3D): Tensor3D => {
    const [series, count] = months.shape;
    const row = tf.slice(ofGroup, [group, 0], [1, -1]);
    const repeated: Tensor3D = tf.tile(tf.reshape(row, [1, 1, groupWidth]), [series, count, 1]);
    return tf.concat([months, repeated, dates], 2);
  };

  const allTokens = ({ values, landCover, months }: PrestoSeries): Tensor3D => {
    const [series, dates] = values.shape;
    const monthRows: Tensor3D = tf.reshape(gather(ofMonth, indexTensor(months)), [series, dates, monthWidth]);
    const ofDates = tf.slice(ofDate as unknown as Tensor3D, [0, 0, 0], [1, dates, -1]);
    const dateRows: Tensor3D = tf.tile(ofDates, [series, 1, 1]);
    const parts = ofBands.map(({ name, columns, embed }, group): Tensor3D => {
      const isStatic = name === STATIC_GROUP;
      const given = gather(values, tf.tensor1d([...columns], 'int32'), 2) as Tensor3D;
      if (!isStatic) return tf.add(embed(given), place(monthRows, group, dateRows));
      const known = place(tf.zeros([series, 1, monthWidth]), group, tf.zeros([series, 1, dateWidth]));
      return tf.add(embed(tf.slice(given, [0, 0, 0], [-1, 1, -1])), known);
    });
    const classes: Tensor3D = tf.reshape(gather(ofClass, indexTensor(landCover)), [series, dates, width]);
    const cover: Tensor3D = tf.add(classes, place(monthRows, groups.length, dateRows));
    return tf.concat([...parts, cover], 1);
  };

  return {
    norm,
    encode(series, context) {
      const kept = keepTokens(allTokens(series), maskedTokens(series, sizes));
      const first = tf.expandDims(ofPlace(tf.tensor2d(series.places.map(cartesian))), 1);
      const mask: Tensor2D = tf.concat([tf.zeros([first.shape[0], 1]), kept.mask], 1);
      const attention = { bias: maskBias(mask) };
      let tokens: Tensor3D = tf.concat([first as Tensor3D, kept.tokens], 1);
      for (const [index, block] of blocks.entries()) {
        tokens = block(tokens, attention);
        context.observe?.(`block.${index}`, tokens);
      }
      const indices = tf.pad(tf.add(kept.indices, tf.scalar(1, 'int32')), [
        [0, 0],
        [1, 0],
      ]);
      return { tokens, indices: indices as Tensor2D, mask };
    },
    pool: ({ tokens, mask }) => norm(meanOfPresent(tokens, mask)),
  };
}

const indexTensor = (values: ArrayLike<number>): Tensor => tf.tensor1d(Int32Array.from(values), 'int32');

/** A group's token is masked where any of its bands is, a land cover's where there is no class. */
function maskedTokens(
  { values, isMasked, landCover }: PrestoSeries,
  { bandGroups, missingClass }: PrestoSizes,
): boolean[] {
  const [series, dates, bands] = values.shape;
  const masked: boolean[] = [];
  for (let s = 0; s < series; s++) {
    for (const [name, columns] of Object.entries(bandGroups)) {
      for (let date = 0; date < (name === STATIC_GROUP ? 1 : dates); date++)
        masked.push(columns.some((band) => Boolean(isMasked?.[(s * dates + date) * bands + band])));
    }
    for (let date = 0; date < dates; date++) masked.push(landCover[s * dates + date] === missingClass);
  }
  return masked;
}

/** The point of a unit sphere at a place. */
export function cartesian({ latitude, longitude }: Place): [number, number, number] {
  const [north, east] = [latitude, longitude].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}
