import { activeSink } from './active-sink.js';
import { askTerminal, noInput } from './ask-terminal.js';
import { UsageError } from '../errors.js';
import type { Comms, Widget, WidgetDefinition } from './comms.js';
import { kernelLink, type KernelLink } from './kernel-link.js';
import { tslabCell } from './tslab.js';

export interface InputOptions {
  /** What is typed is not shown; default false. */
  readonly password?: boolean;
}

/**
 * Removes the outputs of the cell at work; with `wait` only when the next output comes, which then does not flicker.
 * Does nothing in a terminal and in plain tslab, which has no such message.
 */
export function clearOutput(wait = false): void {
  const { sink } = activeSink();
  const link = kernelLink();
  if (link && sink === link.sink) link.clearOutput(wait);
  else sink.clear?.(wait);
}

/**
 * Asks for one line, below the cell or in the terminal.
 * @throws UsageError NO_STDIN where no line can be typed: in plain tslab, in a notebook that is run without a front
 *   end, at the end of a pipe; StoppedError when the cell is interrupted instead, or Ctrl-C is typed
 */
export async function input(prompt = '', { password = false }: InputOptions = {}): Promise<string> {
  const link = kernelLink();
  if (link) return link.input(prompt, password);
  if (tslabCell()) throw noInput('plain tslab has no input.');
  return askTerminal(prompt, password, undefined);
}

/** The notebook's kernel as a cell sees it. In a terminal, a test or plain tslab nothing is ever aborted. */
export interface Kernel {
  /** Aborted when the cell is interrupted (Stop); a new one with every cell. Pass it to whatever takes a signal. */
  readonly signal: AbortSignal;
  /** True in Gondwana's own kernel. */
  readonly isKernel: boolean;
  /** `tslab` or `typescript`: what turns cells into values; undefined outside the kernel. */
  readonly engine: string | undefined;
  clearOutput(wait?: boolean): void;
  input(prompt?: string, options?: InputOptions): Promise<string>;
  /** Lines to objects in the front end. @throws UsageError NO_COMMS outside Gondwana's kernel */
  readonly comms: Comms;
  /**
   * Makes an anywidget; as a cell's result or by `display` it shows itself.
   * @throws UsageError NO_COMMS outside Gondwana's kernel; WIDGET_STATE for a state of names with `_`
   */
  widget(definition: WidgetDefinition): Widget;
}

function linkWithComms(): KernelLink {
  const link = kernelLink();
  if (link) return link;
  throw new UsageError('NO_COMMS', 'Comms and widgets need a front end that takes them.', {
    hint: 'Run the cell in the kernel "Gondwana (TypeScript)".',
  });
}

const never = new AbortController().signal;

export const kernel: Kernel = {
  get signal() {
    return kernelLink()?.signal ?? never;
  },
  get isKernel() {
    return kernelLink() !== undefined;
  },
  get engine() {
    return kernelLink()?.engine;
  },
  clearOutput,
  input,
  get comms() {
    return linkWithComms().comms;
  },
  widget: (definition) => linkWithComms().widget(definition),
};
