import { userInfo } from 'node:os';
import type { Dealer, Subscriber } from 'zeromq';
import type { Content } from '../protocol.js';
import { channelAddress, type ChannelName, type Connection } from '../wire/connection.js';
import { Framing, MalformedMessage, type Header, type IncomingMessage } from '../wire/message.js';

export type { IncomingMessage } from '../wire/message.js';

export type RequestChannel = 'shell' | 'control' | 'stdin';
export type Channel = RequestChannel | 'iopub';

export interface RequestOptions {
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
  /** Header of the message that is answered; for `input_reply`. */
  readonly parent?: Partial<Header>;
}

/** The front end's side of a kernel's sockets. Messages that are not signed with its key are dropped. */
export interface KernelClient {
  /** Queues a message and returns its id. */
  send(channel: RequestChannel, type: string, content: Content, options?: RequestOptions): string;
  /** Sends and waits for the reply, for ever unless `signal` ends it. @throws the signal's reason */
  request(
    channel: RequestChannel,
    type: string,
    content: Content,
    options?: RequestOptions & { readonly signal?: AbortSignal },
  ): Promise<IncomingMessage>;
  /** Calls `listener` for every message, in the order in which a socket brings them. Returns how to stop. */
  onMessage(listener: (message: IncomingMessage, channel: Channel) => void): () => void;
  /** What is not sent yet is dropped. */
  close(): void;
}

/** Connects to a kernel that listens, or will. */
export async function connectClient(connection: Connection): Promise<KernelClient> {
  const zmq = await import('zeromq');
  const framing = new Framing(connection);
  const username = nameOfUser();
  const listeners = new Set<(message: IncomingMessage, channel: Channel) => void>();
  const connect = <S extends Dealer | Subscriber>(socket: S, channel: ChannelName): S => {
    socket.connect(channelAddress(connection, channel));
    return socket;
  };
  const dealer = (channel: RequestChannel): Dealer =>
    // one identity on all three: the kernel finds the way back to who asked
    connect(new zmq.Dealer({ linger: 0, routingId: framing.session }), channel);
  const sockets = { shell: dealer('shell'), control: dealer('control'), stdin: dealer('stdin') };
  // a subscriber that falls behind must not lose output
  const iopub = connect(new zmq.Subscriber({ linger: 0, receiveHighWaterMark: 0 }), 'iopub');
  iopub.subscribe();

  const receive = async (channel: Channel, socket: Dealer | Subscriber): Promise<void> => {
    try {
      for await (const frames of socket) {
        const message = decode(framing, frames);
        if (message) for (const listener of listeners) listener(message, channel);
      }
    } catch (error) {
      if (!socket.closed) throw error;
    }
  };
  for (const channel of ['shell', 'control', 'stdin'] as const) void receive(channel, sockets[channel]);
  void receive('iopub', iopub);

  // a socket takes one message at a time
  const queues = { shell: Promise.resolve(), control: Promise.resolve(), stdin: Promise.resolve() };
  const client: KernelClient = {
    send(channel, type, content, options = {}) {
      const header = { ...framing.header(type), username };
      const frames = framing.encode({ identities: [], type, content, ...options }, header);
      const socket = sockets[channel];
      // a closed socket refuses: whoever closed it waits for nothing
      queues[channel] = queues[channel].then(() => socket.send(frames)).catch(() => undefined);
      return header.msg_id;
    },
    request(channel, type, content, { signal, ...options } = {}) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const end = (): void => {
          stop();
          signal?.removeEventListener('abort', onAbort);
        };
        const onAbort = (): void => {
          end();
          reject(signal?.reason as Error);
        };
        const stop = client.onMessage((message, from) => {
          if (from !== channel || message.parentHeader.msg_id !== id) return;
          end();
          resolve(message);
        });
        signal?.addEventListener('abort', onAbort, { once: true });
        const id = client.send(channel, type, content, options);
      });
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
      for (const socket of [...Object.values(sockets), iopub]) socket.close();
    },
  };
  return client;
}

function decode(framing: Framing, frames: readonly Buffer[]): IncomingMessage | undefined {
  try {
    return framing.decode(frames);
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user'; // a container's user may have no entry
  }
}
