import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Content } from '../protocol.js';
import type { Connection } from './connection.js';

/** The version of Jupyter's protocol that the kernel speaks. */
export const PROTOCOL_VERSION = '5.5';

const DELIMITER = Buffer.from('<IDS|MSG>');

export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
}

/** A message that came, checked. */
export interface IncomingMessage {
  /** Frames that lead a reply back to who asked. */
  readonly identities: readonly Buffer[];
  readonly header: Header;
  readonly parentHeader: Partial<Header>;
  readonly metadata: Content;
  readonly content: Content;
  readonly buffers: readonly Buffer[];
}

export interface OutgoingMessage {
  readonly identities: readonly (Buffer | string)[];
  readonly type: string;
  readonly content: Content;
  /** Header of the message that this one answers. */
  readonly parent?: Partial<Header>;
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
}

/** A message that cannot be used; `reason` says why in a few words. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** How many signatures are remembered, so that a message recorded on the way is not taken twice. */
const REMEMBERED_SIGNATURES = 65_536;

/** Signs, checks, frames and unframes messages of one connection. */
export class Framing {
  /** Id of this life of the kernel, in every header. */
  readonly session = randomUUID();
  readonly #key: string;
  readonly #digest: string;
  readonly #seen = new Set<string>();

  constructor({ key, digest }: Pick<Connection, 'key' | 'digest'>) {
    this.#key = key;
    this.#digest = digest;
  }

  #sign(parts: readonly (string | Buffer)[]): string {
    if (this.#key === '') return '';
    const hmac = createHmac(this.#digest, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  }

  /** The header of a new message. */
  header(type: string): Header {
    return {
      msg_id: randomUUID(),
      msg_type: type,
      session: this.session,
      username: 'kernel',
      date: new Date().toISOString(),
      version: PROTOCOL_VERSION,
    };
  }

  encode(message: OutgoingMessage, header = this.header(message.type)): (Buffer | string)[] {
    const parts = [header, message.parent ?? {}, message.metadata ?? {}, message.content].map((part) =>
      JSON.stringify(part),
    );
    const buffers = (message.buffers ?? []).map((bytes) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    return [...message.identities, DELIMITER, this.#sign(parts), ...parts, ...buffers];
  }

  /** @throws MalformedMessage where the frames have another form, a wrong signature or one that was used before */
  decode(frames: readonly Buffer[]): IncomingMessage {
    const at = frames.findIndex((frame) => frame.equals(DELIMITER));
    if (at === -1) throw new MalformedMessage('no delimiter <IDS|MSG>');
    const signature = frames[at + 1];
    const parts = frames.slice(at + 2, at + 6);
    if (signature === undefined || parts.length < 4) {
      throw new MalformedMessage(
        `${Math.max(0, frames.length - at - 1)} frames instead of 5 after the delimiter`,
      );
    }
    this.#verify(signature, parts);
    const [header, parentHeader, metadata, content] = parts.map((part, i) => object(part, partNames[i]!));
    return {
      identities: frames.slice(0, at),
      header: checkedHeader(header!),
      parentHeader: parentHeader!,
      metadata: metadata!,
      content: content!,
      buffers: frames.slice(at + 6),
    };
  }

  #verify(signature: Buffer, parts: readonly Buffer[]): void {
    if (this.#key === '') return;
    const expected = Buffer.from(this.#sign(parts));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      throw new MalformedMessage(
        'wrong signature (HMAC): the sender has another key than the connection file',
      );
    }
    const text = signature.toString('latin1');
    if (this.#seen.has(text)) throw new MalformedMessage('a signature that was used before');
    this.#seen.add(text);
    if (this.#seen.size > REMEMBERED_SIGNATURES) {
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        if (this.#seen.size <= REMEMBERED_SIGNATURES / 2) break;
      }
    }
  }
}

const partNames = ['header', 'parent_header', 'metadata', 'content'] as const;

function object(part: Buffer, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(part.toString('utf8'));
  } catch {
    throw new MalformedMessage(`${name} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedMessage(`${name} is no JSON object`);
  }
  return value as Record<string, unknown>;
}

function checkedHeader(header: Record<string, unknown>): Header {
  for (const field of ['msg_id', 'msg_type'] as const) {
    if (typeof header[field] !== 'string' || header[field] === '') {
      throw new MalformedMessage(`header.${field} is no text`);
    }
  }
  return header as unknown as Header;
}
