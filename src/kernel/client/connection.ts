import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { channelNames, parseConnection, type Connection } from '../wire/connection.js';

/** A connection file that only this user can read, in a folder of its own. */
export interface ConnectionFile {
  readonly file: string;
  readonly connection: Connection;
  remove(): Promise<void>;
}

/** Makes a connection file with ports of the loop-back address that nobody listens on, and a fresh key. */
export async function makeConnectionFile(kernelName: string): Promise<ConnectionFile> {
  const ports = await freePorts(channelNames.length);
  const content = {
    transport: 'tcp',
    ip: '127.0.0.1',
    ...Object.fromEntries(channelNames.map((name, i) => [`${name}_port`, ports[i]])),
    key: randomBytes(32).toString('hex'),
    signature_scheme: 'hmac-sha256',
    kernel_name: kernelName,
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'gondwana-kernel-'));
  const file = path.join(folder, 'connection.json');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(file, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { file, connection: parseConnection(content, file), remove };
}

/** All are held open until the last is known, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const listen = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
