import { describe, expect, it } from 'vitest';
import { buildProgram, type Chosen } from '../../src/cli/program.js';
import { readTaskLine } from '../../src/cli/task.js';

/** As the reader of all command lines has it. */
function readByProgram(argv: readonly string[]): Chosen | undefined {
  let chosen: Chosen | undefined;
  buildProgram('0.0.0', (choice) => (chosen = choice)).parse(argv, { from: 'user' });
  return chosen;
}

describe('the line of a task', () => {
  it.each([
    [['worker', '/s/submissions/0001']],
    [['worker', '/s/submissions/0001', '7', '--json']],
    [['worker', '/s/submissions/0001', '--code', '/a b/x.ts', '--code', 'y.mjs']],
    [['worker', '--code', 'x.ts', '/s/submissions/0001', '7']],
  ])('%j is read as the reader of all lines reads it', (argv) => {
    const { args, options } = readTaskLine(argv)!;
    const expected = readByProgram(argv)!;
    expect({ args, options }).toEqual({ args: expected.args, options: expected.options });
  });

  it.each([
    [['status', '/s']],
    [['worker']],
    [['worker', 'a', 'b', 'c']],
    [['worker', '--help']],
    [['worker', '/s', '--plugin', 'x.ts']],
    [['worker', '/s', '--code']],
    [['worker', '/s', '--code', '--json']],
    [['worker', '/s', '--code=x.ts']],
    [['worker', '--', '/s']],
  ])('%j is left to the reader of all lines', (argv) => {
    expect(readTaskLine(argv)).toBeUndefined();
  });
});
