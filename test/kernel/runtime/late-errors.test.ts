import { expect, it } from 'vitest';
import { LateErrors } from '../../../src/kernel/runtime/late-errors.js';

it('errors that no cell awaits are told up to a number, then counted, and describing them never throws', () => {
  const told: string[] = [];
  const errors = new LateErrors((text) => told.push(text));
  let described = 0;
  for (let i = 0; i < 10_000; i++) errors.report(() => `error ${++described}`);
  expect(told).toEqual(Array.from({ length: 50 }, (_, i) => `error ${i + 1}\n`));
  expect(described).toBe(50);
  errors.flush();
  expect(told.at(-1)).toBe('… and 9950 errors more that no cell awaits\n');
  errors.report(() => {
    throw new Error('cannot be described');
  });
  errors.report(() => 'next cell');
  errors.flush();
  expect(told.slice(51)).toEqual(['next cell\n']);
});
