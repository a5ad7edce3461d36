import type { Content } from '../protocol.js';
import type { Framing, Header } from './message.js';
import type { Outbox } from './outbox.js';
import { StreamJoiner, type StreamText } from './streams.js';

/** Headers that are remembered for output that comes after its request ended, from a timer for instance. */
const REMEMBERED_REQUESTS = 2000;

export interface PublishOptions {
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
  /** Called when the message has left this process' hands. */
  readonly onSent?: () => void;
}

/** The iopub channel: statuses, output and errors, in order, each with the header of the request it answers. */
export class Publisher {
  readonly #framing: Framing;
  readonly #outbox: Outbox;
  readonly #streams: StreamJoiner;
  readonly #requests = new Map<string, Header>();
  #hasStatus = false;

  constructor(framing: Framing, outbox: Outbox) {
    this.#framing = framing;
    this.#outbox = outbox;
    this.#streams = new StreamJoiner(({ name, parent, text }) =>
      this.#send('stream', { name, text }, this.#headerOf(parent)),
    );
  }

  /** Remembers who asks; output names its request by id only. */
  remember(header: Header): void {
    this.#requests.set(header.msg_id, header);
    if (this.#requests.size <= REMEMBERED_REQUESTS) return;
    for (const oldest of this.#requests.keys()) {
      this.#requests.delete(oldest);
      break;
    }
  }

  /** @param parent id of a request; an id is enough for a front end to find the cell */
  #headerOf(parent: string): Partial<Header> {
    return this.#requests.get(parent) ?? (parent === '' ? {} : { msg_id: parent });
  }

  stream(text: StreamText): void {
    this.#streams.add(text);
  }

  /** @param parent id of the request, or empty where none is answered */
  publish(type: string, content: Content, parent: string, options: PublishOptions = {}): void {
    this.#streams.flush();
    this.#send(type, content, this.#headerOf(parent), options);
  }

  status(state: 'starting' | 'busy' | 'idle', parent: string): void {
    this.#hasStatus = true;
    this.publish('status', { execution_state: state }, parent);
  }

  /**
   * Answers a new subscription, so that a client knows from when on it misses nothing. The first one hears that the
   * kernel is starting, unless it was busy by then: told before, nobody would hear it.
   */
  welcome(subscription: string): void {
    const message = {
      identities: [Buffer.from(subscription)],
      type: 'iopub_welcome',
      content: { subscription },
    };
    this.#outbox.send(this.#framing.encode(message));
    if (!this.#hasStatus) this.status('starting', '');
  }

  flush(): void {
    this.#streams.flush();
  }

  #send(
    type: string,
    content: Content,
    parent: Partial<Header>,
    { onSent, ...options }: PublishOptions = {},
  ): void {
    const identities = [`kernel.${this.#framing.session}.${type}`];
    this.#outbox.send(this.#framing.encode({ identities, type, content, parent, ...options }), onSent);
  }
}
