/** Turns Ctrl-C and SIGTERM into an AbortSignal. */
export interface SignalWatch {
  readonly signal: AbortSignal;
  /** The command ends by itself after a signal, however long that takes: no deadline, and further signals change nothing. */
  leaveToCommand(): void;
  stop(): void;
}

/**
 * npm passes a Ctrl-C of the terminal on to a program that has received it already. Signals this
 * close to the first one count as the same.
 */
const SAME_PRESS_MS = 500;

/** From the first signal on; whatever hangs then is left behind. */
const STOP_DEADLINE_MS = 15_000;

/**
 * The first signal asks to stop: what is finished is kept. A second one, later, ends the process at once, as does
 * the deadline: what does not end by itself must not hold the command.
 * @param say told once, when the first signal comes
 */
export function watchSignals(
  say: (text: string) => void,
  now = (): number => performance.now(),
  deadlineMs = STOP_DEADLINE_MS,
): SignalWatch {
  const controller = new AbortController();
  let firstAt: number | undefined;
  let deadline: NodeJS.Timeout | undefined;
  // of the process itself: a study that is being loaded has none
  const exit = process.exit.bind(process);
  let isLeft = false;
  const onSignal = (): void => {
    if (isLeft) {
      controller.abort();
    } else if (firstAt === undefined) {
      firstAt = now();
      say('Stopping: finished runs are kept. Once more ends at once.');
      deadline = setTimeout(() => exit(130), deadlineMs).unref();
      controller.abort();
    } else if (now() - firstAt > SAME_PRESS_MS) {
      exit(130);
    }
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    leaveToCommand() {
      isLeft = true;
    },
    stop() {
      clearTimeout(deadline);
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
