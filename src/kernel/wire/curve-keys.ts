import { createPrivateKey, createPublicKey } from 'node:crypto';

/** Digits of Z85, ZeroMQ's text form of binary keys (RFC 32). */
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';

export function isCurveKey(value: unknown): value is string {
  return typeof value === 'string' && value.length === 40 && decodeZ85(value) !== undefined;
}

/** @returns undefined where a character is none of Z85, or a group is larger than 32 bits */
export function decodeZ85(text: string): Buffer | undefined {
  const bytes = Buffer.alloc((text.length / 5) * 4);
  for (let group = 0; group * 5 < text.length; group++) {
    let value = 0;
    for (const character of text.slice(group * 5, group * 5 + 5)) {
      const digit = DIGITS.indexOf(character);
      if (digit === -1) return undefined;
      value = value * 85 + digit;
    }
    if (value > 0xffff_ffff) return undefined;
    bytes.writeUInt32BE(value, group * 4);
  }
  return bytes;
}

/** @param bytes a multiple of four */
export function encodeZ85(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += 4) {
    let value = view.getUint32(at);
    let group = '';
    for (let i = 0; i < 5; i++) {
      group = DIGITS[value % 85]! + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}

/** Prefix of an X25519 private key in PKCS 8; the 32 bytes of the key follow. */
const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The public half of a CurveZMQ secret key, both in Z85: CurveZMQ's keys are X25519. */
export function curvePublicKey(secretKey: string): string {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_X25519, decodeZ85(secretKey)!]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return encodeZ85(spki.subarray(-32));
}
