import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import * as zmq from 'zeromq';
import type { Connection } from './wire-format.js';

export const repository = path.resolve(import.meta.dirname, '../../..');

export interface KernelOptions {
  /** Program and arguments; `{connection_file}` and `{resource_dir}` (the kernelspec's folder) are filled in. */
  readonly argv?: readonly string[];
  /** Name of a folder of `kernels/`, instead of `argv`. */
  readonly spec?: string;
  /** Folder the kernel starts in. Default: the repository. */
  readonly cwd?: string;
  /** Added to the environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Changes of the connection file. */
  readonly connection?: Partial<Connection>;
  readonly transport?: 'tcp' | 'ipc';
  /** Encrypted by CurveZMQ, with keys made for this kernel. */
  readonly curve?: boolean;
  /** How long the kernel may take until it answers. Default 20 s. */
  readonly readyTimeoutMs?: number;
}

const channels = ['shell', 'iopub', 'stdin', 'control', 'hb'] as const;

/** Ports of 127.0.0.1 that nobody uses at this moment. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A connection as Jupyter makes one, in a folder of its own. */
export async function makeConnection(
  options: Pick<KernelOptions, 'transport' | 'connection' | 'curve'> = {},
): Promise<{ connection: Connection; file: string; remove: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-kernel-'));
  const isIpc = options.transport === 'ipc';
  const ports = isIpc ? [1, 2, 3, 4, 5] : await freePorts(5);
  const keys = options.curve ? zmq.curveKeyPair() : undefined;
  const connection = {
    transport: options.transport ?? 'tcp',
    ip: isIpc ? path.join(folder, 'socket') : '127.0.0.1',
    key: randomUUID(),
    signature_scheme: 'hmac-sha256',
    kernel_name: '',
    ...Object.fromEntries(channels.map((channel, i) => [`${channel}_port`, ports[i]])),
    ...(keys && { curve_publickey: keys.publicKey, curve_secretkey: keys.secretKey }),
    ...options.connection,
  } as unknown as Connection;
  const file = path.join(folder, 'connection.json');
  writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
  return { connection, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Address of a channel, as Jupyter's own client makes it. */
export function address(connection: Connection, channel: (typeof channels)[number]): string {
  const port = connection[`${channel}_port`];
  const separator = connection.transport === 'ipc' ? '-' : ':';
  return `${connection.transport}://${connection.ip}${separator}${port}`;
}

export interface KernelProcess {
  readonly child: ChildProcess;
  /** What the process wrote to its own stdout and stderr so far; no output of cells. */
  readonly log: () => string;
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts the program in a process group of its own, as Jupyter does. */
export function startProcess(options: KernelOptions, connectionFile: string): KernelProcess {
  let argv = options.argv;
  let specEnv: Record<string, string> = {};
  const folder = path.join(repository, 'kernels', options.spec ?? '');
  if (options.spec !== undefined) {
    const spec = JSON.parse(readFileSync(path.join(folder, 'kernel.json'), 'utf8')) as {
      argv: string[];
      env?: Record<string, string>;
    };
    argv = spec.argv;
    specEnv = spec.env ?? {};
  }
  if (argv === undefined) throw new Error('startKernel needs argv or spec.');
  const [program, ...args] = argv.map((word) =>
    word.replaceAll('{connection_file}', connectionFile).replaceAll('{resource_dir}', folder),
  );
  const env: NodeJS.ProcessEnv = { ...process.env, ...specEnv, ...options.env };
  for (const name of Object.keys(env)) {
    if (env[name] === undefined || name.startsWith('VITEST')) delete env[name];
  }
  const child = spawn(program === 'node' ? process.execPath : program!, args, {
    cwd: options.cwd ?? repository,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', (error) => {
      chunks.push(error.message);
      resolve({ code: 127, signal: null });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { child, log: () => chunks.join(''), exit };
}

/** Ends a process and all of its group, at once. */
export function killGroup(child: ChildProcess): void {
  for (const pid of child.pid === undefined ? [] : [-child.pid, child.pid]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }
}
