/** Turns Ctrl-C and SIGTERM into an AbortSignal. */
export interface SignalWatch {
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * npm passes a Ctrl-C of the terminal on to a program that has received it already. Signals this
 * close to the first one count as the same.
 */
const SAME_PRESS_MS = 500;

/**
 * The first signal asks to stop: what is finished is kept. A second one, later, ends the process at once.
 * @param say told once, when the first signal comes
 */
export function watchSignals(
  say: (text: string) => void,
  now = (): number => performance.now(),
): SignalWatch {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = now();
      say('Stopping: finished runs are kept. Once more ends at once.');
      controller.abort();
    } else if (now() - firstAt > SAME_PRESS_MS) {
      process.exit(130);
    }
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop() {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
