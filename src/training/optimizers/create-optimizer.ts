import { adamRule, type AdamOptions } from '../../engine/optimizers/adam.js';
import { sgdRule, type SgdOptions } from '../../engine/optimizers/sgd.js';
import { createSlot, type UpdateRule } from '../../engine/optimizers/slot.js';
import { tf } from '../../engine/tf.js';
import { InputError, UsageError } from '../../errors.js';
import { clipGradients } from './clip-gradients.js';
import type { Optimizer, ParameterGroup } from './optimizer.js';

type Hyperparameters = Omit<AdamOptions, 'isDecoupled'> & SgdOptions;

export interface OptimizerOptions extends Hyperparameters {
  readonly name: OptimizerName;
  readonly groups: readonly ParameterGroup[];
  /** Gradients are shortened together to this norm at most; default: they are taken as they are. */
  readonly clipNorm?: number;
}

interface OptimizerKind {
  /** Hyperparameters that it knows. */
  readonly takes: readonly (keyof Hyperparameters)[];
  readonly rule: (options: Hyperparameters) => UpdateRule;
}

const ADAM = ['beta1', 'beta2', 'epsilon', 'amsgrad'] as const;

/** Optimisers by name, each as PyTorch computes it. */
export const optimizers = {
  adam: { takes: ADAM, rule: (options) => adamRule({ ...options, isDecoupled: false }) },
  adamw: { takes: ADAM, rule: (options) => adamRule({ ...options, isDecoupled: true }) },
  sgd: { takes: ['momentum', 'dampening', 'nesterov'], rule: sgdRule },
} as const satisfies Record<string, OptimizerKind>;

export type OptimizerName = keyof typeof optimizers;

/**
 * An optimiser over groups of parameters, fused on the native engine.
 * @throws UsageError OPTIMIZER_OPTION for a hyperparameter that the optimiser does not know or cannot have
 */
export function createOptimizer(options: OptimizerOptions): Optimizer {
  const { name, groups, clipNorm, ...hyperparameters } = options;
  checkOptions(name, hyperparameters);
  const rule = optimizers[name].rule(hyperparameters);
  const parameters = groups.flatMap((group) => group.parameters);
  const slots = new Map(parameters.map(({ variable }) => [variable, createSlot(variable, rule.memory)]));
  let count = 0;
  return {
    parameters,
    step(gradients, rateFactor = 1) {
      count += 1;
      tf.tidy(() => {
        const given = clipNorm === undefined ? gradients : clipGradients(gradients, clipNorm).gradients;
        let next = 0;
        for (const { parameters: moved, learningRate, weightDecay } of groups) {
          const step = rule.prepare({ rate: learningRate * rateFactor, weightDecay, count });
          for (const { variable } of moved) slots.get(variable)!.apply(given[next++]!, step);
        }
      });
    },
    state() {
      const state = new Map<string, Float32Array>([['step', Float32Array.of(count)]]);
      for (const parameter of parameters) {
        const memory = slots.get(parameter.variable)!.state();
        for (const [moment, values] of Object.entries(memory))
          state.set(`${moment}/${parameter.name}`, values);
      }
      return state;
    },
    restore(state) {
      const memories = parameters.map((parameter) => {
        const values = (moment: string): Float32Array =>
          stateOf(state, `${moment}/${parameter.name}`, parameter.variable.size);
        return Object.fromEntries(rule.memory.map((moment) => [moment, values(moment)]));
      });
      count = stateOf(state, 'step', 1)[0]!;
      for (const [index, { variable }] of parameters.entries())
        slots.get(variable)!.restore(memories[index]!);
    },
    dispose: () => slots.forEach((slot) => slot.dispose()),
  };
}

function checkOptions(name: OptimizerName, given: Hyperparameters): void {
  const takes: readonly string[] = optimizers[name].takes;
  const stranger = Object.entries(given).find(([key, value]) => value !== undefined && !takes.includes(key));
  if (stranger) {
    throw new UsageError('OPTIMIZER_OPTION', `The optimiser ${name} has no ${stranger[0]}.`, {
      hint: `It takes ${takes.join(', ')}.`,
    });
  }
  if (given.nesterov && (!given.momentum || given.dampening)) {
    throw new UsageError('OPTIMIZER_OPTION', 'Nesterov momentum needs a momentum and no dampening.', {
      hint: 'Give a momentum, e.g. 0.9, and leave dampening out.',
    });
  }
}

function stateOf(state: ReadonlyMap<string, Float32Array>, key: string, size: number): Float32Array {
  const values = state.get(key);
  if (values?.length === size) return values;
  throw new InputError('OPTIMIZER_STATE', `The state of the optimiser has no ${key} of ${size} values.`, {
    hint: 'Go on with the same model, optimiser and trained parameters, or start anew.',
  });
}
