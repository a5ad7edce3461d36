import type { Content } from '../protocol.js';
import { globMatcher } from './glob.js';

interface Entry {
  /** Number of the prompt. */
  readonly line: number;
  readonly input: string;
  /** `text/plain` of the result. */
  output: string | null;
}

/** `[session, line, input]`, or `[session, line, [input, output]]`. */
export type HistoryItem = readonly [number, number, string | readonly [string, string | null]];

/** The session of this life of the kernel; earlier ones are not kept. */
const THIS_SESSION = 0;

/** The cells of this session, for `history_request`. */
export class History {
  readonly #entries: Entry[] = [];

  add(line: number, input: string): void {
    this.#entries.push({ line, input, output: null });
  }

  setOutput(line: number, output: string): void {
    const entry = this.#entries.findLast((one) => one.line === line);
    if (entry) entry.output = output;
  }

  /** @returns what fits, oldest first; none for a kind of access that is not known */
  find(request: Content): HistoryItem[] {
    const found = this.#select(request);
    return found.map(({ line, input, output }) => [
      THIS_SESSION,
      line,
      request['output'] === true ? [input, output] : input,
    ]);
  }

  #select(request: Content): Entry[] {
    const count = whole(request['n']);
    switch (request['hist_access_type']) {
      case 'tail':
        return last(this.#entries, count);
      case 'range':
        return this.#range(request);
      case 'search': {
        const matches = globMatcher(typeof request['pattern'] === 'string' ? request['pattern'] : '*');
        const found = this.#entries.filter(({ input }) => matches(input));
        return last(request['unique'] === true ? lastOfEach(found) : found, count);
      }
      default:
        return [];
    }
  }

  /** From `start` to before `stop`; negative numbers count back from the prompt that comes next. */
  #range(request: Content): Entry[] {
    const session = whole(request['session']) ?? THIS_SESSION;
    if (session !== THIS_SESSION) return [];
    const next = (this.#entries.at(-1)?.line ?? 0) + 1;
    const place = (value: number) => (value < 0 ? next + value : value);
    const start = place(whole(request['start']) ?? 1);
    const stop = place(whole(request['stop']) ?? next);
    return this.#entries.filter(({ line }) => line >= start && line < stop);
  }
}

const whole = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;

const last = (entries: Entry[], count: number | undefined) =>
  count === undefined ? entries : count <= 0 ? [] : entries.slice(-count);

/** Of equal inputs the newest. */
function lastOfEach(entries: readonly Entry[]): Entry[] {
  const newest = new Map(entries.map((entry) => [entry.input, entry]));
  return entries.filter((entry) => newest.get(entry.input) === entry);
}
