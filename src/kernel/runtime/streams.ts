import { Buffer } from 'node:buffer';
import process from 'node:process';
import type { WireLink } from './wire-link.js';

/** Characters of text that one cell may print; more is counted, not shown. */
const DEFAULT_LIMIT = 32 * 2 ** 20;

type StreamName = 'stdout' | 'stderr';
type Write = typeof process.stdout.write;

/** What cells print, attributed to the cell that is at work or, between cells, to the last one. */
export interface Streams {
  /** Output from now on belongs to this request. */
  begin(parent: string): void;
  write(name: StreamName, text: string): void;
  /** Says how much of the cell's text was left out, where any was. */
  end(): void;
  /** Gives `process.stdout` and `process.stderr` back. */
  restore(): void;
}

/**
 * Sends what is written to `process.stdout` and `process.stderr` to the front end.
 * @param limit characters of one cell, both streams together; default 32 Mi, or `GONDWANA_OUTPUT_LIMIT_MB`
 */
export function captureStreams(wire: WireLink, limit = limitFromEnvironment()): Streams {
  let parent = '';
  let printed = 0;
  let dropped = 0;

  const notice = (text: string): void => wire.post({ type: 'stream', name: 'stderr', text, parent });
  const write = (name: StreamName, text: string): void => {
    if (text === '') return;
    const left = limit - printed;
    printed += text.length;
    if (text.length <= left) return wire.post({ type: 'stream', name, text, parent });
    if (dropped === 0) {
      if (left > 0) wire.post({ type: 'stream', name, text: text.slice(0, left), parent });
      notice(
        `\nOUTPUT_LIMIT: this cell has printed ${megabytes(limit)} MB; what it prints further is not shown.\n` +
          '  to do: print less, write to a file, or set GONDWANA_OUTPUT_LIMIT_MB before the kernel starts.\n',
      );
    }
    dropped += text.length - Math.max(0, left);
  };

  const original = { stdout: process.stdout.write, stderr: process.stderr.write };
  const capture = (name: StreamName): Write =>
    ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
      write(name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(callback as () => void);
      return true;
    }) as Write;
  process.stdout.write = capture('stdout');
  process.stderr.write = capture('stderr');

  return {
    begin(next) {
      parent = next;
      printed = 0;
      dropped = 0;
    },
    write,
    end() {
      if (dropped > 0) notice(`OUTPUT_LIMIT: ${megabytes(dropped)} MB were not shown.\n`);
      dropped = 0;
    },
    restore() {
      process.stdout.write = original.stdout;
      process.stderr.write = original.stderr;
    },
  };
}

const megabytes = (characters: number): string =>
  (characters / 2 ** 20).toFixed(characters < 2 ** 20 ? 2 : 0);

function limitFromEnvironment(): number {
  const megabytes = Number(process.env.GONDWANA_OUTPUT_LIMIT_MB);
  return megabytes > 0 ? megabytes * 2 ** 20 : DEFAULT_LIMIT;
}
