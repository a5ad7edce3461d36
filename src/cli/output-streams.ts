import { writeSync } from 'node:fs';
import { describeError, RunError } from '../errors.js';

let isGuarded = false;

/**
 * Keeps a closed or full stdout or stderr from ending the command with a stack, for the whole life of the
 * process: errors of a pipe come after the command is through. A reader of stdout that closed its pipe
 * (`| head`) has seen enough; any other failure of stdout ends the process with WRITE_FAILED, exit 1. A lost
 * stderr stops nothing.
 */
export function guardOutput(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.stdout.on('error', onStdoutError);
  process.stderr.on('error', () => undefined);
}

/** Writes to stdout, also where a failing write throws at once. */
export function writeOut(text: string): void {
  try {
    process.stdout.write(text);
  } catch (error) {
    onStdoutError(error as NodeJS.ErrnoException);
  }
}

/** Of the process itself: a study that is being loaded has none. */
const exit = process.exit.bind(process);

function onStdoutError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  const told = new RunError('WRITE_FAILED', `The output cannot be written: ${error.message}`, {
    where: 'stdout',
    hint: 'Send stdout to a file or program with room left; what the command did is kept.',
    cause: error,
  });
  try {
    writeSync(2, `${describeError(told)}\n`);
  } catch {
    // nobody is left to tell
  }
  exit(1);
}
