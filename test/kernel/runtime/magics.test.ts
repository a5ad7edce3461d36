import { describe, expect, it } from 'vitest';
import { readMagics } from '../../../src/kernel/runtime/magics.js';

const noVariables = (): boolean => false;

describe('readMagics', () => {
  it('leaves a cell of code as it is', () => {
    const code = 'const a = 5 % 2;\nlet b = `\n%time\n!ls\n`;';
    expect(readMagics(code, noVariables)).toEqual({ magics: [], code });
  });

  it('keeps lines and columns of what follows the magics', () => {
    const { magics, code } = readMagics('%env A=1\n!echo hi\n\n  %time f(3)\nlater', noVariables);
    expect(magics).toEqual([
      { name: 'env', argument: 'A=1' },
      { name: 'shell', command: 'echo hi' },
      { name: 'time' },
    ]);
    expect(code).toBe('\n\n\n        f(3)\nlater');
  });

  it('reads the number of runs of %timeit', () => {
    expect(readMagics('%timeit -n 20 g()', noVariables).magics).toEqual([{ name: 'timeit', runs: 20 }]);
    expect(readMagics('%%timeit\ng()', noVariables)).toEqual({ magics: [{ name: 'timeit' }], code: '\ng()' });
  });

  it.each([
    ['!ls -la', true],
    ['! ./run.sh > log', true],
    ['!git status; pwd', true],
    ['!ready && start()', false], // ready is a variable here
    ['!isReady()', false],
    ['!process.env.A', false],
    ['!true', false],
    ['!globalThis', false],
    ['!(a || b)', false],
    ['!!x', false],
  ])('takes %s for a command: %s', (line, isCommand) => {
    const { magics, code } = readMagics(line, (name) => name === 'ready');
    expect(magics.length === 1).toBe(isCommand);
    expect(code).toBe(isCommand ? '' : line);
  });

  it('reads a question for help, with and without source', () => {
    expect(readMagics('console.log?', noVariables).help).toEqual({
      expression: 'console.log',
      source: false,
    });
    expect(readMagics(' study?? ', noVariables).help).toEqual({ expression: 'study', source: true });
    expect(readMagics('a ? b : c', noVariables).help).toBeUndefined();
  });

  it('names the nearest magic where one is unknown', () => {
    expect(() => readMagics('%tiem f()', noVariables)).toThrow(
      expect.objectContaining({ code: 'MAGIC_UNKNOWN', hint: expect.stringContaining('"%time"') }),
    );
    expect(() => readMagics('%ls -l', noVariables)).toThrow(
      expect.objectContaining({ hint: '%lsmagic lists them; !ls runs a command of the shell.' }),
    );
    expect(() => readMagics('%who all', noVariables)).toThrow(
      expect.objectContaining({ code: 'MAGIC_ARGUMENT' }),
    );
  });
});
