import type { Random } from '../../random.js';
import { logNormalMass, normalDensity } from './normal.js';
import { axisOf, type CategoricalDimension, type Choice, type SearchDimension } from './search-space.js';

/** A density over one dimension, made of what was observed there. */
export interface ParzenEstimator {
  readonly sample: (random: Random) => Choice;
  readonly logDensity: (value: Choice) => number;
}

/** Observations of which all count alike; older ones count less. */
const RECENT = 25;

/**
 * A kernel for each observation, and a wide one for what was known before.
 * @param observed in the order of the trials
 */
export const parzenEstimator = (dimension: SearchDimension, observed: readonly Choice[]): ParzenEstimator =>
  dimension.kind === 'categorical'
    ? estimateChoices(dimension, observed)
    : estimateNumbers(dimension, observed as readonly number[]);

/** Shares of the kernels, that of the prior last. */
function kernelWeights(count: number): number[] {
  const old = Math.max(0, count - RECENT);
  // from 1 / count up to 1
  const ramp = (index: number): number =>
    old === 1 ? 1 / count : 1 / count + ((1 - 1 / count) * index) / (old - 1);
  const weights = Array.from({ length: count }, (_, index) => (index < old ? ramp(index) : 1));
  weights.push(1);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** An index by its share of all weights. */
function draw(weights: readonly number[], random: Random): number {
  let rest = random.uniform();
  for (const [index, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return index;
  }
  return weights.length - 1;
}

function estimateChoices({ choices }: CategoricalDimension, observed: readonly Choice[]): ParzenEstimator {
  const shares = kernelWeights(observed.length);
  const kernels = observed.length + 1;
  // a kernel has 1 for what was observed, and a part of the prior for every choice
  const probabilities = choices.map((choice) => {
    const rows = observed.map(
      (one) => ((one === choice ? 1 : 0) + 1 / kernels) / (1 + choices.length / kernels),
    );
    return [...rows, 1 / choices.length].reduce((sum, row, kernel) => sum + shares[kernel]! * row, 0);
  });
  return {
    sample: (random) => choices[draw(probabilities, random)]!,
    logDensity: (value) => Math.log(probabilities[choices.indexOf(value)]!),
  };
}

function estimateNumbers(
  dimension: Exclude<SearchDimension, CategoricalDimension>,
  observed: readonly number[],
): ParzenEstimator {
  const { low, high, step, toAxis, fromAxis } = axisOf(dimension);
  const shares = kernelWeights(observed.length);
  const reach = step === undefined ? 0 : step / 2;
  const [from, to] = [low - reach, high + reach];
  const centres = [...observed.map(toAxis), low + (high - low) / 2];
  const widths = kernelWidths(centres, from, to);
  const logMasses = centres.map((centre, kernel) =>
    logNormalMass((from - centre) / widths[kernel]!, (to - centre) / widths[kernel]!),
  );
  return {
    sample(random) {
      const kernel = draw(shares, random);
      // inside the kernel's middle third at least: a few tries
      for (;;) {
        const place = centres[kernel]! + widths[kernel]! * random.normal();
        if (place >= from && place <= to) return fromAxis(place);
      }
    },
    logDensity(value) {
      const place = toAxis(value as number);
      const terms = centres.map((centre, kernel) => {
        const width = widths[kernel]!;
        const log =
          step === undefined
            ? Math.log(normalDensity((place - centre) / width) / width)
            : logNormalMass((place - reach - centre) / width, (place + reach - centre) / width);
        return Math.log(shares[kernel]!) + log - logMasses[kernel]!;
      });
      return logSum(terms);
    },
  };
}

/**
 * Distance to the farther neighbour, the prior's centre being one, at the ends to the only one; neither below a share of
 * the range that shrinks with the number of kernels, nor above the range. The prior's is the range.
 */
function kernelWidths(centres: readonly number[], from: number, to: number): number[] {
  const range = to - from;
  const narrowest = range / Math.min(100, 1 + centres.length);
  const order = [...centres.keys()].sort((a, b) => centres[a]! - centres[b]!);
  const widths = centres.map(() => range);
  for (const [rank, index] of order.entries()) {
    if (index === centres.length - 1) continue;
    const below = rank > 0 ? centres[index]! - centres[order[rank - 1]!]! : undefined;
    const above = rank < order.length - 1 ? centres[order[rank + 1]!]! - centres[index]! : undefined;
    widths[index] = Math.min(range, Math.max(narrowest, below ?? 0, above ?? 0));
  }
  return widths;
}

/** log Σ e^term */
function logSum(terms: readonly number[]): number {
  const top = Math.max(...terms);
  if (top === -Infinity) return top;
  return top + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - top), 0));
}
