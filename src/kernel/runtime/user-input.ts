import { StoppedError, UsageError } from '../../errors.js';
import type { WireLink } from './wire-link.js';

/** Questions to the person at the front end. */
export interface UserInput {
  ask(prompt: string, password: boolean): Promise<string>;
  answer(n: number, value: string): void;
  /** Rejects what still waits. */
  stop(): void;
}

/** @param cell the request at work, and whether its front end takes questions */
export function createUserInput(
  wire: WireLink,
  cell: () => { readonly parent: string; readonly allowStdin: boolean },
): UserInput {
  const waiting = new Map<number, { resolve(value: string): void; reject(error: Error): void }>();
  let count = 0;
  return {
    async ask(prompt, password) {
      const { parent, allowStdin } = cell();
      if (!allowStdin) {
        throw new UsageError('NO_STDIN', `This front end takes no input, and the cell asks "${prompt}".`, {
          hint: 'Run the cell by hand, or set the value in the parameters cell.',
        });
      }
      return await new Promise<string>((resolve, reject) => {
        const n = ++count;
        waiting.set(n, { resolve, reject });
        wire.post({ type: 'input', n, prompt, password, parent });
      });
    },
    answer(n, value) {
      waiting.get(n)?.resolve(value);
      waiting.delete(n);
    },
    stop() {
      for (const { reject } of waiting.values()) reject(new StoppedError('The question was not answered.'));
      waiting.clear();
    },
  };
}
