import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Reply, Router, XPublisher } from 'zeromq';
import { InputError, RunError } from '../../errors.js';
import { channelAddress, channelNames, type ChannelName, type Connection } from './connection.js';

/** The five sockets of a kernel, bound to the addresses of the connection file and to nothing else. */
export interface KernelSockets {
  readonly shell: Router;
  readonly control: Router;
  readonly stdin: Router;
  readonly iopub: XPublisher;
  readonly hb: Reply;
  /** Stops listening; what was handed over is still sent, for at most a second. */
  close(): void;
}

/**
 * @throws InputError `CONNECTION_FILE_ADDRESS` where an address cannot be listened on; RunError
 *   `CURVE_UNAVAILABLE` where encryption is asked for and this build of ZeroMQ has none
 */
export async function openSockets(connection: Connection): Promise<KernelSockets> {
  const zmq = await import('zeromq');
  if (connection.curve && !zmq.capability.curve) {
    throw new RunError(
      'CURVE_UNAVAILABLE',
      'The connection file asks for encryption, and this ZeroMQ has none',
      {
        where: `zeromq ${zmq.version}`,
        hint: 'set transport_encryption of the kernel manager to "disabled", or use the transport ipc',
      },
    );
  }
  // no limit to what waits for a slow reader: a message that is dropped is output that is lost
  const options = { linger: 1000, sendHighWaterMark: 0, ipv6: connection.ip.includes(':') };
  const router = { ...options, handover: true }; // a client that comes back is the same client
  const sockets = {
    // all subscriptions are told, so that a second client is welcomed too
    iopub: new zmq.XPublisher({ ...options, verbosity: 'allSubs' }),
    shell: new zmq.Router(router),
    control: new zmq.Router(router),
    stdin: new zmq.Router(router),
    hb: new zmq.Reply({ linger: 0, ipv6: options.ipv6 }),
  };
  const close = () => Object.values(sockets).forEach((socket) => socket.close());
  try {
    const resolved = await withAddress(connection);
    for (const channel of channelNames) {
      const socket = sockets[channel];
      if (connection.curve) {
        socket.curveServer = true;
        socket.curvePublicKey = connection.curve.publicKey;
        socket.curveSecretKey = connection.curve.secretKey;
      }
      await bind(socket, resolved, channel);
    }
  } catch (error) {
    close();
    throw error;
  }
  return { ...sockets, close };
}

/** ZeroMQ listens on numbers and names of interfaces only: the name of a host is looked up. */
async function withAddress(connection: Connection): Promise<Connection> {
  const { ip, transport } = connection;
  if (transport === 'ipc' || ip === '*' || isIP(ip.replace(/^\[|\]$/g, '')) !== 0) return connection;
  const found = await lookup(ip).catch(() => undefined);
  return found ? { ...connection, ip: found.address } : connection;
}

/** How long a kernel that was killed may take to let go of the addresses, which a restart uses again. */
const PREDECESSOR_MS = 1000;

async function bind(
  socket: { bind(address: string): Promise<void> },
  connection: Connection,
  channel: ChannelName,
): Promise<void> {
  const address = channelAddress(connection, channel);
  const end = performance.now() + PREDECESSOR_MS;
  for (;;) {
    try {
      return await socket.bind(address);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || performance.now() > end) {
        throw new InputError(
          'CONNECTION_FILE_ADDRESS',
          `The kernel cannot listen on the ${channel} address of the connection file: ${message}`,
          { where: address, hint: hints[code ?? ''] ?? hints['EADDRINUSE']!, cause },
        );
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const hints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: start the kernel again, Jupyter chooses other ports',
  EADDRNOTAVAIL: 'this machine does not have the address: correct KernelManager.ip of Jupyter',
  ENODEV: 'this machine does not have the address: correct KernelManager.ip of Jupyter',
  EACCES: 'this user may not listen there: choose ports above 1023, or a folder that can be written to',
  ENAMETOOLONG: 'the path is too long for a socket (about 100 characters): choose a shorter runtime folder',
  ENOENT: 'the folder of the sockets does not exist: make it, or correct KernelManager.ip of Jupyter',
};
