import type { Content, ExecuteMessage, ExecuteResult } from '../protocol.js';
import type { History } from './history.js';
import type { IncomingMessage } from './message.js';
import type { Publisher } from './publisher.js';
import { fieldsOf } from './request-fields.js';

/** What a cell needs of the rest of the wire thread. */
export interface CellQueueParts {
  readonly publisher: Publisher;
  readonly history: History;
  readonly reply: (request: IncomingMessage, type: string, content: Content) => void;
  readonly run: (message: ExecuteMessage) => void;
  /** Told as a request comes in and as it ends, for the launcher. */
  readonly onQueued?: (request: IncomingMessage) => void;
  readonly onEnded?: (id: string) => void;
}

export type ErrorResult = Extract<ExecuteResult, { status: 'error' }>;

interface WaitingCell {
  readonly request: IncomingMessage;
  /** When it came in, by `performance.now()`. */
  readonly receivedAt: number;
}

interface RunningCell extends WaitingCell {
  readonly message: ExecuteMessage;
  readonly stopOnError: boolean;
  /** Why it is being stopped, where that is not the user's wish: what the cell reports is replaced by it. */
  verdict?: ErrorResult;
  /** The user asked to stop it. */
  isInterrupted?: boolean;
  /** The result is known, the reply is about to be sent. */
  isEnding?: boolean;
  readonly onEnd: (() => void)[];
}

/**
 * An error's reply is sent no sooner than this after its request came in: cells that were sent with it ("Run all")
 * have come in by then, and are aborted with it.
 */
const BURST_MS = 20;
/** Cells sent before the error could be seen, and on their way for at most this long, are aborted too. */
const LATE_MS = 2000;

/** Runs execute requests one after the other and numbers them. */
export class CellQueue {
  readonly #parts: CellQueueParts;
  readonly #waiting: WaitingCell[] = [];
  #late: { readonly session: string; readonly before: number; readonly until: number } | undefined;
  #running: RunningCell | undefined;
  #isReady = false;
  #count = 0;
  #latest = '';

  constructor(parts: CellQueueParts) {
    this.#parts = parts;
  }

  /** Id of the request at work. */
  get runningId(): string | undefined {
    return this.#running?.message.id;
  }

  /** Id of the request that ran last, or runs. */
  get latestId(): string {
    return this.#latest;
  }

  /** Identities and header of the request at work, for questions to its front end. */
  get runningRequest(): IncomingMessage | undefined {
    return this.#running?.request;
  }

  add(request: IncomingMessage): void {
    this.#parts.publisher.remember(request.header);
    this.#parts.onQueued?.(request);
    if (this.#wasSentBeforeError(request)) return this.#abort(request);
    this.#waiting.push({ request, receivedAt: performance.now() });
    this.#next();
  }

  /** User code may run from now on. */
  start(): void {
    this.#isReady = true;
    this.#next();
  }

  /** Resolves when the cell of this id has ended. */
  ended(id: string): Promise<void> {
    const cell = this.#running;
    if (cell?.message.id !== id) return Promise.resolve();
    return new Promise((resolve) => cell.onEnd.push(resolve));
  }

  /** From now on the cell of this id can only end with this error (or, if it is just about to, well). */
  condemn(id: string, verdict: ErrorResult): void {
    if (this.#running?.message.id === id) this.#running.verdict = verdict;
  }

  /** The user asked to stop the cell of this id: whatever error it ends with, it is a KeyboardInterrupt. */
  interrupted(id: string): void {
    if (this.#running?.message.id === id) this.#running.isInterrupted = true;
  }

  #next(): void {
    if (!this.#isReady || this.#running) return;
    const cell = this.#waiting.shift();
    if (cell) this.#begin(cell);
  }

  #begin({ request, receivedAt }: WaitingCell): void {
    const { publisher, history, run } = this.#parts;
    const id = request.header.msg_id;
    const fields = fieldsOf(request.content);
    const silent = fields.flag('silent', false);
    const storeHistory = !silent && fields.flag('store_history', true);
    const code = fields.text('code');
    publisher.status('busy', id);
    if (code === undefined) {
      const evalue = 'an execute_request needs its "code" as a text';
      this.#replyError(request, { status: 'error', ename: 'BadRequest', evalue, traceback: [evalue] });
      publisher.status('idle', id);
      this.#parts.onEnded?.(id);
      return this.#next();
    }
    if (storeHistory) {
      this.#count++;
      history.add(this.#count, code);
    }
    const cellId = request.metadata['cellId'];
    const message: ExecuteMessage = {
      type: 'execute',
      id,
      code,
      count: this.#count,
      silent,
      storeHistory,
      allowStdin: fields.flag('allow_stdin', true),
      userExpressions: fields.texts('user_expressions'),
      ...(typeof cellId === 'string' && { cellId }),
    };
    this.#latest = id;
    const stopOnError = fields.flag('stop_on_error', true);
    this.#running = { request, receivedAt, message, stopOnError, onEnd: [] };
    if (!silent) publisher.publish('execute_input', { code, execution_count: this.#count }, id);
    run(message);
  }

  /** The cell ended. An id that is not at work is ignored: the cell was ended by force before. */
  finish(id: string, reported: ExecuteResult): void {
    const cell = this.#running;
    if (cell?.message.id !== id || cell.isEnding) return;
    cell.isEnding = true;
    const result = reported.status === 'error' ? judged(cell, reported) : reported;
    if (result.status === 'ok' || !cell.stopOnError) return this.#conclude(cell, result);
    // requests that have come in by then were sent before the reply could be seen; one sent after it is none of them
    const delayMs = Math.max(1, BURST_MS - (performance.now() - cell.receivedAt));
    setTimeout(() => {
      this.#expectLate(cell);
      this.#conclude(cell, result, this.#waiting.splice(0));
    }, delayMs);
  }

  /**
   * A request that the same client dated before its reply could reach it was queued behind the error, also where
   * it comes in later. Both dates are of the client's clock; what passed here since its first request is the least
   * that passed there until it saw the error.
   */
  #expectLate({ request, receivedAt }: RunningCell): void {
    const now = performance.now();
    const before = Date.parse(request.header.date) + Math.floor(now - receivedAt);
    this.#late = { session: request.header.session, before, until: now + LATE_MS };
  }

  #wasSentBeforeError({ header }: IncomingMessage): boolean {
    const late = this.#late;
    if (!late || performance.now() > late.until) return false;
    return header.session === late.session && Date.parse(header.date) < late.before;
  }

  #conclude(cell: RunningCell, result: ExecuteResult, aborted: readonly WaitingCell[] = []): void {
    const { publisher, reply, onEnded } = this.#parts;
    const { id, count } = cell.message;
    this.#running = undefined;
    if (result.status === 'ok') {
      publisher.flush();
      reply(cell.request, 'execute_reply', {
        status: 'ok',
        execution_count: count,
        payload: result.payload,
        user_expressions: result.userExpressions,
      });
    } else this.#replyError(cell.request, result, count);
    publisher.status('idle', id);
    onEnded?.(id);
    for (const listener of cell.onEnd) listener();
    for (const { request: waiting } of aborted) this.#abort(waiting);
    this.#next();
  }

  #replyError(
    request: IncomingMessage,
    { ename, evalue, traceback }: ErrorResult,
    count = this.#count,
  ): void {
    const error = { ename, evalue, traceback };
    this.#parts.publisher.publish('error', error, request.header.msg_id);
    this.#parts.reply(request, 'execute_reply', {
      status: 'error',
      ...error,
      execution_count: count,
      payload: [],
      user_expressions: {},
    });
  }

  /** No execution_count: the cell has no number, as it never ran. */
  #abort(request: IncomingMessage): void {
    const id = request.header.msg_id;
    this.#parts.publisher.status('busy', id);
    this.#parts.reply(request, 'execute_reply', { status: 'aborted' });
    this.#parts.publisher.status('idle', id);
    this.#parts.onEnded?.(id);
  }
}

/** A stopped cell fails in many ways: an await rejects, a child process it waits for dies, V8 ends it. */
function judged({ verdict, isInterrupted }: RunningCell, reported: ErrorResult): ErrorResult {
  if (verdict) return verdict;
  const { ename, evalue } = reported;
  if (!isInterrupted || ename === 'KeyboardInterrupt') return reported;
  return { ...reported, ename: 'KeyboardInterrupt', evalue: `${ename}: ${evalue}` };
}
