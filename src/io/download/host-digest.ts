/** A digest that the release or its host states of a file, hexadecimal. */
export interface StatedDigest {
  readonly algorithm: 'sha256' | 'md5';
  readonly hex: string;
  readonly by: 'manifest' | 'host';
}

/**
 * What the answer of a host says of the whole file's content: RFC 9530 `Repr-Digest`, Google's `x-goog-hash`, and
 * `x-linked-etag`, which is the sha256 where large files are stored apart. An ordinary `ETag` says nothing of the content.
 */
export function hostDigest(headers: Headers): StatedDigest | undefined {
  const ofRepresentation = /\bsha-256=:([A-Za-z0-9+/=]+):/i.exec(headers.get('repr-digest') ?? '')?.[1];
  if (ofRepresentation !== undefined) return digest('sha256', fromBase64(ofRepresentation));
  const linked = /^"?([0-9a-f]{64})"?$/i.exec(headers.get('x-linked-etag') ?? '')?.[1];
  if (linked !== undefined) return digest('sha256', linked);
  const google = /\bmd5=([A-Za-z0-9+/=]+)/.exec(headers.get('x-goog-hash') ?? '')?.[1];
  return google === undefined ? undefined : digest('md5', fromBase64(google));
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('hex');

function digest(algorithm: StatedDigest['algorithm'], hex: string): StatedDigest | undefined {
  const isWhole = hex.length === (algorithm === 'md5' ? 32 : 64);
  return isWhole ? { algorithm, hex: hex.toLowerCase(), by: 'host' } : undefined;
}
