import { open } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { readError } from './file-errors.js';
import { requireFile } from './regular-file.js';
import { describeImpostor, SNIFF_BYTES } from './sniff.js';

/** Images above this many bytes once decoded are refused before anything is allocated. */
export const MAX_IMAGE_BYTES = 4 * 2 ** 30;

export const unreadable = (file: string, reason: string, hint?: string, cause?: unknown): InputError =>
  new InputError('IMAGE_UNREADABLE', `The image cannot be read: ${reason}`, {
    where: file,
    hint: hint ?? 'Open it in an image viewer; if it fails there too, fetch the file again.',
    cause,
  });

/**
 * First bytes of an image file. @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, and IMAGE_UNREADABLE for an empty
 * file or one that is plainly something else
 */
export async function readImageHead(file: string): Promise<Uint8Array> {
  const head = new Uint8Array(SNIFF_BYTES);
  try {
    await requireFile(file);
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const { bytesRead } = await handle.read(head, 0, head.length, 0);
      const impostor = describeImpostor(head.subarray(0, bytesRead), size);
      if (impostor) throw unreadable(file, lowerFirst(impostor.what), impostor.hint);
      return head.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw readError(cause, file);
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** @throws InputError IMAGE_TOO_LARGE */
export function refuseHugeImage(
  file: string,
  height: number,
  width: number,
  bands: number,
  sampleBytes: number,
): void {
  const bytes = height * width * bands * sampleBytes;
  if (Number.isSafeInteger(bytes) && bytes <= MAX_IMAGE_BYTES) return;
  throw new InputError(
    'IMAGE_TOO_LARGE',
    `The image claims ${height} × ${width} pixels with ${bands} bands.`,
    {
      where: file,
      hint: `At most ${MAX_IMAGE_BYTES / 2 ** 30} GiB are read at once; read a window of it, or check that the file is whole.`,
    },
  );
}
