import { nearest, UsageError } from '../errors.js';
import { balancedBinaryCrossEntropyLoss, binaryCrossEntropyLoss } from './binary-cross-entropy.js';
import { checkParameters } from './check-parameters.js';
import { crossEntropyLoss } from './cross-entropy.js';
import { diceLoss } from './dice.js';
import {
  absoluteErrorLoss,
  huberLoss,
  rootMeanSquareLoss,
  smoothAbsoluteErrorLoss,
  squaredErrorLoss,
} from './errors.js';
import { focalLoss } from './focal.js';
import type { Loss, LossFamily, LossParameters, LossTask } from './loss.js';
import { lovaszLoss } from './lovasz.js';
import { batchDiceLoss, jaccardLoss } from './overlap.js';

/** Losses by name. */
export const losses = {
  'balanced-binary-cross-entropy': balancedBinaryCrossEntropyLoss,
  'batch-dice': batchDiceLoss,
  'binary-cross-entropy': binaryCrossEntropyLoss,
  'cross-entropy': crossEntropyLoss,
  dice: diceLoss,
  focal: focalLoss,
  huber: huberLoss,
  jaccard: jaccardLoss,
  lovasz: lovaszLoss,
  mae: absoluteErrorLoss,
  mse: squaredErrorLoss,
  rmse: rootMeanSquareLoss,
  'smooth-mae': smoothAbsoluteErrorLoss,
} as const satisfies Record<string, LossFamily>;

export type LossName = keyof typeof losses;

export interface LossOptions extends LossParameters {
  readonly name: LossName;
  /** Checked where it is given. */
  readonly task?: LossTask;
}

/** Parameters that every loss is given; those that have no use for them leave them. */
const SHARED: readonly string[] = ['ignoreIndex', 'faults'];

/**
 * A loss by its name.
 * @throws UsageError LOSS_UNKNOWN with the nearest name; LOSS_OPTION for a parameter that it does not know, a value that it
 * cannot have, or a task that is not its own
 */
export function createLoss({ name, task, ...parameters }: LossOptions): Loss {
  const family: LossFamily | undefined = Object.hasOwn(losses, name) ? losses[name] : undefined;
  if (!family) throw unknownLoss(name);
  const takes: readonly string[] = family.takes;
  const isKnown = ([key, value]: [string, unknown]): boolean =>
    value === undefined || takes.includes(key) || SHARED.includes(key);
  const stranger = Object.entries(parameters).find((entry) => !isKnown(entry));
  if (stranger) {
    throw new UsageError('LOSS_OPTION', `The loss ${name} has no ${stranger[0]}.`, {
      hint: `It takes ${[...SHARED, ...takes].join(', ')}.`,
    });
  }
  if (task && !family.tasks.includes(task)) {
    throw new UsageError('LOSS_OPTION', `The loss ${name} is none of ${task}.`, {
      hint: `Losses of ${task}: ${lossesOf(task).join(', ')}.`,
    });
  }
  checkParameters(name, parameters);
  return family.build(parameters);
}

/** Names of the losses that a task can be trained by. */
export const lossesOf = (task: LossTask): LossName[] =>
  (Object.keys(losses) as LossName[]).filter((name) => (losses[name] as LossFamily).tasks.includes(task));

function unknownLoss(name: string): UsageError {
  const known = Object.keys(losses);
  const guess = nearest(name, known);
  return new UsageError('LOSS_UNKNOWN', `There is no loss "${name}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}
