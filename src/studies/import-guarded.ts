import { InputError } from '../errors.js';

const TIMEOUT_MS = 30_000;

/** Imports under guard at this moment; what they share is put back by the last one. */
let running = 0;
let putBack: () => void = () => undefined;

/** What a user's file is: the code of its errors and how they call it. */
export interface UserFile {
  readonly path: string;
  readonly code: 'STUDY_FILE' | 'PLUGIN_FILE';
  /** `study` or `plugin` */
  readonly what: string;
}

/**
 * Imports a user's file so that it can neither end the process, nor wait for ever, nor write to stdout, which
 * belongs to results: meanwhile `process.exit` throws, and what goes to stdout goes to stderr.
 * @param file what errors name
 * @throws InputError with the file's code where it calls `process.exit` or is not through after 30 s or when nothing is
 * left that could wake it up; else what the import throws
 */
export async function importGuarded<T>(
  load: () => Promise<T>,
  file: UserFile,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  if (running++ === 0) putBack = replaceShared(file);
  let timer: NodeJS.Timeout | undefined;
  let onEmpty: () => void = () => undefined;
  let onThrown: (error: unknown) => void = () => undefined;
  try {
    const stuck = new Promise<never>((_, reject) => {
      onEmpty = () => reject(stuckError(file, 'a promise that it awaits is never settled'));
      // thrown in a timer or callback of the file, where nobody else catches it
      onThrown = reject;
      process.on('beforeExit', onEmpty).on('uncaughtException', onThrown);
      timer = setTimeout(
        () => reject(stuckError(file, `it is not through after ${timeoutMs / 1000} s`)),
        timeoutMs,
      ).unref();
    });
    return await Promise.race([load(), stuck]);
  } finally {
    process.off('beforeExit', onEmpty).off('uncaughtException', onThrown);
    clearTimeout(timer);
    if (--running === 0) putBack();
  }
}

function replaceShared({ path: where, code, what }: UserFile): () => void {
  const { exit } = process;
  const { write } = process.stdout;
  process.exit = () => {
    throw new InputError(code, `The ${what} does not load: it calls process.exit.`, {
      where,
      hint: `Take the call out: a ${what} only describes, and an error is thrown.`,
    });
  };
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.exit = exit;
    process.stdout.write = write;
  };
}

const stuckError = ({ path: where, code, what }: UserFile, reason: string): InputError =>
  new InputError(code, `The ${what} does not load: ${reason}.`, {
    where,
    hint: `Look at its top-level await; what takes long belongs into the runs, not into the file of the ${what}.`,
  });
