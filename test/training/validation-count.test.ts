import { expect, it } from 'vitest';
import { validationCount } from '../../src/training/validation-count.js';

const protocol = {
  ...{ epochs: 7, validateEvery: 3, validationsPerEpoch: 3, validateUntrained: false },
  ...{ batchSize: 8, dropLast: false },
};

it('counts what the trainer makes: one after every ⌊steps / n⌋ steps of epochs 3, 6 and the last', () => {
  // 6 steps: every second; 5 steps: every one; 2 steps: every one
  expect([48, 40, 9].map((inputs) => validationCount(protocol, inputs))).toEqual([9, 15, 6]);
});

it('counts the untrained model, and no batch that is left out unless it is the only one', () => {
  const untrained = { ...protocol, validateUntrained: true, dropLast: true };
  expect([47, 5].map((inputs) => validationCount(untrained, inputs))).toEqual([16, 4]);
});
