/** A number on a scale. `log`: equal factors count alike. */
export interface FloatDimension {
  readonly kind: 'float';
  readonly low: number;
  readonly high: number;
  /** Default `linear`. */
  readonly scale?: 'linear' | 'log' | undefined;
}

/** A whole number: low, low + step, … up to high. */
export interface IntDimension {
  readonly kind: 'int';
  readonly low: number;
  readonly high: number;
  /** Default `linear`; `log` has a step of 1. */
  readonly scale?: 'linear' | 'log' | undefined;
  /** Default 1. */
  readonly step?: number | undefined;
}

/** One of a few values without an order. */
export interface CategoricalDimension {
  readonly kind: 'categorical';
  readonly choices: readonly Choice[];
}

export type Choice = string | number | boolean | null;

export type SearchDimension = FloatDimension | IntDimension | CategoricalDimension;

/** What is searched, by the name of a setting. */
export type SearchSpace = Readonly<Record<string, SearchDimension>>;
