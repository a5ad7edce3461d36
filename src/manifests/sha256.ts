import { createHash } from 'node:crypto';

/** Hexadecimal digest. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');
