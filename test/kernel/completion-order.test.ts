import { expect, test } from 'vitest';
import { ownMembersFirst } from '../../src/kernel/completion-order.js';

test('members that all functions have come after those of this one, each with its kind', () => {
  const completion = {
    start: 0,
    end: 0,
    matches: ['apply', 'bind', 'call', 'chart', 'length', 'table'],
    types: ['method', 'method', 'method', 'chart', 'property', 'table'],
  };
  expect(ownMembersFirst(completion)).toEqual({
    start: 0,
    end: 0,
    matches: ['chart', 'table', 'apply', 'bind', 'call', 'length'],
    types: ['chart', 'table', 'method', 'method', 'method', 'property'],
  });
  expect(ownMembersFirst({ start: 0, end: 0, matches: ['length', 'at'] }).matches).toEqual(['length', 'at']);
});
