import { setTimeout as sleep } from 'node:timers/promises';
import { RunError, StoppedError, type GondwanaError } from '../../errors.js';
import { kernelDied, type RunningKernel } from '../../kernel/client/kernel-process.js';
import type { IncomingMessage } from '../../kernel/client/client.js';
import type { CodeCell } from './format.js';
import type { OutputRecorder } from './outputs.js';

export interface RequestOptions {
  /** Name of the kernel, for errors. */
  readonly kernelName: string;
  /** Go on after a cell that fails; default false. */
  readonly allowErrors?: boolean;
  /** Seconds that one cell may take; default without limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Interrupts the cell at work and ends the execution. */
  readonly signal?: AbortSignal;
  /** A thing that is no failure and that the user should know. */
  readonly onNotice?: (text: string) => void;
}

/** The kernel's reply, or why there is none that counts. */
export type CellOutcome = { readonly reply: IncomingMessage } | { readonly stopped: GondwanaError };

/** After its reply, a cell's last outputs must follow within this silence. */
const IDLE_WITHIN_MS = 4000;
/** For a cell to end that was interrupted; less than what is left to a command after Ctrl-C. */
const INTERRUPTED_WITHIN_MS = 8000;
/** For what a dying kernel said last to arrive. */
const LAST_WORDS_MS = 100;

/** Asks the kernel to run a cell and waits until it is through. Never throws. */
export async function requestCell(
  cell: CodeCell,
  kernel: RunningKernel,
  recorder: OutputRecorder,
  options: RequestOptions,
): Promise<CellOutcome> {
  const content = {
    code: cell.source,
    silent: false,
    store_history: true,
    user_expressions: {},
    allow_stdin: false,
    stop_on_error: options.allowErrors !== true,
  };
  const id = kernel.client.send('shell', 'execute_request', content, { metadata: { cellId: cell.id } });
  recorder.follow(id, cell);
  const answers = watchAnswers(kernel, id);
  try {
    const outcome = await replyOrStop(answers.reply, kernel, options);
    if (answers.hasReply() && !(await answers.isIdle())) {
      options.onNotice?.(
        'The kernel did not say that it was through: the last outputs of this cell may be missing.',
      );
    }
    return outcome;
  } finally {
    answers.stop();
  }
}

interface Answers {
  readonly reply: Promise<IncomingMessage>;
  hasReply(): boolean;
  /** Waits until the kernel has said all about the request; false where it falls silent before. */
  isIdle(): Promise<boolean>;
  stop(): void;
}

function watchAnswers({ client }: RunningKernel, id: string): Answers {
  let heardAt = performance.now();
  let hasReply = false;
  let toReply: (message: IncomingMessage) => void;
  let toIdle: () => void;
  const reply = new Promise<IncomingMessage>((resolve) => (toReply = resolve));
  const idle = new Promise<true>((resolve) => (toIdle = () => resolve(true)));
  const stop = client.onMessage((message, channel) => {
    if (message.parentHeader.msg_id !== id) return;
    heardAt = performance.now();
    const { msg_type: type } = message.header;
    if (channel === 'shell') {
      hasReply = true;
      toReply(message);
    }
    if (type === 'status' && message.content.execution_state === 'idle') toIdle();
  });
  return {
    reply,
    hasReply: () => hasReply,
    async isIdle() {
      for (;;) {
        const left = IDLE_WITHIN_MS - (performance.now() - heardAt);
        if (left <= 0) return false;
        const waiting = new AbortController();
        const silence = sleep(left, false, { signal: waiting.signal }).catch(() => false);
        if (await Promise.race([idle, silence])) {
          waiting.abort();
          return true;
        }
      }
    },
    stop,
  };
}

/** Whatever comes first: the reply; the kernel's end; and after a stop or time-out the end of the interrupted cell. */
function replyOrStop(
  reply: Promise<IncomingMessage>,
  kernel: RunningKernel,
  { kernelName, timeoutSeconds, signal }: RequestOptions,
): Promise<CellOutcome> {
  let stopped: GondwanaError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  const outcome = new Promise<CellOutcome>((resolve) => {
    const interrupt = (reason: GondwanaError): void => {
      if (stopped) return;
      stopped = reason;
      clearTimeout(timer);
      timer = setTimeout(() => resolve({ stopped: reason }), INTERRUPTED_WITHIN_MS);
      kernel.interrupt();
    };
    void reply.then((message) => resolve(stopped ? { stopped } : { reply: message }));
    void kernel.exited.then(async (exit) => {
      await sleep(LAST_WORDS_MS);
      resolve({ stopped: stopped ?? kernelDied(kernelName, exit) });
    });
    if (timeoutSeconds !== undefined) {
      timer = setTimeout(() => interrupt(timedOut(timeoutSeconds)), timeoutSeconds * 1000);
    }
    onAbort = () =>
      interrupt(new StoppedError('Stopped.', { hint: 'The same command starts the notebook anew.' }));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  return outcome.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
}

const timedOut = (seconds: number): RunError =>
  new RunError('CELL_TIMEOUT', `A cell took longer than ${seconds} s and was interrupted.`, {
    hint: 'Raise --timeout, or give the notebook less to do.',
  });
