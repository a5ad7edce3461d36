import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { StoppedError, UsageError } from '../errors.js';

/** The streams of a terminal, or of a pipe. */
export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** @throws UsageError NO_STDIN */
export const noInput = (reason: string): UsageError =>
  new UsageError('NO_STDIN', `No answer can be typed here: ${reason}`, {
    hint: 'Set the value in the code, or in the notebook’s parameters cell.',
  });

/**
 * Asks for one line; its line end is left out. A password is not echoed.
 * @throws UsageError NO_STDIN at the end of the input; StoppedError for Ctrl-C, and when the signal is aborted
 */
export function askTerminal(
  prompt: string,
  isPassword: boolean,
  signal: AbortSignal | undefined,
  { input, output }: TerminalStreams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  return input.isTTY ? askPerson(prompt, isPassword, signal, input, output) : askPipe(prompt, input, output);
}

function askPerson(
  prompt: string,
  isPassword: boolean,
  signal: AbortSignal | undefined,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  let isMuted = false;
  const echo = new Writable({
    write(part: Buffer, _encoding, done) {
      if (!isMuted) output.write(part);
      done();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: true });
  return new Promise<string>((resolve, reject) => {
    const leave = (error: Error): void => {
      reject(error);
      lines.close();
    };
    const stop = (): void => leave(new StoppedError('The question was not answered.'));
    lines.once('SIGINT', stop);
    lines.once('close', () => {
      signal?.removeEventListener('abort', stop);
      reject(noInput('the input has ended.'));
    });
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    lines.question(prompt, (answer) => {
      if (isPassword) output.write('\n');
      resolve(answer);
      lines.close();
    });
    isMuted = isPassword;
  });
}

const pipes = new WeakMap<NodeJS.ReadableStream, AsyncIterator<string>>();

/** Lines of a pipe, one a question: what came beyond the first line waits for the next question. */
async function askPipe(
  prompt: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  output.write(prompt);
  const lines = pipes.get(input) ?? linesOf(createInterface({ input }));
  pipes.set(input, lines);
  const line = await lines.next();
  output.write('\n');
  if (line.done) throw noInput('the input has ended.');
  return line.value;
}

/** Read on only while a line is asked for, so that an open pipe does not keep the process. */
async function* linesOf(lines: Interface): AsyncGenerator<string, string> {
  const waiting: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  lines.on('line', (line) => {
    waiting.push(line);
    lines.pause();
    wake();
  });
  lines.once('close', () => {
    isOver = true;
    wake();
  });
  for (;;) {
    while (waiting.length > 0) yield waiting.shift()!;
    if (isOver) return '';
    await new Promise<void>((resolve) => {
      wake = resolve;
      lines.resume();
    });
  }
}
