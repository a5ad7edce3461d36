import { createHmac, randomUUID } from 'node:crypto';

/** The client's own framing of messages, written apart from the kernel's, so that one checks the other. */

export type Content = Record<string, unknown>;

export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session?: string;
  readonly username?: string;
  readonly date?: string;
  readonly version?: string;
}

export interface Message {
  /** Frames before the delimiter: the topic on iopub. */
  readonly topic: string;
  readonly type: string;
  readonly header: Header;
  readonly parent: Partial<Header>;
  readonly metadata: Content;
  readonly content: Content;
  readonly buffers: readonly Buffer[];
}

export interface Connection {
  readonly transport: 'tcp' | 'ipc';
  readonly ip: string;
  readonly key: string;
  readonly signature_scheme: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  readonly kernel_name?: string;
  readonly curve_publickey?: string;
  readonly curve_secretkey?: string;
}

const DELIMITER = '<IDS|MSG>';

export function sign(connection: Connection, parts: readonly (string | Buffer)[]): string {
  if (connection.key === '') return '';
  const hmac = createHmac(connection.signature_scheme.replace(/^hmac-/, ''), connection.key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

export interface Outgoing {
  readonly type: string;
  readonly content: Content;
  readonly session: string;
  readonly parent?: Partial<Header>;
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
}

/** Frames of a message and its id. */
export function pack(connection: Connection, message: Outgoing): { id: string; frames: (string | Buffer)[] } {
  const id = randomUUID();
  const header: Header = {
    msg_id: id,
    msg_type: message.type,
    session: message.session,
    username: 'test',
    date: new Date().toISOString(),
    version: '5.5',
  };
  const parts = [header, message.parent ?? {}, message.metadata ?? {}, message.content].map((part) =>
    JSON.stringify(part),
  );
  const buffers = (message.buffers ?? []).map((bytes) => Buffer.from(bytes));
  return { id, frames: [DELIMITER, sign(connection, parts), ...parts, ...buffers] };
}

/** @throws Error where the kernel's message has a wrong form or signature */
export function unpack(connection: Connection, frames: readonly Buffer[]): Message {
  const at = frames.findIndex((frame) => frame.toString() === DELIMITER);
  if (at === -1) throw new Error('The kernel sent a message without a delimiter.');
  const signature = frames[at + 1]!.toString();
  const parts = frames.slice(at + 2, at + 6);
  if (parts.length < 4) throw new Error(`The kernel sent a message of ${parts.length} parts.`);
  if (signature !== sign(connection, parts)) throw new Error('The kernel sent a wrong signature.');
  const [header, parent, metadata, content] = parts.map((part) => JSON.parse(part.toString()) as Content) as [
    Content,
    Content,
    Content,
    Content,
  ];
  return {
    topic: frames
      .slice(0, at)
      .map((frame) => frame.toString())
      .join('/'),
    type: header['msg_type'] as string,
    header: header as unknown as Header,
    parent: parent as Partial<Header>,
    metadata,
    content,
    buffers: frames.slice(at + 6),
  };
}
