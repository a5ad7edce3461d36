import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { InputError, RunError } from '../../../src/errors.js';
import { codeFrame, reportRefused, reportThrown } from '../../../src/kernel/runtime/traceback.js';

const plain = (lines: readonly string[]): string => stripVTControlCharacters(lines.join('\n'));

/** A cell whose script has two lines more at its top and four columns more on the left. */
const cellText = 'const a = 1;\nconst b = boom(a);\nb';
const locate = (file: string, line: number, column: number) =>
  file === 'cell-3.ts'
    ? { source: 'Cell [3]', line: line - 2, column: column - 4, text: cellText }
    : undefined;

describe('reportThrown', () => {
  it('names cell and line, shows the code, and leaves out frames of the kernel and of Node', () => {
    const error = new TypeError('not so');
    error.stack = [
      'TypeError: not so',
      '    at boom (cell-3.ts:4:15)',
      '    at helper (/home/u/lib.js:7:1)',
      '    at Object.<anonymous> (cell-3.ts:4:15)',
      '    at Script.runInThisContext (node:vm:129:12)',
      '    at execute (/x/node_modules/tslab/dist/executor.js:151:30)',
      '    at async run (file:///x/dist/kernel/runtime/runtime.js:9:1)',
    ].join('\n');
    const report = reportThrown(error, locate);
    expect([report.ename, report.evalue]).toEqual(['TypeError', 'not so']);
    expect(plain(report.traceback)).toBe(
      [
        'TypeError: not so',
        'Cell [3], line 2, column 11',
        '  1 | const a = 1;',
        '→ 2 | const b = boom(a);',
        '    |           ^',
        '  3 | b',
        '    at boom (Cell [3]:2:11)',
        '    at helper (/home/u/lib.js:7:1)',
        '    at Cell [3]:2:11',
      ].join('\n'),
    );
  });

  it('says where and what to do of an error of the library, and its cause', () => {
    const cause = new RangeError('inner');
    cause.stack = 'RangeError: inner';
    const error = new InputError('BAND_UNKNOWN', 'No band "B9".', {
      where: 'x.json',
      hint: 'Use B09.',
      cause,
    });
    const report = reportThrown(error, locate);
    expect(report.ename).toBe('BAND_UNKNOWN');
    const text = plain(report.traceback);
    expect(text).toContain('where: x.json');
    expect(text).toContain('to do: Use B09.');
    expect(text).toContain('Caused by RangeError: inner');
  });

  it('leaves out how the library found out that its input is wrong, and keeps the frames of its own faults', () => {
    const frames = [
      `    at check (${new URL('../../../src/studies/plan-study.ts', import.meta.url).href}:3:1)`,
      '    at async __cell (cell-3.ts:4:15)',
    ].join('\n');
    const lines = (error: Error): string => {
      error.stack = `Error: x\n${frames}`;
      return plain(reportThrown(error, locate).traceback);
    };
    expect(lines(new InputError('BAND_UNKNOWN', 'x'))).not.toContain('plan-study');
    expect(lines(new InputError('BAND_UNKNOWN', 'x'))).toMatch(/ at Cell \[3\]:2:11$/);
    expect(lines(new RunError('WORKER_DIED', 'x'))).toContain('at check (');
    // the error of a project's own copy of the package
    const foreign = { code: 'BAND_UNKNOWN', where: 'x.json', hint: 'Use B09.', exitCode: 3 };
    expect(lines(Object.assign(new Error('x'), foreign))).toMatch(
      /^BAND_UNKNOWN: x\n {2}where: x.json\n {2}to do: Use B09\.\n(?!.*plan-study)/s,
    );
  });

  it('ends where causes go in a circle', () => {
    const error = new Error('a');
    error.cause = error;
    expect(plain(reportThrown(error, locate).traceback)).toContain('Error: a');
  });

  it('shows a value that is no error', () => {
    expect(reportThrown({ code: 7 }, locate)).toMatchObject({ ename: 'Thrown', evalue: '{ code: 7 }' });
    expect(reportThrown(undefined, locate).evalue).toBe('undefined');
  });

  it('names the parts of an AggregateError and the class of an error without a name', () => {
    class Odd extends Error {}
    const report = reportThrown(new AggregateError([new Odd('one'), 'two'], 'both'), locate);
    expect(plain(report.traceback)).toMatch(/\[0\] Odd: one[^]*\[1\] 'two'/);
  });
});

describe('reportRefused', () => {
  it('gives the first message with its place, and all of them with their lines', () => {
    const diagnostic = {
      severity: 'error',
      code: 2322,
      message: 'Type A\n  more',
      line: 2,
      column: 7,
    } as const;
    const report = reportRefused([diagnostic, { ...diagnostic, code: 2304, line: 3, column: 1 }], {
      count: 3,
      code: cellText,
    });
    expect(report.evalue).toBe('Type A (Cell [3], line 2, column 7, TS2322) (and 1 more)');
    expect(plain(report.traceback)).toContain('→ 2 | const b = boom(a);\n    |       ^');
  });

  it('says what to do where that is known', () => {
    const diagnostic = { severity: 'error', code: 2304, message: 'No a', line: 1, column: 1 } as const;
    const report = reportRefused([{ ...diagnostic, hint: 'Make it.' }], { count: 3, code: 'a' });
    expect(plain(report.traceback)).toBe(
      'TS2304: No a\n  to do: Make it.\nCell [3], line 1, column 1\n→ 1 | a\n    | ^',
    );
  });
});

describe('reportThrown of what should not be thrown', () => {
  const broken = (name: string): Error =>
    Object.defineProperty(new Error('kept'), name, {
      get() {
        throw new Error('no look');
      },
    });
  it.each(['name', 'stack', 'cause', 'constructor'])('keeps the message where %s throws', (name) => {
    expect(reportThrown(broken(name), () => undefined)).toMatchObject({ ename: 'Error', evalue: 'kept' });
  });

  it('tells of proxies that refuse, of members of other types and of an AggregateError without errors', () => {
    const refuse = (): never => {
      throw new Error('no look');
    };
    const report = (error: unknown) => reportThrown(error, () => undefined);
    expect(report(new Proxy({}, { get: refuse, getPrototypeOf: refuse })).ename).toBe('Thrown');
    expect(report(new Proxy(new Error('x'), { get: refuse })).ename).toBe('Error');
    const odd = Object.assign(new Error('x'), { name: Symbol('name'), message: 5, stack: {} });
    expect(report(odd)).toMatchObject({ ename: 'Error', evalue: '5' });
    const none = Object.assign(new AggregateError([], 'none'), { errors: null });
    expect(report(none)).toMatchObject({ ename: 'AggregateError', evalue: 'none' });
    expect(plain(report({ [Symbol.for('nodejs.util.inspect.custom')]: refuse }).traceback)).toBe(
      'Thrown: [object]',
    );
  });

  it('ends where causes and parts lead back to the error, and cuts what is too long', () => {
    const error = new AggregateError([], 'round');
    error.errors.push(error);
    error.cause = error;
    expect(reportThrown(error, () => undefined).evalue).toBe('round');
    const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i}`);
    const long = reportThrown(new Error(lines.join('\n')), () => undefined);
    expect(long.evalue.length).toBeLessThan(21_000);
    expect(long.evalue).toMatch(/… \(\d+ more characters\)$/);
    expect(long.traceback.length).toBeLessThan(600);
  });

  it('still says something where a cell has replaced what it is made with', () => {
    const { map } = Array.prototype;
    const { split } = String.prototype;
    try {
      String.prototype.split = Array.prototype.map = () => {
        throw new Error('replaced');
      };
      const { evalue, traceback } = reportThrown(new TypeError('before'), () => undefined);
      expect([evalue, traceback.length]).toEqual(['TypeError: before', 2]);
    } finally {
      String.prototype.split = split;
      Array.prototype.map = map;
    }
  });
});

describe('codeFrame', () => {
  it('cuts a window out of a line too long to read', () => {
    const frame = codeFrame(`${'x'.repeat(500)}HERE${'y'.repeat(500)}`, 1, 501);
    expect(stripVTControlCharacters(frame[0]!).length).toBeLessThan(180);
    const caret = stripVTControlCharacters(frame[1]!).indexOf('^');
    expect(stripVTControlCharacters(frame[0]!).slice(caret, caret + 4)).toBe('HERE');
  });

  it('is empty for a line that is not there', () => {
    expect(codeFrame('a', 9, 1)).toEqual([]);
  });
});
