import { flipMove, turnMove } from './grid-move.js';
import { moveSample } from './move-sample.js';
import { badOption, type PreprocessingStep } from './step.js';

export interface FlipOptions {
  /** Chance of each, 0 … 1. Default 0.5. */
  readonly chance?: number;
}

const draws = (name: string, chance: number): number => {
  if (chance >= 0 && chance <= 1) return chance;
  throw badOption(name, 'chance', chance, 'a number from 0 to 1');
};

/** Mirrors left to right by chance. @throws UsageError STEP_OPTION */
export function flipHorizontal({ chance = 0.5 }: FlipOptions = {}): PreprocessingStep {
  return flip('flip-horizontal', chance, true);
}

/** Mirrors top to bottom by chance. @throws UsageError STEP_OPTION */
export function flipVertical({ chance = 0.5 }: FlipOptions = {}): PreprocessingStep {
  return flip('flip-vertical', chance, false);
}

function flip(name: string, given: number, isAcross: boolean): PreprocessingStep {
  const chance = draws(name, given);
  return {
    name,
    options: { chance },
    isRandom: true,
    apply: (sample, context) =>
      context.random.uniform() < chance ? moveSample(sample, flipMove(isAcross, !isAcross), context) : sample,
  };
}

export interface QuarterTurnsOptions {
  /** Turns counter-clockwise, 0 … 3. Default: drawn. */
  readonly turns?: number;
}

/** Turns by a multiple of 90°, counter-clockwise. @throws UsageError STEP_OPTION */
export function quarterTurns({ turns }: QuarterTurnsOptions = {}): PreprocessingStep {
  if (turns !== undefined && ![0, 1, 2, 3].includes(turns))
    throw badOption('quarter-turns', 'turns', turns, '0, 1, 2 or 3');
  return {
    name: 'quarter-turns',
    options: { turns: turns ?? null },
    isRandom: turns === undefined,
    apply: (sample, context) => moveSample(sample, turnMove(turns ?? context.random.integer(4)), context),
  };
}
