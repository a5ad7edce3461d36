import { createProgress, streamTarget } from '../display/progress.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import type { CommandContext } from './command.js';

/** Runs a download with a progress bar on stderr. @throws what `fetch` throws */
export async function fetchWithProgress<T>(
  { signal, stderr, notices }: CommandContext,
  title: string,
  fetch: (options: FetchFilesOptions) => Promise<T>,
): Promise<T> {
  const view = createProgress(streamTarget(stderr), { title });
  // in a terminal the bar's line is unfinished: a notice takes its place, and the next drawing goes below
  const clear = stderr.isTTY ? '\r\u001b[2K' : '';
  const giveBack = notices.takeOver((text) => void stderr.write(`${clear}${text}\n`));
  try {
    const result = await fetch({ signal, onProgress: (share, what) => view.update(share, what) });
    view.finish();
    return result;
  } catch (error) {
    stderr.write(clear);
    throw error;
  } finally {
    giveBack();
  }
}
