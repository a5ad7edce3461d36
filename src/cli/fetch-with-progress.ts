import { createProgress, streamTarget } from '../display/progress.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import type { CommandContext } from './command.js';

/** Runs a download with a progress bar on stderr. @throws what `fetch` throws */
export async function fetchWithProgress<T>(
  { signal, stderr }: CommandContext,
  title: string,
  fetch: (options: FetchFilesOptions) => Promise<T>,
): Promise<T> {
  const view = createProgress(streamTarget(stderr), { title });
  const result = await fetch({ signal, onProgress: (share, what) => view.update(share, what) });
  view.finish();
  return result;
}
