import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../src/kernel/wire/glob.js';
import { History } from '../../../src/kernel/wire/history.js';

function filled(...inputs: string[]): History {
  const history = new History();
  inputs.forEach((input, i) => history.add(i + 1, input));
  return history;
}

describe('the history', () => {
  const history = filled('1+2', 'x = 1', '1+2', 'y = 22', 'z');
  const lines = (request: Record<string, unknown>) => history.find(request).map(([, line]) => line);

  it('gives the last cells', () => {
    expect(history.find({ hist_access_type: 'tail', n: 2 })).toEqual([
      [0, 4, 'y = 22'],
      [0, 5, 'z'],
    ]);
    expect(lines({ hist_access_type: 'tail', n: 0 })).toEqual([]);
    expect(lines({ hist_access_type: 'tail', n: 99 })).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives a range, its end left out, negative numbers counted from the next prompt', () => {
    expect(lines({ hist_access_type: 'range', session: 0, start: 2, stop: 4 })).toEqual([2, 3]);
    expect(lines({ hist_access_type: 'range', session: 0, start: -2 })).toEqual([4, 5]);
    expect(lines({ hist_access_type: 'range', session: 0, start: 1, stop: -3 })).toEqual([1, 2]);
    expect(lines({ hist_access_type: 'range', session: 0, start: 3, stop: null })).toEqual([3, 4, 5]);
    expect(lines({ hist_access_type: 'range', session: -1, start: 1 })).toEqual([]);
  });

  it('finds cells by a pattern, the newest of equal ones where asked, and not more than asked', () => {
    expect(lines({ hist_access_type: 'search', pattern: '1?2*' })).toEqual([1, 3]);
    expect(lines({ hist_access_type: 'search', pattern: '1?2*', unique: true })).toEqual([3]);
    expect(lines({ hist_access_type: 'search', pattern: '*=*', n: 1 })).toEqual([4]);
    expect(lines({ hist_access_type: 'search', pattern: '=' })).toEqual([]);
    expect(lines({ hist_access_type: 'search' })).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives results beside the inputs where asked', () => {
    const results = filled('1+2', 'x = 1');
    results.setOutput(1, '3');
    expect(results.find({ hist_access_type: 'tail', n: 5, output: true })).toEqual([
      [0, 1, ['1+2', '3']],
      [0, 2, ['x = 1', null]],
    ]);
  });

  it('is empty for what it does not know', () => {
    expect(history.find({ hist_access_type: 'guess' })).toEqual([]);
    expect(history.find({})).toEqual([]);
  });
});

describe('a pattern', () => {
  it.each([
    ['*', 'a\nb', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['?', '🛰', true],
    ['[a-c]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['[]]', ']', true],
    ['a[', 'a[', true],
    ['(a|b)+.$', '(a|b)+.$', true],
    ['a*b*c', 'a1b2b3c', true],
    ['a*b*c', 'a1b2b3', false],
    ['', '', true],
    ['', 'a', false],
  ])('%j on %j: %s', (pattern, text, expected) => {
    expect(globMatcher(pattern)(text)).toBe(expected);
  });

  it('of many stars takes no longer than text times pattern', () => {
    const started = performance.now();
    expect(globMatcher('*a'.repeat(200) + 'b')('a'.repeat(5000))).toBe(false);
    // 2 million steps take some 20 ms; by trying all ways it would not end
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
