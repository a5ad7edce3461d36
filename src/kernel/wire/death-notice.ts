import type { Router, XPublisher } from 'zeromq';
import type { Content } from '../protocol.js';
import type { ErrorResult } from './cells.js';
import { readConnectionFile } from './connection.js';
import type { OpenRequest } from './launcher-watch.js';
import { describeBytes, MEMORY_LIMIT_VARIABLE } from './memory-limit.js';
import { Framing, type IncomingMessage } from './message.js';
import { within } from './pings.js';
import { openSockets, type KernelSockets } from './sockets.js';

export interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Memory the kernel held when it was last heard of; 0: unknown. */
  readonly residentBytes: number;
  readonly limitBytes: number;
}

/** Why the kernel's process ended, and what can be done, as the error of the cell at work. */
export function describeDeath({ code, signal, residentBytes, limitBytes }: Death): ErrorResult {
  const memory =
    residentBytes === 0
      ? 'its memory is not known'
      : `it held ${describeBytes(residentBytes)} of memory of at most ${describeBytes(limitBytes)} when it was last looked at`;
  const isFull = residentBytes > limitBytes / 2;
  const lessMemory = `work in smaller parts, free what is not needed, or give the machine or container more memory (${MEMORY_LIMIT_VARIABLE} tells the kernel of a limit that it cannot see)`;
  const [why, hint] = ((): [string, string] => {
    switch (signal) {
      case 'SIGKILL':
        return isFull
          ? [`the system killed it (SIGKILL), as memory ran out: ${memory}`, lessMemory]
          : [
              `it was killed from outside (SIGKILL), most often by the system when memory runs out; ${memory}`,
              `if nobody ended it, ${lessMemory}`,
            ];
      case 'SIGABRT':
      case 'SIGTRAP':
      case 'SIGILL':
        return isFull
          ? [
              `V8 or a native library gave up (${signal}), most often because its memory was full; ${memory}`,
              `look at the last lines of Jupyter's log; ${lessMemory}`,
            ]
          : [
              `Node or a native library gave up (${signal}): a fault, or very much memory asked for at once; ${memory}`,
              "look at the last lines of Jupyter's log, which name it; leave out the call, or ask for less at once",
            ];
      case null:
        return [
          `its process ended with exit code ${code}: a cell called process.exit, or an error could not be caught`,
          'look at the last lines of Jupyter\'s log; end a cell by "throw" or "return", not by process.exit',
        ];
      default:
        return [
          `a native library crashed, or a signal came from outside (${signal}); ${memory}`,
          "look at the last lines of Jupyter's log; leave out the call that crashes, or report it to its package",
        ];
    }
  })();
  const evalue = `The kernel died: ${why}. Its variables are lost; Jupyter starts a new one.`;
  return {
    status: 'error',
    ename: 'KernelDied',
    evalue,
    traceback: [`KernelDied: ${evalue}`, `To do: ${hint}.`],
  };
}

export interface DeathNotice {
  readonly connectionFile: string;
  /** Requests without a reply: the first was at work, the others waited. */
  readonly open: readonly OpenRequest[];
  readonly error: ErrorResult;
  /** How long it may take in all. */
  readonly withinMs?: number;
}

/**
 * Takes the dead kernel's place for a moment: listens on its addresses, to which clients connect again by
 * themselves, and tells those who wait for a reply. Resolves when they are told or the time is over.
 */
export async function giveDeathNotice(notice: DeathNotice): Promise<void> {
  const deadline = performance.now() + (notice.withinMs ?? 3000);
  const left = () => Math.max(0, deadline - performance.now());
  const connection = readConnectionFile(notice.connectionFile);
  const sockets = await retry(() => openSockets(connection), left);
  sockets.shell.mandatory = true; // a reply that reaches nobody is an error, and tried again
  const messenger = new Messenger(new Framing(connection), sockets, notice.error);
  const stopped = messenger.answerRequests();
  const told = (async () => {
    // a client that looks at its replies alone subscribes again only when it looks at the output
    const subscribed = messenger.subscribed();
    const isHeard = await within(SUBSCRIPTION_MS, subscribed);
    for (const [i, request] of notice.open.entries()) {
      if (isHeard && i === 0) await messenger.publishError(request);
      await retry(() => messenger.reply(request, i === 0), left).catch(() => {}); // this client does not come back
      if (isHeard) await messenger.publishIdle(request);
    }
    if (!isHeard) {
      await subscribed;
      for (const [i, request] of notice.open.entries()) {
        if (i === 0) await messenger.publishError(request);
        await messenger.publishIdle(request);
      }
    }
    await pause(200); // for who comes back a little later, and for the last bytes
  })();
  await within(left(), Promise.race([told, stopped]));
  sockets.close();
  await pause(50);
}

/** How long the replies wait for a client that hears the error. */
const SUBSCRIPTION_MS = 1000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function retry<T>(work: () => Promise<T>, leftMs: () => number): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (leftMs() < 50) throw error;
      await pause(50);
    }
  }
}

/** Sends in the dead kernel's name. */
class Messenger {
  constructor(
    readonly framing: Framing,
    readonly sockets: KernelSockets,
    readonly error: ErrorResult,
  ) {}

  /** Resolves a moment after the first client subscribed again. */
  async subscribed(): Promise<void> {
    for await (const [frame] of this.sockets.iopub) if (frame?.[0] === 1) break;
    await pause(100);
  }

  /** New cells fail as the one at work did. Resolves when a client asks the kernel to end. */
  async answerRequests(): Promise<void> {
    const isShutdown = async (socket: Router) => {
      for await (const frames of socket) {
        const request = this.#decode(frames);
        if (request?.header.msg_type === 'execute_request') await this.fail(request).catch(() => {});
        if (request?.header.msg_type === 'shutdown_request') {
          const restart = request.content['restart'] === true;
          return this.#reply(socket, request, 'shutdown_reply', { status: 'ok', restart });
        }
      }
    };
    void (async () => {
      for await (const frames of this.sockets.hb) await this.sockets.hb.send(frames);
    })().catch(() => {});
    await Promise.race([isShutdown(this.sockets.shell), isShutdown(this.sockets.control)]);
  }

  #decode(frames: Buffer[]): IncomingMessage | undefined {
    try {
      return this.framing.decode(frames);
    } catch {
      return undefined;
    }
  }

  async fail(request: OpenRequest): Promise<void> {
    await this.publishError(request);
    await this.reply(request, true);
    await this.publishIdle(request);
  }

  /** @param wasAtWork else the request waited behind the one at work */
  async reply(request: OpenRequest, wasAtWork: boolean): Promise<void> {
    const content = wasAtWork
      ? { status: 'error', ...this.#error(), payload: [], user_expressions: {} }
      : { status: 'aborted' };
    await this.#reply(this.sockets.shell, request, 'execute_reply', content);
  }

  publishError(request: OpenRequest): Promise<void> {
    return this.#publish(request, 'error', this.#error());
  }

  publishIdle(request: OpenRequest): Promise<void> {
    return this.#publish(request, 'status', { execution_state: 'idle' });
  }

  #error(): Content {
    const { ename, evalue, traceback } = this.error;
    return { ename, evalue, traceback };
  }

  async #publish(request: OpenRequest, type: string, content: Content): Promise<void> {
    await send(this.sockets.iopub, this.framing, [`kernel.${type}`], type, content, request);
  }

  async #reply(socket: Router, request: OpenRequest, type: string, content: Content): Promise<void> {
    await send(socket, this.framing, request.identities, type, content, request);
  }
}

async function send(
  socket: XPublisher | Router,
  framing: Framing,
  identities: readonly (Buffer | string)[],
  type: string,
  content: Content,
  { header }: OpenRequest,
): Promise<void> {
  await socket.send(framing.encode({ identities, type, content, parent: header }));
}
