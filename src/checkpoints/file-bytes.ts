import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readError } from '../io/file-errors.js';
import { requireFileSync } from '../io/regular-file.js';
import { malformed } from './checkpoint-error.js';
import { closedError } from './tensor-entry.js';

/** An open file that is read in places. */
export class FileBytes {
  private isOpen = true;
  private constructor(
    readonly path: string,
    readonly fd: number,
    readonly size: number,
  ) {}

  /** @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE */
  static open(file: string): FileBytes {
    try {
      requireFileSync(file);
      const fd = openSync(file, 'r');
      const found = fstatSync(fd);
      if (found.isFile()) return new FileBytes(file, fd, found.size);
      closeSync(fd);
      throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    } catch (cause) {
      throw readError(cause, file);
    }
  }

  /** Bytes [start, start + length); never fewer. */
  read(start: number, length: number): Uint8Array {
    if (!this.isOpen) throw closedError(this.path);
    if (start + length > this.size) {
      throw malformed(
        this.path,
        `Bytes ${start} to ${start + length} are wanted; the file has ${this.size}.`,
      );
    }
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      const count = readSync(this.fd, bytes, done, Math.min(length - done, 2 ** 30), start + done);
      if (count === 0) throw malformed(this.path, 'The file became shorter while it was read.');
      done += count;
    }
    return bytes;
  }

  close(): void {
    if (this.isOpen) closeSync(this.fd);
    this.isOpen = false;
  }
}
