import { expect, test } from 'vitest';
import { arrayIndices } from '../../src/scale-out/slurm.js';

test.each([
  ['7', [7]],
  ['0-3', [0, 1, 2, 3]],
  ['0-3%2', [0, 1, 2, 3]],
  ['1,4-6,9%1', [1, 4, 5, 6, 9]],
  ['0-8:4', [0, 4, 8]],
  ['2-2', [2]],
  ['5-3', []],
  ['N/A', []],
  ['', []],
])('the indices of an array are read as Slurm writes them: %s', (text, indices) => {
  expect(arrayIndices(text)).toEqual(indices);
});

test('ten thousand tasks that wait alike are read from one line', () => {
  expect(arrayIndices('6-9999%1')).toHaveLength(9994);
});
