import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tf } from '../../src/engine/tf.js';
import type { Parameter, ParameterRole } from '../../src/layers/parameters.js';
import { readReference } from '../../src/parity/compare.js';
import { clipGradients } from '../../src/training/optimizers/clip-gradients.js';
import {
  createOptimizer,
  optimizers,
  type OptimizerName,
  type OptimizerOptions,
} from '../../src/training/optimizers/create-optimizer.js';
import { decayGroups } from '../../src/training/optimizers/decay-groups.js';
import { describeBackends, onBackend } from '../engine/backends.js';

const folder = path.resolve(import.meta.dirname, '../fixtures/parity/optim');

/** Of the fixtures with one group and one rate: optimiser and options. */
const cases: Readonly<Record<string, Omit<OptimizerOptions, 'groups'> & { weightDecay?: number }>> = {
  adam_amsgrad: { name: 'adam', amsgrad: true },
  adam_l2: { name: 'adam', weightDecay: 0.05 },
  adam_plain: { name: 'adam' },
  adamw: { name: 'adamw', weightDecay: 0.05 },
  sgd_dampening: { name: 'sgd', momentum: 0.9, dampening: 0.3 },
  sgd_momentum: { name: 'sgd', momentum: 0.9, weightDecay: 0.01 },
  sgd_nesterov: { name: 'sgd', momentum: 0.9, nesterov: true },
};
const fixtures = await Promise.all(
  readdirSync(folder)
    .filter((id) => Object.hasOwn(cases, id))
    .map(async (id) => {
      const read = (file: string) => readReference(path.join(folder, id), `${file}.npy`);
      const { hyper } = JSON.parse(readFileSync(path.join(folder, id, 'config.json'), 'utf8')) as {
        hyper: { lr: number };
      };
      const [W, b, gradients, lastW, lastB] = await Promise.all(
        ['in_W', 'in_b', 'out_gradients', 'out_W.step20', 'out_b.step20'].map(read),
      );
      return {
        id,
        learningRate: hyper.lr,
        start: [W!, b!],
        gradients: gradients!.data,
        end: [lastW!, lastB!],
      };
    }),
);

interface Values {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

const parameter = (name: string, { data, shape }: Values, role: ParameterRole = 'kernel'): Parameter => ({
  name,
  role,
  variable: tf.tidy(() => tf.variable(tf.tensor(data, [...shape]), role !== 'statistic')),
});

/** Two parameters of 12 and 3 values, and a step with a row of gradients for both. */
const twoParameters = (start: readonly Values[]): Parameter[] => [
  parameter('W', start[0]!),
  parameter('b', start[1]!),
];
const gradientsAt = (gradients: Float32Array, step: number) => {
  const row = gradients.subarray(step * 15, step * 15 + 15);
  return [tf.tensor(row.slice(0, 12), [3, 4]), tf.tensor(row.slice(12), [3])];
};

describeBackends('optimisers', (backend) => {
  it.each(fixtures)(
    '$id moves parameters as PyTorch does, over twenty steps, and leaves nothing',
    (fixture) =>
      onBackend(backend, () => {
        const tensors = tf.memory().numTensors;
        const parameters = twoParameters(fixture.start);
        const { weightDecay = 0, ...options } = cases[fixture.id]!;
        const groups = [{ parameters, learningRate: fixture.learningRate, weightDecay }];
        const optimizer = createOptimizer({ ...options, groups });
        for (let step = 0; step < 20; step++)
          tf.tidy(() => optimizer.step(gradientsAt(fixture.gradients, step)));
        for (const [index, { data }] of fixture.end.entries()) {
          const got = parameters[index]!.variable.dataSync();
          for (const [place, value] of data.entries())
            // the fixture's own tolerance: 20 times the float32 noise of the reference
            expect(Math.abs(got[place]! - value)).toBeLessThanOrEqual(2e-6 + 1e-4 * Math.abs(value));
        }
        optimizer.dispose();
        for (const { variable } of parameters) variable.dispose();
        expect(tf.memory().numTensors).toBe(tensors);
      }),
  );

  it.each(fixtures)('$id goes on bit for bit from its state', (fixture) =>
    onBackend(backend, () => {
      const { weightDecay = 0, ...options } = cases[fixture.id]!;
      const begin = (start: readonly Values[]) => {
        const parameters = twoParameters(start);
        const groups = [{ parameters, learningRate: fixture.learningRate, weightDecay }];
        return { parameters, optimizer: createOptimizer({ ...options, groups }) };
      };
      const run = ({ optimizer }: ReturnType<typeof begin>, from: number, to: number) => {
        for (let step = from; step < to; step++)
          tf.tidy(() => optimizer.step(gradientsAt(fixture.gradients, step), 1 - step / 40));
      };
      const valuesOf = ({ parameters }: ReturnType<typeof begin>): Values[] =>
        parameters.map(({ variable }) => ({
          data: variable.dataSync<'float32'>().slice(),
          shape: variable.shape,
        }));
      const whole = begin(fixture.start);
      run(whole, 0, 7);
      const [values, state] = [valuesOf(whole), whole.optimizer.state()];
      run(whole, 7, 20);
      const resumed = begin(values);
      resumed.optimizer.restore(state);
      run(resumed, 7, 20);
      expect(valuesOf(resumed)).toEqual(valuesOf(whole));
      expect(resumed.optimizer.state()).toEqual(whole.optimizer.state());
      for (const { optimizer, parameters } of [whole, resumed]) {
        optimizer.dispose();
        for (const { variable } of parameters) variable.dispose();
      }
    }),
  );

  it('shorten gradients together, and leave short ones as they are', () =>
    onBackend(backend, () =>
      tf.tidy(() => {
        const given = [tf.tensor1d([3, 0]), tf.tensor1d([4])];
        const { gradients, norm } = clipGradients(given, 1);
        expect(norm.dataSync()[0]).toBeCloseTo(5, 6);
        expect(gradients[0]!.dataSync()[0]).toBeCloseTo(3 / 5, 6);
        expect(gradients[1]!.dataSync()[0]).toBeCloseTo(4 / 5, 6);
        expect(clipGradients(given, 6).gradients[1]!.dataSync()[0]).toBe(4);
      }),
    ));
});

const whole = { data: Float32Array.of(1, 2), shape: [2] };
const groupsOf = (...parameters: Parameter[]) => [{ parameters, learningRate: 0.1, weightDecay: 0 }];

describe('createOptimizer', () => {
  it.each([
    ['adamw', { momentum: 0.9 }],
    ['sgd', { amsgrad: true }],
    ['sgd', { nesterov: true }],
    ['sgd', { nesterov: true, momentum: 0.9, dampening: 0.1 }],
  ] as const)('refuses %s with %j', (name, options) => {
    expect(() => createOptimizer({ name, groups: [], ...options })).toThrowError(
      expect.objectContaining({ code: 'OPTIMIZER_OPTION' }),
    );
  });

  it.each(Object.keys(optimizers) as OptimizerName[])('%s takes no state of other parameters', (name) =>
    onBackend('cpu', () => {
      const momentum = name === 'sgd' ? { momentum: 0.5 } : {};
      const ours = createOptimizer({ name, ...momentum, groups: groupsOf(parameter('a', whole)) });
      const others = createOptimizer({ name, ...momentum, groups: groupsOf(parameter('b', whole)) });
      tf.tidy(() => ours.step([tf.tensor1d([1, 1])]));
      const before = ours.state();
      expect(() => ours.restore(others.state())).toThrowError(
        expect.objectContaining({ code: 'OPTIMIZER_STATE' }),
      );
      expect(ours.state()).toEqual(before);
    }),
  );
});

describe('groups by weight decay', () => {
  it('decay kernels, spare biases, norms and tables, and leave out what is not learned', () =>
    onBackend('cpu', () => {
      const roles: ParameterRole[] = [
        'kernel',
        'bias',
        'scale',
        'offset',
        'table',
        'statistic',
        'transposed-kernel',
      ];
      const parameters = roles.map((role) => parameter(role, whole, role));
      const rates = { learningRate: 0.01, weightDecay: 0.05 };
      const [decayed, spared] = decayGroups(parameters, rates);
      expect(decayed).toMatchObject(rates);
      expect(decayed!.parameters.map(({ name }) => name)).toEqual(['kernel', 'transposed-kernel']);
      expect(spared).toMatchObject({ learningRate: 0.01, weightDecay: 0 });
      expect(spared!.parameters.map(({ name }) => name)).toEqual(['bias', 'scale', 'offset', 'table']);
    }));
});
