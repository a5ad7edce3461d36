import { describe, expect, it } from 'vitest';
import { LiteralFault, parsePythonLiteral } from '../../src/io/python-literal.js';

describe('literals of Python', () => {
  it.each([
    [
      "{'a': (1, 2), 'b': [True, None]}",
      new Map<string, unknown>([
        ['a', [1, 2]],
        ['b', [true, null]],
      ]),
    ],
    ['(3,)', [3]],
    ['(3)', 3],
    ['()', []],
    ['-1.5e-3', -0.0015],
    ['9007199254740993', 9007199254740993n],
    ['12L', 12],
    [String.raw`b'\x80\x04\'\\\n"z'`, Uint8Array.of(0x80, 4, 39, 92, 10, 34, 122)],
    [String.raw`"\u00fc\t"`, 'ü\t'],
  ])('%s is read', (text, value) => {
    expect(parsePythonLiteral(text)).toEqual(value);
  });

  it.each([
    "__import__('os')",
    '1 + 1',
    "'open",
    '{1: 2',
    "b'\u0142'",
    '(1,) x',
    '[lambda: 0]',
    String.raw`'\q'`,
  ])('%s is no literal', (text) => {
    expect(() => parsePythonLiteral(text)).toThrow(LiteralFault);
  });
});
