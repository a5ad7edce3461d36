import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { InputError } from '../../errors.js';
import { curvePublicKey, isCurveKey } from './curve-keys.js';

export const channelNames = ['shell', 'iopub', 'stdin', 'control', 'hb'] as const;
export type ChannelName = (typeof channelNames)[number];

/** What the connection file says: where to listen, and how messages are signed and encrypted. */
export interface Connection {
  readonly transport: 'tcp' | 'ipc';
  /** Address for tcp; for ipc the path of the sockets without its `-PORT`. */
  readonly ip: string;
  readonly ports: Readonly<Record<ChannelName, number>>;
  /** Key of the signatures; empty: messages are not signed. */
  readonly key: string;
  /** Name of the hash as node:crypto knows it, `sha256`. */
  readonly digest: string;
  /** Where the file has both keys all sockets are encrypted by CurveZMQ. Z85, 40 characters each. */
  readonly curve?: { readonly publicKey: string; readonly secretKey: string };
}

/** No connection file is as large; what is larger is another file. */
const LARGEST_FILE = 1 << 20;

const START_ANEW = 'Jupyter writes this file when it starts a kernel: start the kernel from Jupyter';

/** @throws InputError `CONNECTION_FILE_*` that names the file and the field */
export function readConnectionFile(file: string): Connection {
  let value: unknown;
  const text = readText(file);
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError(
      'CONNECTION_FILE_JSON',
      `The connection file is not JSON: ${(cause as Error).message}`,
      {
        where: file,
        hint: START_ANEW,
        cause,
      },
    );
  }
  return parseConnection(value, file);
}

function readText(file: string): string {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > LARGEST_FILE) throw new Error(`it has ${stats.size} bytes`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const code = isMissing ? 'CONNECTION_FILE_MISSING' : 'CONNECTION_FILE_UNREADABLE';
    const message = isMissing
      ? 'There is no connection file of this name'
      : `The connection file cannot be read: ${(cause as Error).message}`;
    throw new InputError(code, message, { where: file || '(no name given)', hint: START_ANEW, cause });
  }
}

/** @throws InputError `CONNECTION_FILE_FIELDS`, `CONNECTION_FILE_SCHEME` or `CONNECTION_FILE_CURVE` */
export function parseConnection(value: unknown, file: string): Connection {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InputError('CONNECTION_FILE_FIELDS', 'The connection file holds no JSON object', {
      where: file,
      hint: START_ANEW,
    });
  }
  const fields = value as Record<string, unknown>;
  const transport = oneOf(fields, 'transport', ['tcp', 'ipc'] as const, file);
  const ip = text(fields, 'ip', file);
  if (ip === '' || ip.includes('\0')) throw wrong(file, 'ip', fields['ip'], 'an address, or a path for ipc');
  const curve = curveKeys(fields, file);
  return {
    transport,
    ip,
    ports: ports(fields, transport, file),
    key: text(fields, 'key', file, 'a text; "" for messages without signature'),
    digest: digest(fields, file),
    ...(curve && { curve }),
  };
}

function wrong(file: string, field: string, value: unknown, wanted: string): InputError {
  const shown = value === undefined ? 'is missing' : `is ${shorten(JSON.stringify(value))}`;
  return new InputError('CONNECTION_FILE_FIELDS', `"${field}" ${shown}; it has to be ${wanted}`, {
    where: `${file}, ${field}`,
    hint: START_ANEW,
  });
}

const shorten = (shown: string) => (shown.length > 60 ? `${shown.slice(0, 60)}…` : shown);

function text(fields: Record<string, unknown>, field: string, file: string, wanted = 'a text'): string {
  const value = fields[field];
  if (typeof value !== 'string') throw wrong(file, field, value, wanted);
  return value;
}

function oneOf<T extends string>(
  fields: Record<string, unknown>,
  field: string,
  known: readonly T[],
  file: string,
): T {
  const value = fields[field];
  if (!known.includes(value as T)) throw wrong(file, field, value, known.join(' or '));
  return value as T;
}

function ports(
  fields: Record<string, unknown>,
  transport: 'tcp' | 'ipc',
  file: string,
): Record<ChannelName, number> {
  const largest = transport === 'tcp' ? 65_535 : Number.MAX_SAFE_INTEGER;
  const owners = new Map<number, string>();
  const entries = channelNames.map((channel) => {
    const field = `${channel}_port`;
    const port = fields[field];
    if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > largest) {
      throw wrong(file, field, port, `a whole number from 1 to ${largest}`);
    }
    const owner = owners.get(port);
    if (owner !== undefined) throw wrong(file, field, port, `another port than that of ${owner}`);
    owners.set(port, field);
    return [channel, port] as const;
  });
  return Object.fromEntries(entries) as Record<ChannelName, number>;
}

function digest(fields: Record<string, unknown>, file: string): string {
  const scheme = fields['signature_scheme'] ?? 'hmac-sha256';
  const name = typeof scheme === 'string' ? /^hmac-([\w-]+)$/.exec(scheme)?.[1] : undefined;
  if (name !== undefined && canSign(name)) return name;
  throw new InputError(
    'CONNECTION_FILE_SCHEME',
    `"signature_scheme" is ${shorten(JSON.stringify(scheme))}: no such way to sign is known`,
    { where: `${file}, signature_scheme`, hint: 'set Session.signature_scheme of Jupyter to "hmac-sha256"' },
  );
}

function canSign(hash: string): boolean {
  try {
    createHmac(hash, 'key').update('text').digest();
    return true;
  } catch {
    return false;
  }
}

function curveKeys(fields: Record<string, unknown>, file: string): Connection['curve'] {
  const { curve_publickey: publicKey, curve_secretkey: secretKey } = fields;
  const isGiven = (key: unknown) => key !== undefined && key !== null;
  if (!isGiven(publicKey) && !isGiven(secretKey)) return undefined;
  const complain = (field: string, what: string) =>
    new InputError('CONNECTION_FILE_CURVE', `"${field}" ${what}`, {
      where: `${file}, ${field}`,
      hint: 'an encrypted connection needs both keys, 40 characters of Z85 each; without both it is not encrypted',
    });
  for (const field of ['curve_publickey', 'curve_secretkey'] as const) {
    if (!isGiven(fields[field])) throw complain(field, 'is missing beside the other key');
    if (!isCurveKey(fields[field])) throw complain(field, 'is no CurveZMQ key');
  }
  const keys = { publicKey: publicKey as string, secretKey: secretKey as string };
  if (curvePublicKey(keys.secretKey) !== keys.publicKey) {
    throw complain('curve_publickey', 'is not the public half of curve_secretkey');
  }
  return keys;
}

/** Address of a channel as ZeroMQ takes it. */
export function channelAddress({ transport, ip, ports }: Connection, channel: ChannelName): string {
  if (transport === 'ipc') return `ipc://${ip}-${ports[channel]}`;
  const host = ip.includes(':') && !ip.startsWith('[') ? `[${ip}]` : ip;
  return `tcp://${host}:${ports[channel]}`;
}
