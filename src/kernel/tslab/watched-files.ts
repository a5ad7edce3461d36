import type * as TS from '@tslab/typescript-for-tslab';
import { stampOf } from '../modules/stamp.js';
import type { TypeScript } from './package.js';

/**
 * Files of the user's that a cell may have imported. TypeScript's own watchers would tell of an edit only once the
 * thread is idle, which may be after the next cell; so the files are looked at before each cell.
 */
export class WatchedFiles {
  readonly #files = new Map<string, { readonly changed: TS.FileWatcherCallback; stamp: string }>();

  watch(file: string, changed: TS.FileWatcherCallback): TS.FileWatcher {
    if (file.includes('/node_modules/') || /\/lib\.[\w.]*d\.ts$/.test(file)) return { close() {} };
    this.#files.set(file, { changed, stamp: stampOf(file) });
    return { close: () => void this.#files.delete(file) };
  }

  /**
   * Tells TypeScript of edits since the last time.
   * @returns true where a file came or went
   */
  noticeEdits({ FileWatcherEventKind: kinds }: TypeScript): boolean {
    let isOtherSet = false;
    for (const [file, entry] of [...this.#files]) {
      const stamp = stampOf(file);
      if (stamp === entry.stamp) continue;
      const isGone = stamp === 'missing';
      const isNew = entry.stamp === 'missing';
      isOtherSet ||= isGone || isNew;
      entry.stamp = stamp;
      entry.changed(file, isGone ? kinds.Deleted : isNew ? kinds.Created : kinds.Changed);
    }
    return isOtherSet;
  }
}
