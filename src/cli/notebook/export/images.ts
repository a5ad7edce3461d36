import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bundle } from '../format.js';

/** Kinds of images that browsers show, and the ending of their files. */
export const imageEndings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
};

/** Larger images make a page that opens slowly; they stay where they are. */
const LARGEST_BYTES = 32 * 1024 * 1024;

/** Bytes of an image in a bundle: base64, but for SVG, which is text. */
export const imageBytes = (mime: string, value: unknown): Uint8Array =>
  Buffer.from(String(value), mime === 'image/svg+xml' ? 'utf8' : 'base64');

/** An image as an address that holds it. */
export const dataAddress = (mime: string, bytes: Uint8Array): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`;

/** The image of a bundle that shows everywhere, or undefined. */
export function imageOf(
  data: Bundle,
  order: readonly string[],
): { mime: string; bytes: Uint8Array } | undefined {
  const mime = order.find((candidate) => typeof data[candidate] === 'string');
  return mime === undefined ? undefined : { mime, bytes: imageBytes(mime, data[mime]) };
}

export const isRemote = (address: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);

/**
 * Addresses of a Markdown cell's images as data that the page holds: attachments, and files beside the notebook.
 * @returns for an address undefined where its image is not there, is remote, or is none
 */
export function imageReader(
  folder: string,
  attachments: Readonly<Record<string, Bundle>> = {},
): (address: string) => string | undefined {
  return (address) => {
    if (/^data:image\//i.test(address)) return address;
    const attached = /^attachment:(.+)$/.exec(address)?.[1];
    if (attached !== undefined) {
      const image = imageOf(attachments[decode(attached)] ?? {}, Object.keys(imageEndings));
      return image && dataAddress(image.mime, image.bytes);
    }
    const isFile = address.startsWith('file:');
    if (!isFile && isRemote(address)) return undefined;
    try {
      const file = isFile
        ? fileURLToPath(address)
        : path.resolve(folder, decode(address.replace(/[?#].*$/, '')));
      const ending = path.extname(file).slice(1).toLowerCase().replace('jpeg', 'jpg');
      const mime = Object.keys(imageEndings).find((candidate) => imageEndings[candidate] === ending);
      const found = statSync(file);
      if (mime === undefined || !found.isFile() || found.size > LARGEST_BYTES) return undefined;
      return dataAddress(mime, readFileSync(file));
    } catch {
      return undefined; // the page says its alternative text
    }
  };
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
