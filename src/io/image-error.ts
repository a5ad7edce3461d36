import { open } from 'node:fs/promises';
import { readError } from './file-errors.js';
import { emptyFile, tooLarge } from './format-error.js';
import { requireFile } from './regular-file.js';
import { SNIFF_BYTES } from './sniff.js';

/** Images above this many bytes once decoded are refused before anything is allocated. */
export const MAX_IMAGE_BYTES = 4 * 2 ** 30;
/** PNG and JPEG files are read as a whole; larger ones are refused. */
export const MAX_IMAGE_FILE_BYTES = 512 * 2 ** 20;

export interface ImageHead {
  /** First bytes, as many as there are. */
  readonly head: Uint8Array;
  /** Bytes of the whole file. */
  readonly size: number;
}

/** First bytes of an image file. @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, EMPTY_FILE */
export async function readImageHead(file: string): Promise<ImageHead> {
  const head = new Uint8Array(SNIFF_BYTES);
  try {
    await requireFile(file);
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size === 0) throw emptyFile(file);
      const { bytesRead } = await handle.read(head, 0, head.length, 0);
      return { head: head.subarray(0, bytesRead), size };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw readError(cause, file);
  }
}

/** @throws InputError TOO_LARGE */
export function refuseHugeImage(
  file: string,
  height: number,
  width: number,
  bands: number,
  sampleBytes: number,
): void {
  const bytes = height * width * bands * sampleBytes;
  if (Number.isSafeInteger(bytes) && bytes <= MAX_IMAGE_BYTES) return;
  throw tooLarge(
    file,
    `The image claims ${height} × ${width} pixels with ${bands} bands; at most ${MAX_IMAGE_BYTES / 2 ** 30} GiB are read at once.`,
    'Check that the file is whole and is what it says.',
  );
}
