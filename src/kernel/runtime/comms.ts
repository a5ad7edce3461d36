import { randomUUID } from 'node:crypto';
import type { Comm, CommEvent, CommExtras, Comms } from '../../display/comms.js';
import type { CommMessage, Content } from '../protocol.js';
import type { WireLink } from './wire-link.js';

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
