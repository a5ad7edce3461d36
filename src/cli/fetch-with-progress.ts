import { createProgress, streamTarget } from '../display/progress.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import type { CommandContext } from './command.js';

/** Runs a download with a progress bar on stderr. @throws what `fetch` throws */
export const fetchWithProgress = <T>(
  context: CommandContext,
  title: string,
  fetch: (options: FetchFilesOptions) => Promise<T>,
): Promise<T> => withProgress(context, title, (onProgress) => fetch({ signal: context.signal, onProgress }));

/** Runs work that reports its share, 0 … 1, with a bar on stderr. @throws what `work` throws */
export async function withProgress<T>(
  { stderr, notices }: CommandContext,
  title: string,
  work: (onProgress: (share: number, what: string) => void) => Promise<T>,
): Promise<T> {
  const view = createProgress(streamTarget(stderr), { title });
  // in a terminal the bar's line is unfinished: a notice takes its place, and the next drawing goes below
  const clear = stderr.isTTY ? '\r\u001b[2K' : '';
  const giveBack = notices.takeOver((text) => void stderr.write(`${clear}${text}\n`));
  try {
    const result = await work((share, what) => view.update(share, what));
    view.finish();
    return result;
  } catch (error) {
    stderr.write(clear);
    throw error;
  } finally {
    giveBack();
  }
}
