import { Socket } from 'node:net';
import type { Header, IncomingMessage } from './message.js';

/**
 * The thin line from the kernel to the launcher that watches it. If the kernel dies, the launcher knows from here
 * who waits for a reply.
 */

/** Environment variable by which the launcher names the line: `FD:PID`. Taken away before user code runs. */
export const LAUNCHER_VARIABLE = 'GONDWANA_KERNEL_LAUNCHER';

/** One line of JSON each. */
export type LauncherNote =
  /** A request to run a cell came in. Identities in hexadecimal. */
  | { readonly type: 'queued'; readonly identities: readonly string[]; readonly header: Header }
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'memory'; readonly residentBytes: number }
  /** From now on it reads what native code and children print. */
  | { readonly type: 'listening' }
  /** The kernel was asked to end, and will. */
  | { readonly type: 'ending' };

export interface LauncherAddress {
  readonly fd: number;
  readonly pid: number;
}

/** @returns undefined where this process was not started by the launcher */
export function launcherAddress(env: NodeJS.ProcessEnv): LauncherAddress | undefined {
  const match = /^(\d+):(\d+)$/.exec(env[LAUNCHER_VARIABLE] ?? '');
  const [fd, pid] = [Number(match?.[1]), Number(match?.[2])];
  // a child of a cell inherits the variable at worst, not the parent
  return match && pid === process.ppid ? { fd, pid } : undefined;
}

/** The kernel's end of the line. Without a launcher it says nothing. */
export class LauncherLink {
  readonly #line: Socket | undefined;
  #toldBytes = 0;

  /** @param onLost called when the launcher is gone: the line ends with it, at once */
  constructor(fd: number | undefined, onLost: () => void) {
    if (fd === undefined) return;
    this.#line = new Socket({ fd, readable: true, writable: true });
    this.#line.on('error', () => {}); // followed by close
    this.#line.once('close', onLost);
    this.#line.resume();
  }

  queued({ identities, header }: IncomingMessage): void {
    this.#note({ type: 'queued', identities: identities.map((one) => one.toString('hex')), header });
  }

  ended(id: string): void {
    this.#note({ type: 'ended', id });
  }

  /** Told where it changed by a twentieth. */
  memory(residentBytes: number): void {
    if (Math.abs(residentBytes - this.#toldBytes) < this.#toldBytes / 20) return;
    this.#toldBytes = residentBytes;
    this.#note({ type: 'memory', residentBytes });
  }

  listening(): void {
    this.#note({ type: 'listening' });
  }

  ending(): void {
    this.#note({ type: 'ending' });
  }

  #note(note: LauncherNote): void {
    this.#line?.write(`${JSON.stringify(note)}\n`);
  }
}
