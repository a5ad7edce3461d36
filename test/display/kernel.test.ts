import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { setDisplaySink } from '../../src/display/active-sink.js';
import { askTerminal } from '../../src/display/ask-terminal.js';
import { cellSignal } from '../../src/display/kernel-link.js';
import { clearOutput, input, kernel } from '../../src/display/kernel.js';
import { StoppedError, UsageError } from '../../src/errors.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';

afterEach(() => {
  endStandInKernel();
  setDisplaySink(undefined);
});

describe('the kernel as a cell sees it', () => {
  it('has a signal for each cell, its engine, input and clearOutput', async () => {
    const standIn = standInKernel();
    expect([kernel.isKernel, kernel.engine]).toEqual([true, 'typescript']);
    const first = kernel.signal;
    expect(cellSignal(undefined)).toBe(first);
    standIn.stop();
    expect(first.aborted).toBe(true);
    standIn.next();
    expect(kernel.signal.aborted).toBe(false);
    clearOutput();
    kernel.clearOutput(true);
    expect(standIn.cleared).toEqual([false, true]);
    expect(await input('Name: ', { password: true })).toBe('answer');
    expect(standIn.asked).toEqual([{ prompt: 'Name: ', password: true }]);
  });

  it('outside a kernel never stops anything', () => {
    expect([kernel.isKernel, kernel.engine, kernel.signal.aborted]).toEqual([false, undefined, false]);
    expect(cellSignal(undefined)).toBeUndefined();
    expect(() => clearOutput()).not.toThrow();
  });

  it("clears the user's own sink where one is set", () => {
    const cleared: boolean[] = [];
    const sink = { show: () => undefined, open: () => ({ update: () => undefined }) };
    setDisplaySink({ ...sink, clear: (wait) => void cleared.push(wait) });
    clearOutput(true);
    setDisplaySink(sink);
    clearOutput();
    expect(cleared).toEqual([true]);
  });

  it('in plain tslab has no input: a typed error says so', async () => {
    const require = createRequire(import.meta.url);
    const jupyter = require('tslab/dist/jupyter.js') as { lastWriteDisplayData: unknown };
    jupyter.lastWriteDisplayData = () => undefined;
    try {
      await expect(input('Name: ')).rejects.toMatchObject({ code: 'NO_STDIN', name: 'UsageError' });
      expect(() => clearOutput()).not.toThrow();
    } finally {
      jupyter.lastWriteDisplayData = null;
    }
  });
});

const streams = (isTTY: boolean) => {
  const typed = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const shown = new PassThrough();
  let text = '';
  shown.on('data', (part: Buffer) => (text += part.toString()));
  return { given: { input: typed, output: shown }, typed, shownText: () => text };
};

describe('input in a terminal', () => {
  it('shows the prompt and what is typed, and gives the line', async () => {
    const { given, typed, shownText } = streams(true);
    const answer = askTerminal('Name: ', false, undefined, given);
    typed.write('abc\r');
    expect(await answer).toBe('abc');
    expect(shownText()).toContain('Name: ');
    expect(shownText()).toContain('c');
  });

  it('does not show a password', async () => {
    const { given, typed, shownText } = streams(true);
    const answer = askTerminal('Key: ', true, undefined, given);
    typed.write('zq7\r');
    expect(await answer).toBe('zq7');
    expect(shownText()).toContain('Key: ');
    expect(shownText()).not.toMatch(/[zq7]/);
  });

  it('ends with Ctrl-C, with the signal, and with the end of the input', async () => {
    const pressed = streams(true);
    const answer = askTerminal('? ', false, undefined, pressed.given);
    pressed.typed.write('\u0003');
    await expect(answer).rejects.toBeInstanceOf(StoppedError);
    const abort = new AbortController();
    const stopped = askTerminal('? ', false, abort.signal, streams(true).given);
    abort.abort();
    await expect(stopped).rejects.toBeInstanceOf(StoppedError);
    const ended = streams(true);
    const unanswered = askTerminal('? ', false, undefined, ended.given);
    ended.typed.end();
    await expect(unanswered).rejects.toBeInstanceOf(UsageError);
  });

  it('takes one line of a pipe a question, and says when there is none left', async () => {
    const { given, typed } = streams(false);
    typed.write('one\ntwo\nthr');
    expect(await askTerminal('', false, undefined, given)).toBe('one');
    expect(await askTerminal('', false, undefined, given)).toBe('two');
    typed.end('ee');
    expect(await askTerminal('', false, undefined, given)).toBe('three');
    await expect(askTerminal('', false, undefined, given)).rejects.toMatchObject({ code: 'NO_STDIN' });
  });
});
