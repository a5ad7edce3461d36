import { kernelLink } from './kernel-link.js';
import { terminalSink, type DisplaySink } from './sink.js';
import { tslabCell } from './tslab.js';

let chosenSink: DisplaySink | undefined;

/** Sends all outputs to this sink; undefined goes back to the kernel, to tslab where it runs, or to the terminal. */
export function setDisplaySink(sink: DisplaySink | undefined): void {
  chosenSink = sink;
}

/** Where an output goes now. */
export interface ActiveSink {
  readonly sink: DisplaySink;
  /** The same object for all outputs of one cell; what it is says nothing. */
  readonly cell: object;
}

/** The user's sink, else that of the kernel, of plain tslab, of the terminal. */
export function activeSink(): ActiveSink {
  const link = kernelLink();
  if (chosenSink) return { sink: chosenSink, cell: link?.signal ?? chosenSink };
  if (link) return { sink: link.sink, cell: link.signal };
  return tslabCell() ?? { sink: terminalSink, cell: terminalSink };
}
