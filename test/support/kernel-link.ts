import { setKernelLink, type KernelLink } from '../../src/display/kernel-link.js';
import { metadataOf, type MimeBundle, type MimeMetadata } from '../../src/display/mime.js';

export interface ShownOutput {
  bundle: MimeBundle;
  readonly metadata: MimeMetadata;
  /** Every bundle that replaced it. */
  readonly updates: MimeBundle[];
}

/** A kernel that keeps what it is shown. `stop` is the Stop button; `next` begins the next cell. */
export interface StandInKernel {
  readonly outputs: ShownOutput[];
  readonly held: Promise<void>[];
  readonly cleared: boolean[];
  readonly asked: { readonly prompt: string; readonly password: boolean }[];
  stop(): void;
  next(): void;
}

/** @param intervalMs least time between two drawings of a bar */
export function standInKernel(intervalMs = 0): StandInKernel {
  let abort = new AbortController();
  const kernel: StandInKernel = {
    outputs: [],
    held: [],
    cleared: [],
    asked: [],
    stop: () => abort.abort(new Error('stopped')),
    next: () => void (abort = new AbortController()),
  };
  const show = (bundle: MimeBundle): ShownOutput => {
    const output = { bundle, metadata: metadataOf(bundle), updates: [] };
    kernel.outputs.push(output);
    return output;
  };
  const link: KernelLink = {
    protocol: 1,
    engine: 'typescript',
    sink: {
      progressIntervalMs: intervalMs,
      show: (bundle) => void show(bundle),
      open(bundle) {
        const output = show(bundle);
        return { displayId: `id-${kernel.outputs.length}`, update: (next) => void output.updates.push(next) };
      },
    },
    get signal() {
      return abort.signal;
    },
    hold: (work) => void kernel.held.push(work),
    get comms(): never {
      throw new Error('this stand-in has no comms');
    },
    widget: () => {
      throw new Error('this stand-in has no widgets');
    },
    clearOutput: (wait) => void kernel.cleared.push(wait),
    input: (prompt, password) => {
      kernel.asked.push({ prompt, password });
      return Promise.resolve('answer');
    },
  };
  setKernelLink(link);
  return kernel;
}

export const endStandInKernel = (): void => setKernelLink(undefined);
