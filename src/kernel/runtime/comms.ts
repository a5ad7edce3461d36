import { randomUUID } from 'node:crypto';
import type { CommMessage, Content } from '../protocol.js';
import type { WireLink } from './wire-link.js';

/** What goes with the data of a comm message. */
export interface CommExtras {
  readonly metadata?: Content;
  /** Bytes that JSON does not hold, in order. */
  readonly buffers?: readonly Uint8Array[];
}

/** One message that came from the front end. */
export interface CommEvent {
  readonly data: Content;
  readonly metadata: Content;
  readonly buffers: readonly Uint8Array[];
}

/** A two-way line to an object in the front end. */
export interface Comm {
  readonly id: string;
  readonly target: string;
  /** undefined: messages are dropped. */
  onMessage: ((event: CommEvent) => void) | undefined;
  /** The front end closed it. */
  onClose: ((event: CommEvent) => void) | undefined;
  send(data: Content, extras?: CommExtras): void;
  close(data?: Content): void;
}

/** The comms of this kernel. */
export interface Comms {
  /** Opens a comm to a target that the front end has registered. */
  open(target: string, data?: Content, extras?: CommExtras): Comm;
  /** What is done when the front end opens a comm to this target; an earlier one is replaced. */
  register(target: string, onOpen: (comm: Comm, event: CommEvent) => void): void;
}

/** Comms with the ends that the runtime uses. */
export interface CommTable extends Comms {
  receive(message: CommMessage): void;
  /** For `comm_info_reply`. */
  info(target?: string): Content;
}

/**
 * @param parent id of the request whose outputs are being made
 */
export function createComms(wire: WireLink, parent: () => string): CommTable {
  const comms = new Map<string, Comm>();
  const targets = new Map<string, (comm: Comm, event: CommEvent) => void>();

  const publish = (
    kind: 'comm_open' | 'comm_msg' | 'comm_close',
    content: Content,
    { metadata = {}, buffers = [] }: CommExtras = {},
  ): void =>
    wire.post({ type: 'publish', kind, content, metadata, buffers: buffers.map(copy), parent: parent() });

  const create = (id: string, target: string): Comm => {
    const comm: Comm = {
      id,
      target,
      onMessage: undefined,
      onClose: undefined,
      send(data, extras) {
        if (comms.has(id)) publish('comm_msg', { comm_id: id, data }, extras);
      },
      close(data = {}) {
        if (comms.delete(id)) publish('comm_close', { comm_id: id, data });
      },
    };
    comms.set(id, comm);
    return comm;
  };

  return {
    open(target, data = {}, extras) {
      const comm = create(randomUUID(), target);
      publish('comm_open', { comm_id: comm.id, target_name: target, data }, extras);
      return comm;
    },
    register: (target, onOpen) => void targets.set(target, onOpen),
    receive({ kind, content, metadata, buffers }) {
      const id = String(content.comm_id);
      const event: CommEvent = { data: (content.data ?? {}) as Content, metadata, buffers };
      if (kind === 'comm_open') {
        const target = String(content.target_name);
        const onOpen = targets.get(target);
        // nobody is there: the front end is told at once
        if (!onOpen) return publish('comm_close', { comm_id: id, data: {} });
        return onOpen(create(id, target), event);
      }
      const comm = comms.get(id);
      if (!comm) return;
      if (kind === 'comm_msg') return comm.onMessage?.(event);
      comms.delete(id);
      comm.onClose?.(event);
    },
    info: (target) =>
      Object.fromEntries(
        [...comms.values()]
          .filter((comm) => target === undefined || comm.target === target)
          .map((comm) => [comm.id, { target_name: comm.target }]),
      ),
  };
}

/** Bytes of their own: a view of a large buffer would be sent whole. */
const copy = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
