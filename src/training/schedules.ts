/** A count of optimiser steps, or a share of all steps (rounded down). */
export type Length = number | { readonly share: number };

/**
 * How the learning rate goes over a run, as plain data. Rates are factors of each group's own learning rate. Lengths
 * default to the whole run.
 */
export type Schedule =
  | { readonly name: 'constant' }
  /** `factor` up to a step, 1 from it on. */
  | { readonly name: 'hold'; readonly factor: number; readonly length: Length }
  /** Times `gamma` at each milestone. PANGAEA: 0.1 at the shares 0.6 and 0.9 of all steps. */
  | { readonly name: 'multi-step'; readonly milestones: readonly Length[]; readonly gamma: number }
  /** Times `gamma` every so many steps. */
  | { readonly name: 'step'; readonly every: Length; readonly gamma: number }
  /** Times `gamma` at each step. */
  | { readonly name: 'exponential'; readonly gamma: number }
  /** Half a cosine from 1 down to `finalFactor` (default 0); past its length it rises again, as PyTorch's does. */
  | { readonly name: 'cosine'; readonly length?: Length; readonly finalFactor?: number }
  /** Cosines one after the other, each `growth` times (default 1, whole) as long as the one before. */
  | {
      readonly name: 'cosine-restarts';
      readonly firstLength: Length;
      readonly growth?: number;
      readonly finalFactor?: number;
    }
  /** (1 − step / length) to the `power` (default 1), then 0. */
  | { readonly name: 'poly'; readonly length?: Length; readonly power?: number }
  /** In a straight line from `startFactor` to `endFactor` (default 1), then `then` (default constant), counted from there. */
  | {
      readonly name: 'linear-warm-up';
      readonly length: Length;
      readonly startFactor: number;
      readonly endFactor?: number;
      readonly then?: Schedule;
    }
  | OneCycle;

/** Up to `peakFactor` and down below the start (Smith and Topin 2018). */
interface OneCycle {
  readonly name: 'one-cycle';
  readonly peakFactor: number;
  readonly length?: Length;
  /** Share of the steps that go up; default 0.3. */
  readonly upShare?: number;
  /** Peak over start; default 25. */
  readonly startDivisor?: number;
  /** Start over end; default 10 000. */
  readonly endDivisor?: number;
  /** Down to the start as fast as up, and then on to the end; default false. */
  readonly isThreePhase?: boolean;
  /** Default cosine. */
  readonly anneal?: 'cosine' | 'linear';
}

/**
 * Factor of every group's learning rate.
 * @param step steps taken before this one: 0 for the first
 * @param totalSteps of the whole run
 */
export function learningRateFactor(schedule: Schedule, step: number, totalSteps: number): number {
  const steps = (length: Length | undefined): number => stepsOf(length, totalSteps);
  switch (schedule.name) {
    case 'constant':
      return 1;
    case 'hold':
      return step < steps(schedule.length) ? schedule.factor : 1;
    case 'multi-step': {
      const passed = schedule.milestones.filter((milestone) => step >= steps(milestone));
      return schedule.gamma ** passed.length;
    }
    case 'step':
      return schedule.gamma ** Math.floor(step / steps(schedule.every));
    case 'exponential':
      return schedule.gamma ** step;
    case 'cosine':
      return cosine(step / steps(schedule.length), 1, schedule.finalFactor ?? 0);
    case 'cosine-restarts':
      return cosineRestarts(
        step,
        steps(schedule.firstLength),
        schedule.growth ?? 1,
        schedule.finalFactor ?? 0,
      );
    case 'poly': {
      const length = steps(schedule.length);
      return (1 - Math.min(step, length) / length) ** (schedule.power ?? 1);
    }
    case 'linear-warm-up': {
      const { startFactor, endFactor = 1, then = { name: 'constant' } } = schedule;
      const length = steps(schedule.length);
      if (step >= length) return endFactor * learningRateFactor(then, step - length, totalSteps - length);
      return startFactor + ((endFactor - startFactor) * step) / length;
    }
    case 'one-cycle':
      return oneCycle(schedule, step, steps(schedule.length));
  }
}

const stepsOf = (length: Length | undefined, totalSteps: number): number => {
  if (length === undefined) return totalSteps;
  return typeof length === 'number' ? length : Math.trunc(totalSteps * length.share);
};

/** From `start` at 0 to `end` at 1. */
const cosine = (progress: number, start: number, end: number): number =>
  end + ((start - end) * (1 + Math.cos(Math.PI * progress))) / 2;

function cosineRestarts(step: number, firstLength: number, growth: number, finalFactor: number): number {
  let [left, length] = [step, firstLength];
  while (left >= length) {
    left -= length;
    length *= growth;
  }
  return cosine(left / length, 1, finalFactor);
}

function oneCycle(schedule: OneCycle, step: number, length: number): number {
  const { peakFactor, upShare = 0.3, startDivisor = 25, endDivisor = 1e4, isThreePhase = false } = schedule;
  const start = peakFactor / startDivisor;
  const end = start / endDivisor;
  const up = upShare * length - 1;
  const phases = isThreePhase
    ? [
        { to: up, from: start, until: peakFactor },
        { to: 2 * upShare * length - 2, from: peakFactor, until: start },
        { to: length - 1, from: start, until: end },
      ]
    : [
        { to: up, from: start, until: peakFactor },
        { to: length - 1, from: peakFactor, until: end },
      ];
  const at = Math.min(step, length - 1);
  const index = phases.findIndex(({ to }) => at <= to);
  const phase = phases[index]!;
  const begin = phases[index - 1]?.to ?? 0;
  const progress = (at - begin) / (phase.to - begin);
  if (schedule.anneal === 'linear') return phase.from + (phase.until - phase.from) * progress;
  return cosine(progress, phase.from, phase.until);
}

/** Lowers the rate when a watched number no longer gets better. */
export interface Plateau {
  /** Of the rate, each time; default 0.1. */
  readonly factor?: number;
  /** Values without gain that are waited for; default 10. */
  readonly patience?: number;
  /** Values after a lowering that are not counted; default 0. */
  readonly cooldown?: number;
  /** What a gain must exceed, default 1e-4: as a share of the best so far, or as it is. */
  readonly threshold?: number;
  readonly thresholdIs?: 'relative' | 'absolute';
  /** Which way the number gets better; default lower. */
  readonly isHigherBetter?: boolean;
  /** The factor goes no lower; default 0. */
  readonly smallestFactor?: number;
  /** Changes of the factor up to this are left out; default 1e-8. */
  readonly smallestChange?: number;
}

/**
 * Factor of every learning rate after these values of the watched number, the oldest first: a pure function of what was
 * seen, so that a run that goes on needs no more than its values. As PyTorch's ReduceLROnPlateau.
 */
export function plateauFactor(plateau: Plateau, values: readonly number[]): number {
  const { factor = 0.1, patience = 10, cooldown = 0, smallestFactor = 0, smallestChange = 1e-8 } = plateau;
  let [current, best, waited, resting] = [1, plateau.isHigherBetter ? -Infinity : Infinity, 0, 0];
  for (const value of values) {
    const isGain = isBeyond(value, best, plateau);
    if (isGain) best = value;
    waited = isGain ? 0 : waited + 1;
    if (resting > 0) {
      resting -= 1;
      waited = 0;
    }
    if (waited <= patience) continue;
    const lower = Math.max(current * factor, smallestFactor);
    if (current - lower > smallestChange) current = lower;
    resting = cooldown;
    waited = 0;
  }
  return current;
}

function isBeyond(value: number, best: number, plateau: Plateau): boolean {
  const { threshold = 1e-4, thresholdIs = 'relative', isHigherBetter = false } = plateau;
  const sign = isHigherBetter ? 1 : -1;
  const due = thresholdIs === 'relative' ? best * (1 + sign * threshold) : best + sign * threshold;
  return isHigherBetter ? value > due : value < due;
}
