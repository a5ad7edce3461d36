import { inspect } from 'node:util';
import { activeSink } from './active-sink.js';
import { formatValue } from './bundle.js';
import { kernelLink } from './kernel-link.js';
import { TEXT, type MimeBundle } from './mime.js';
import { JUPYTER_DISPLAY } from './showable.js';

/** An output that later values replace. */
export interface DisplayHandle {
  /** Id of the output in the notebook's messages; empty where the front end has none. */
  readonly display_id: string;
  /**
   * Shows another value in the same place; of updates that take time the last one asked for stays.
   * @throws whatever the value's own `Symbol.for('Jupyter.display')` method throws
   */
  update(value: unknown): void | Promise<void>;
}

const EMPTY: MimeBundle = { [TEXT]: '' };

export function createHandle(value?: unknown): DisplayHandle {
  const first = value === undefined ? EMPTY : formatValue(value);
  const output = activeSink().sink.open(first instanceof Promise ? EMPTY : first);
  let asked = 0;
  const put = (content: MimeBundle | Promise<MimeBundle>): void | Promise<void> => {
    const turn = ++asked;
    if (!(content instanceof Promise)) return output.update(content);
    return settle(content.then((bundle) => void (turn === asked && output.update(bundle))));
  };
  if (first instanceof Promise) void put(first);
  const handle = {
    display_id: output.displayId ?? '',
    update: (next: unknown) => put(next === undefined ? EMPTY : formatValue(next)),
  };
  return quiet(handle);
}

/**
 * A promise of something to be shown: the kernel's cell is not over before it settles, and nothing prints it.
 * Where nobody awaits it, its failure is an unhandled rejection.
 */
export function settle(work: Promise<void>): Promise<void> {
  let settled = (): void => undefined;
  kernelLink()?.hold?.(new Promise((resolve) => (settled = resolve)));
  return quiet(work.finally(() => settled()));
}

/** A cell that ends with it prints nothing for it. */
const quiet = <T extends object>(value: T): T => {
  Object.defineProperty(value, JUPYTER_DISPLAY, { value: () => ({}) });
  Object.defineProperty(value, inspect.custom, { value: () => '' }); // plain tslab prints by console.log
  return value;
};
