import { InputError } from '../errors.js';
import { MemoryInput, PickleFault, type PickleInput } from './pickle-input.js';
import { pickleInstructions } from './pickle-instructions.js';
import { PickleMachine, type PickleOptions } from './pickle-machine.js';
import type { PickleValue } from './pickle-values.js';

export type { PickleOptions } from './pickle-machine.js';
export { FileInput, MemoryInput, PickleFault, type PickleInput } from './pickle-input.js';
export { standardReducers, type Reducer } from './pickle-reducers.js';
export * from './pickle-values.js';

/**
 * Reads one pickle (protocols 0 to 5) as data. Nothing is imported, looked up or called: what the file names
 * stays a name, what it "calls" becomes a record of the call, unless `reducers` has a plain value for it.
 * Names are looked up in Maps only, so `__proto__` and `constructor` are ordinary texts. What stands behind
 * the end of the pickle is left unread.
 * @throws InputError PICKLE_MALFORMED, PICKLE_UNSUPPORTED, and what the callbacks throw
 */
export function readPickle(source: Uint8Array | PickleInput, options: PickleOptions = {}): PickleValue {
  const input = source instanceof Uint8Array ? new MemoryInput(source) : source;
  try {
    return new PickleMachine(input, options).run(pickleInstructions);
  } catch (cause) {
    if (!(cause instanceof PickleFault || cause instanceof RangeError)) throw cause;
    const code = cause instanceof PickleFault ? cause.code : 'PICKLE_MALFORMED';
    throw new InputError(code, `The pickle cannot be read at byte ${input.position}: ${cause.message}.`, {
      where: options.where ?? '',
      hint: 'The file is damaged, cut off or of another kind; fetch it again.',
      cause,
    });
  }
}
