// Stands for what computes runs: a run begins, computes nothing, and does not end before it is told to.
export async function startComputing(_data, { signal, emit }) {
  return async ({ run, index, total }) => {
    emit({ type: 'run-started', run, index, total });
    await new Promise((resolve) => {
      const wait = setInterval(() => undefined, 1000);
      signal.addEventListener('abort', () => resolve(clearInterval(wait)), { once: true });
    });
    throw signal.reason;
  };
}
