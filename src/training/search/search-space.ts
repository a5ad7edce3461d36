import type { Choice, FloatDimension, IntDimension } from '../../manifests/search-space.js';

export type {
  CategoricalDimension,
  Choice,
  SearchDimension,
  FloatDimension,
  IntDimension,
  SearchSpace,
} from '../../manifests/search-space.js';

/** A value of each dimension of a space. */
export type TrialParameters = Readonly<Record<string, Choice>>;

/** One axis of numbers in which samplers draw: logarithms for a logarithmic scale, indices for choices. */
export interface Axis {
  readonly low: number;
  readonly high: number;
  /** Distance of the values that it has; undefined: any between. */
  readonly step: number | undefined;
  readonly toAxis: (value: number) => number;
  readonly fromAxis: (place: number) => number;
}

const same = (value: number): number => value;

/** The axis of a number; that of a logarithmic whole number reaches half a step beyond both ends, so that all are met alike. */
export function axisOf(dimension: FloatDimension | IntDimension): Axis {
  const { low, high, scale = 'linear' } = dimension;
  const clip = (value: number): number => Math.min(high, Math.max(low, value));
  if (dimension.kind === 'float') {
    return scale === 'log'
      ? {
          low: Math.log(low),
          high: Math.log(high),
          step: undefined,
          toAxis: Math.log,
          fromAxis: (place) => clip(Math.exp(place)),
        }
      : { low, high, step: undefined, toAxis: same, fromAxis: clip };
  }
  const { step = 1 } = dimension;
  const onGrid = (value: number): number => clip(low + Math.round((value - low) / step) * step);
  return scale === 'log'
    ? {
        ...{ low: Math.log(low - 0.5), high: Math.log(high + 0.5), step: undefined },
        ...{ toAxis: Math.log, fromAxis: (place: number) => onGrid(Math.exp(place)) },
      }
    : { low, high: low + Math.floor((high - low) / step) * step, step, toAxis: same, fromAxis: onGrid };
}
