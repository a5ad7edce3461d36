import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** File that the payloads of hostile files write to the working directory. */
const TRACE = 'PWNED';

const guarded: readonly (readonly [string, object])[] = [
  ['Object.prototype', Object.prototype],
  ['Function.prototype', Function.prototype],
  ['Array.prototype', Array.prototype],
  ['Map.prototype', Map.prototype],
  ['the globals', globalThis],
];

/** Watches what a file that is read must not do. */
export class Canary {
  readonly #before = guarded.map(([, object]) => new Set(Reflect.ownKeys(object)));
  readonly #trace: string;
  readonly #hadTrace: boolean;
  #children = 0;
  readonly #onChild = (): void => {
    this.#children++;
  };

  /** @param folder where a payload would write; default the working directory */
  constructor(folder = process.cwd()) {
    this.#trace = path.join(folder, TRACE);
    this.#hadTrace = existsSync(this.#trace);
    subscribe('child_process', this.#onChild);
  }

  /** What was done all the same; undefined where nothing was. */
  sign(): string | undefined {
    if (!this.#hadTrace && existsSync(this.#trace)) return `a file named ${TRACE} was written`;
    if (this.#children > 0) return 'a child process was started';
    for (const [index, [name, object]] of guarded.entries()) {
      const added = Reflect.ownKeys(object).filter((key) => !this.#before[index]!.has(key));
      if (added.length > 0) return `${name} got ${added.map(String).join(', ')}`;
    }
    return undefined;
  }

  stop(): void {
    unsubscribe('child_process', this.#onChild);
  }
}
