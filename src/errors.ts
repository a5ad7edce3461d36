/**
 * Every failure a user can cause or meet. The text of an error says three things: what was wrong
 * (`message`), where (`where`), and what to do (`hint`). `code` is stable: scripts may match on it.
 */
export class GondwanaError extends Error {
  override readonly name: string = 'GondwanaError';
  /** Stable, upper-case with underscores, e.g. `CHECKPOINT_KEYS`. Listed in docs/guide/errors.md. */
  readonly code: string;
  /** File, record, option or place in a manifest; empty where the message already names it. */
  readonly where: string;
  /** What the user can do about it. */
  readonly hint: string;
  /** Exit code of the command line: 1 a check or run failed, 2 usage, 3 bad input. */
  readonly exitCode: number = 1;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.where = details.where ?? '';
    this.hint = details.hint ?? '';
  }

  /** The form that `--json` prints under `error`. */
  toJSON(): { code: string; message: string; where: string; hint: string } {
    return { code: this.code, message: this.message, where: this.where, hint: this.hint };
  }
}

export interface ErrorDetails {
  readonly where?: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** A file, dataset, checkpoint, manifest or definition that cannot be used as it is (exit 3). */
export class InputError extends GondwanaError {
  override readonly name = 'InputError';
  override readonly exitCode = 3;
}

/** A command, option or argument that does not exist or does not fit (exit 2). */
export class UsageError extends GondwanaError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** A run, a check or the machine failed while working on good input (exit 1). */
export class RunError extends GondwanaError {
  override readonly name = 'RunError';
}

/** The user asked to stop; what was finished is kept (exit 130). */
export class StoppedError extends GondwanaError {
  override readonly name = 'StoppedError';
  override readonly exitCode = 130;
  constructor(message: string, details: ErrorDetails = {}) {
    super('STOPPED', message, details);
  }
}

/** An error as plain data, to cross threads and processes. */
export interface ErrorData {
  readonly code: string;
  readonly message: string;
  readonly where: string;
  readonly hint: string;
  readonly exitCode: number;
}

/** @returns code `INTERNAL` for an error that is none of ours, with its stack as `where` */
export function errorData(error: unknown): ErrorData {
  if (error instanceof GondwanaError) return { ...error.toJSON(), exitCode: error.exitCode };
  const message = error instanceof Error ? error.message : String(error);
  const where = error instanceof Error ? (error.stack ?? '') : '';
  return {
    code: 'INTERNAL',
    message,
    where,
    hint: 'This is a fault of Gondwana: please report it.',
    exitCode: 1,
  };
}

/** The error that this data was made of, with its class. */
export function errorFromData({ code, message, where, hint, exitCode }: ErrorData): GondwanaError {
  const details = { where, hint };
  if (exitCode === 130) return new StoppedError(message, details);
  const Kind = exitCode === 3 ? InputError : exitCode === 2 ? UsageError : RunError;
  return new Kind(code, message, details);
}

/** Three lines for a terminal: what, where, what to do. */
export function describeError(error: unknown): string {
  if (!(error instanceof GondwanaError)) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const lines = [`${error.code}: ${error.message}`];
  if (error.where) lines.push(`  where: ${error.where}`);
  if (error.hint) lines.push(`  to do: ${error.hint}`);
  return lines.join('\n');
}

/** One line for a list of failures: what and where. */
export function errorLine({ code, message, where }: Pick<ErrorData, 'code' | 'message' | 'where'>): string {
  // of a fault of ours, the place is a stack
  const place = code === 'INTERNAL' ? '' : (where.split('\n')[0] ?? '');
  return `${code}: ${message}${place === '' ? '' : ` (${place})`}`;
}

/** `"frosen" … Did you mean "frozen"?`: the nearest known word within two edits, or undefined. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  scored.sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best && best.distance <= Math.max(2, Math.floor(word.length / 4)) ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution));
    }
    previous = current;
  }
  return previous[b.length]!;
}
