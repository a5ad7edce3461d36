import { textOf, type MimeBundle } from './mime.js';

/**
 * Where outputs go. A notebook kernel sets its own; it then receives whole bundles, with what `metadataOf` says of
 * them. Calls come in the order of the cell's outputs and return at once.
 */
export interface DisplaySink {
  show(bundle: MimeBundle): void;
  /** Shows an output that later bundles replace, in the cell that opened it, also from later cells. */
  open(bundle: MimeBundle): OpenOutput;
  /** Removes the outputs of the cell at work; with `wait` only once the next output comes. Default: nothing. */
  clear?(wait: boolean): void;
  /** Least milliseconds between two states of a progress bar; default 100. */
  readonly progressIntervalMs?: number;
  /** States of one progress bar at most, default without limit. */
  readonly maximumProgressDrawings?: number;
}

export interface OpenOutput {
  /** The `display_id` of the protocol, where the front end has one. */
  readonly displayId?: string;
  update(bundle: MimeBundle): void;
}

/** Prints the text form on standard output. */
export const terminalSink: DisplaySink = {
  show: (bundle) => print(bundle),
  open(bundle) {
    print(bundle);
    return { update: print };
  },
};

function print(bundle: MimeBundle): void {
  if (textOf(bundle) === '') return;
  process.stdout.write(`${textOf(bundle)}\n`);
}
