import { StoppedError, UsageError } from '../../errors.js';
import type { WireLink } from './wire-link.js';

/** Questions to the person at the front end: one after the other, as a front end has one field to type in. */
export interface UserInput {
  ask(prompt: string, password: boolean): Promise<string>;
  answer(n: number, value: string): void;
  /** Rejects what still waits: the cell is stopped. */
  stop(): void;
  /** Rejects what still waits: the cell has ended, and nobody will be asked. */
  end(): void;
}

interface Question {
  readonly n: number;
  readonly prompt: string;
  readonly password: boolean;
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

/** @param cell the request at work, and whether its front end takes questions */
export function createUserInput(
  wire: WireLink,
  cell: () => { readonly parent: string; readonly allowStdin: boolean },
): UserInput {
  /** The first is asked. */
  let waiting: Question[] = [];
  let count = 0;

  function askFirst(): void {
    const first = waiting[0];
    if (!first) return;
    const { n, prompt, password } = first;
    wire.post({ type: 'input', n, prompt, password, parent: cell().parent });
  }

  function rejectAll(error: (prompt: string) => Error): void {
    const rejected = waiting;
    waiting = [];
    for (const { prompt, reject } of rejected) reject(error(prompt));
  }

  return {
    async ask(prompt, password) {
      if (!cell().allowStdin) {
        throw new UsageError('NO_STDIN', `This front end takes no input, and the cell asks "${prompt}".`, {
          hint: 'Run the cell by hand, or set the value in the parameters cell.',
        });
      }
      return await new Promise<string>((resolve, reject) => {
        waiting.push({ n: ++count, prompt: String(prompt), password: password === true, resolve, reject });
        if (waiting.length === 1) askFirst();
      });
    },
    answer(n, value) {
      if (waiting[0]?.n !== n) return;
      waiting.shift()!.resolve(value);
      askFirst();
    },
    stop: () => rejectAll(() => new StoppedError('The question was not answered.')),
    end: () =>
      rejectAll(
        (prompt) =>
          new UsageError('NO_STDIN', `The cell ended before its question "${prompt}" was answered.`, {
            hint: 'Write `await` before `input`.',
          }),
      ),
  };
}
