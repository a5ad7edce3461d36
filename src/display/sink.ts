import { textOf, type MimeBundle } from './mime.js';

/** Where outputs go. A notebook kernel sets its own; it then receives whole bundles. */
export interface DisplaySink {
  show(bundle: MimeBundle): void;
  /** Shows an output that later bundles replace. */
  open(bundle: MimeBundle): { update(bundle: MimeBundle): void };
  /** Least milliseconds between two states of a progress bar; default 100. */
  readonly progressIntervalMs?: number;
  /** States of one progress bar at most, default without limit. */
  readonly maximumProgressDrawings?: number;
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
  process.stdout.write(`${textOf(bundle)}\n`);
}
