import type { Content, ToMain, WireOptions } from '../protocol.js';
import type { CellQueue } from './cells.js';
import type { Connection } from './connection.js';
import type { History } from './history.js';
import type { Interrupter } from './interrupt.js';
import { kernelInfo } from './kernel-info.js';
import type { IncomingMessage } from './message.js';
import { within, type Pings } from './pings.js';
import type { Publisher } from './publisher.js';
import type { Questions } from './questions.js';
import { fieldsOf } from './request-fields.js';

export type RequestChannel = 'shell' | 'control';
export type ReplyFunction = (
  request: IncomingMessage,
  channel: RequestChannel,
  type: string,
  content: Content,
) => void;

export interface SessionParts {
  readonly options: Pick<WireOptions, 'banner' | 'version' | 'languageVersion'>;
  readonly connection: Connection;
  readonly cells: CellQueue;
  readonly history: History;
  readonly interrupter: Interrupter;
  readonly pings: Pings;
  readonly publisher: Publisher;
  readonly questions: Questions;
  readonly reply: ReplyFunction;
  readonly toMain: (message: ToMain) => void;
  /** Ends the kernel once all replies are sent. */
  readonly end: (restart: boolean) => void;
}

/** How long an interrupt may take until its request is answered; it goes on after that. */
const INTERRUPT_REPLY_MS = 3000;
const COMM_INFO_MS = 2000;

/** Answers the requests of shell and control. All but cells are answered at once, also while a cell runs. */
export class Session {
  readonly #parts: SessionParts;
  readonly #commInfos = new Map<number, (comms: Content) => void>();
  #lastCommInfo = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Resolves when the request is answered; a cell is queued only. */
  async handle(request: IncomingMessage, channel: RequestChannel): Promise<void> {
    const { cells, publisher } = this.#parts;
    const { msg_id: id, msg_type: type } = request.header;
    if (type === 'execute_request') return cells.add(request);
    publisher.remember(request.header);
    publisher.status('busy', id);
    try {
      await this.#answer(request, channel, type);
    } finally {
      publisher.status('idle', id);
    }
  }

  async #answer(request: IncomingMessage, channel: RequestChannel, type: string): Promise<void> {
    const { options, connection, history, questions, publisher } = this.#parts;
    const { content } = request;
    const reply = (kind: string, answer: Content) => this.#parts.reply(request, channel, kind, answer);
    switch (type) {
      case 'kernel_info_request':
        return reply('kernel_info_reply', kernelInfo(options));
      case 'complete_request':
        return reply('complete_reply', await questions.complete(content));
      case 'inspect_request':
        return reply('inspect_reply', await questions.inspect(content));
      case 'is_complete_request':
        return reply('is_complete_reply', await questions.isComplete(content));
      case 'history_request':
        return reply('history_reply', { status: 'ok', history: history.find(content) });
      case 'comm_info_request':
        return reply('comm_info_reply', { status: 'ok', comms: await this.#commInfo(content) });
      case 'connect_request':
        return reply('connect_reply', {
          status: 'ok',
          ...Object.fromEntries(
            Object.entries(connection.ports).map(([name, port]) => [`${name}_port`, port]),
          ),
        });
      case 'comm_open':
      case 'comm_msg':
      case 'comm_close':
        return this.#comm(request, type);
      case 'interrupt_request':
        await within(INTERRUPT_REPLY_MS, this.#parts.interrupter.interrupt());
        return reply('interrupt_reply', { status: 'ok' });
      case 'shutdown_request': {
        const restart = fieldsOf(content).flag('restart', false);
        const answer = { status: 'ok', restart };
        publisher.publish('shutdown_reply', answer, request.header.msg_id);
        reply('shutdown_reply', answer);
        return this.#parts.end(restart);
      }
      default: {
        // messages that want no answer (`*_reply`, notices of a later protocol) get none
        if (!type.endsWith('_request')) return;
        const evalue = `The kernel does not know ${type}.`;
        const ename = 'UnknownRequest';
        const error = { status: 'error', ename, evalue, traceback: [] };
        return reply(type.replace(/_request$/, '_reply'), error);
      }
    }
  }

  /** Idle follows when the main thread has taken the message: widgets wait for that before they send the next. */
  async #comm(
    { header, content, metadata, buffers }: IncomingMessage,
    kind: 'comm_open' | 'comm_msg' | 'comm_close',
  ): Promise<void> {
    const { pings, toMain } = this.#parts;
    // copies of their own: a frame may be a part of a larger piece of memory, which would be cloned whole
    const own = buffers.map((bytes) => new Uint8Array(bytes));
    toMain({ type: 'comm', kind, content, metadata, buffers: own, parent: header.msg_id });
    await pings.ping();
  }

  async #commInfo(content: Content): Promise<Content> {
    const target = fieldsOf(content).text('target_name');
    const n = ++this.#lastCommInfo;
    const answered = new Promise<Content>((resolve) => this.#commInfos.set(n, resolve));
    this.#parts.toMain({ type: 'comm-info', n, ...(target !== undefined && { target }) });
    const isKnown = await within(COMM_INFO_MS, answered);
    this.#commInfos.delete(n);
    return isKnown ? answered : {};
  }

  commInfo(n: number, comms: Content): void {
    this.#commInfos.get(n)?.(comms);
  }
}
