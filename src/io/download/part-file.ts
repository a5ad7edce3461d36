import { open, readFile, rename, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { writeFileAtomic } from '../atomic-file.js';

/** What a started download must find again to go on. */
export interface PartState {
  readonly url: string;
  /** Strong validators of the content, for `If-Range`; null: the host gave none, and the download starts anew. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Bytes of the whole file; null: not said. */
  readonly total: number | null;
}

/** `FILE.part` with `FILE.part.json` beside it: a download that is not whole yet. It is kept until it is. */
export class PartFile {
  readonly path: string;
  private readonly statePath: string;

  constructor(private readonly file: string) {
    this.path = `${file}.part`;
    this.statePath = `${this.path}.json`;
  }

  /** Bytes that are there and their state; none where they belong to another address or cannot be continued. */
  async resumable(url: string): Promise<{ readonly bytes: number; readonly state: PartState } | undefined> {
    const state = await this.readState();
    if (state?.url !== url || (state.etag === null && state.lastModified === null)) return undefined;
    const bytes = await stat(this.path).then(
      ({ size }) => size,
      () => 0,
    );
    return bytes > 0 ? { bytes, state } : undefined;
  }

  /** Empties the part and notes what it will be. */
  async begin(state: PartState): Promise<void> {
    await rm(this.path, { force: true });
    await writeFileAtomic(this.statePath, `${JSON.stringify(state)}\n`);
    await (await open(this.path, 'wx')).close();
  }

  /** Opened for writing behind `bytes`; what lies beyond is cut. */
  async continueAt(bytes: number): Promise<FileHandle> {
    await truncate(this.path, bytes);
    return open(this.path, 'a');
  }

  async size(): Promise<number> {
    return (await stat(this.path)).size;
  }

  /** The part takes the file's name. */
  async finish(): Promise<void> {
    const handle = await open(this.path, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(this.path, this.file);
    await rm(this.statePath, { force: true });
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.statePath, { force: true });
  }

  private async readState(): Promise<PartState | undefined> {
    try {
      const { url, etag, lastModified, total } = JSON.parse(
        await readFile(this.statePath, 'utf8'),
      ) as PartState;
      const isText = (value: unknown): boolean => value === null || typeof value === 'string';
      const isWhole = typeof url === 'string' && isText(etag) && isText(lastModified);
      return isWhole && (total === null || Number.isSafeInteger(total))
        ? { url, etag, lastModified, total }
        : undefined;
    } catch {
      return undefined; // none, or damaged: the download starts anew
    }
  }
}
