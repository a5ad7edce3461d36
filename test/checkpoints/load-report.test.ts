import { expect, test } from 'vitest';
import { matchWeights, type ShapesByName } from '../../src/checkpoints/load-report.js';

const shapes = (entries: Readonly<Record<string, number[]>>): ShapesByName =>
  new Map(Object.entries(entries));

const model = shapes({ 'stem/kernel': [8, 3, 3, 3], 'blocks/0/bias': [8] });
const rules = {
  rename: [
    [/^conv1\.weight$/, 'stem/kernel'],
    [/^layer\.(\d+)\./, 'blocks/$1/'],
    [/^layer\./, 'never, since the first match applies'],
  ] as const,
  discard: [/^head\./g],
  where: 'weights.pth',
};
const checkpoint = shapes({
  'conv1.weight': [8, 3, 3, 3],
  'layer.0.bias': [8],
  'head.weight': [10, 8],
  'head.bias': [10],
});

const failure = (...args: Parameters<typeof matchWeights>): unknown => {
  try {
    return matchWeights(...args);
  } catch (error) {
    return error;
  }
};

test('every tensor is used or left out by a rule, and the report says which', () => {
  const report = matchWeights(checkpoint, model, rules);
  expect(report.used.map(({ modelName }) => modelName)).toEqual(['stem/kernel', 'blocks/0/bias']);
  expect(report.renamed).toEqual(report.used);
  expect(report.unused).toEqual(['head.weight', 'head.bias']);
  expect(report.missing).toEqual([]);
});

test('names that are the same need no rule', () => {
  const report = matchWeights(model, model, { rename: [], discard: [] });
  expect(report.used).toHaveLength(2);
  expect(report.renamed).toEqual([]);
});

test('a tensor that no rule explains stops the load, with its name, the count and the nearest name', () => {
  const more = new Map([
    ...checkpoint,
    ['blocks/0/bais', [8]],
    ...Array.from({ length: 9 }, (_, i): [string, number[]] => [`x${i}`, [1]]),
  ]);
  expect(failure(more, model, rules)).toMatchObject({
    code: 'CHECKPOINT_KEYS',
    exitCode: 3,
    where: 'weights.pth',
    message: expect.stringMatching(
      /10 tensors that no rule explains: blocks\/0\/bais, x0, x1, x2, x3 and 5 more/,
    ) as string,
    hint: expect.stringContaining('Did "blocks/0/bais" mean "blocks/0/bias"?') as string,
  });
});

test('a parameter that nothing came for stops the load unless it is optional', () => {
  const larger = new Map([...model, ['newHead/kernel', [2, 8]]]);
  expect(failure(checkpoint, larger, rules)).toMatchObject({
    code: 'CHECKPOINT_KEYS',
    message: expect.stringContaining('1 parameters that no tensor came for: newHead/kernel') as string,
  });
  expect(matchWeights(checkpoint, larger, { ...rules, optional: [/^newHead\//] }).missing).toEqual([
    'newHead/kernel',
  ]);
});

test('a load without a single match fails, and shows names of both sides', () => {
  const prefixed = shapes({ 'module.conv1.weight': [8, 3, 3, 3] });
  expect(failure(prefixed, model, { ...rules, discard: [/./] })).toMatchObject({
    code: 'CHECKPOINT_KEYS',
    message: expect.stringMatching(/None of the 1 tensors.*module\.conv1\.weight.*stem\/kernel/) as string,
  });
});

test('another shape is CHECKPOINT_SHAPE with both shapes', () => {
  const other = new Map([...checkpoint, ['conv1.weight', [8, 4, 3, 3]]]);
  expect(failure(other, model, rules)).toMatchObject({
    code: 'CHECKPOINT_SHAPE',
    message: expect.stringContaining('conv1.weight is [8, 4, 3, 3], stem/kernel is [8, 3, 3, 3]') as string,
  });
});

test('two tensors for one parameter stop the load', () => {
  const twice = new Map([...checkpoint, ['stem/kernel', [8, 3, 3, 3]]]);
  expect(failure(twice, model, rules)).toMatchObject({
    code: 'CHECKPOINT_KEYS',
    message: '"conv1.weight" and "stem/kernel" both become "stem/kernel".',
  });
});
