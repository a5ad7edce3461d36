import type { Comms, Widget, WidgetDefinition } from './comms.js';
import type { DisplaySink } from './sink.js';

/**
 * What the kernel in whose process this runs offers to the library. It is found by a symbol on `globalThis`,
 * so that any copy of the package (the notebook's project may have its own) finds the kernel's.
 */
export interface KernelLink {
  /** Raised when a member changes its meaning. */
  readonly protocol: 1;
  readonly engine: string;
  readonly sink: DisplaySink;
  /** Aborted when the cell at work is interrupted; a new one with every cell. */
  readonly signal: AbortSignal;
  clearOutput(wait: boolean): void;
  /**
   * The cell counts as running until this has settled, also where the cell does not await it: `display(chart)`
   * draws its chart before the cell ends. It never rejects: a failure that the cell does not await comes as an
   * unhandled rejection, in the turn of the event loop that follows.
   */
  hold?(work: Promise<void>): void;
  /**
   * Told when the cell calls something that ends by itself soon after the signal is aborted, with an error that says
   * what it kept: a stopped cell waits a moment for that error.
   */
  expectStop?(): void;
  readonly comms: Comms;
  widget(definition: WidgetDefinition): Widget;
  /** @throws StoppedError when interrupted; UsageError NO_STDIN where the front end takes no input */
  input(prompt: string, password: boolean): Promise<string>;
}

const KERNEL_LINK = Symbol.for('gondwana.kernel-link');

/** The kernel this process is, or undefined in a terminal, a test, plain tslab. */
export const kernelLink = (): KernelLink | undefined =>
  (globalThis as { [KERNEL_LINK]?: KernelLink })[KERNEL_LINK];

/**
 * The signal of a call that can be stopped: the one that was given, else that of the cell at work, else none.
 * Options that leave a signal out are stopped with their cell.
 */
export function cellSignal(given: AbortSignal | undefined): AbortSignal | undefined {
  if (given) return given;
  const link = kernelLink();
  link?.expectStop?.();
  return link?.signal;
}

export function setKernelLink(link: KernelLink | undefined): void {
  (globalThis as { [KERNEL_LINK]?: KernelLink | undefined })[KERNEL_LINK] = link;
}
