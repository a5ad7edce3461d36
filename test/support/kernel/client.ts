import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as zmq from 'zeromq';
import { CellRun, type CellResult } from './cell-run.js';
import { address, killGroup, makeConnection, startProcess, type KernelOptions } from './process.js';
import { pack, unpack, type Connection, type Content, type Header, type Message } from './wire-format.js';

export type { CellError, CellResult, Output } from './cell-run.js';
export type { KernelOptions } from './process.js';
export type { Connection, Content, Message } from './wire-format.js';

export interface ExecuteOptions {
  readonly silent?: boolean;
  readonly storeHistory?: boolean;
  readonly allowStdin?: boolean;
  readonly stopOnError?: boolean;
  readonly userExpressions?: Readonly<Record<string, string>>;
  readonly metadata?: Content;
  /** Default 20 s. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  readonly channel?: 'shell' | 'control';
  readonly metadata?: Content;
  readonly buffers?: readonly Uint8Array[];
  /** Default 20 s. */
  readonly timeoutMs?: number;
}

interface Waiter {
  readonly test: (message: Message) => boolean;
  readonly resolve: (message: Message) => void;
}

/**
 * Starts a kernel and a client of it; resolves when the kernel answers and its output arrives.
 * End it by `stop()` in any case.
 * @throws Error with what the process wrote, where it ends or does not answer
 */
export async function startKernel(options: KernelOptions): Promise<KernelClient> {
  const { connection, file, remove } = await makeConnection(options);
  const kernel = startProcess(options, file);
  const client = new KernelClient(connection, file, kernel, remove);
  try {
    await client.connect(options.readyTimeoutMs ?? 20_000);
  } catch (error) {
    await client.stop();
    throw error;
  }
  return client;
}

/** A front end in a few hundred lines: sends requests and keeps everything that the kernel publishes. */
export class KernelClient {
  /** All messages of the iopub channel since the start, in order. */
  readonly messages: Message[] = [];
  /** Answers `input()` of cells: return the line. Default: an error of the test. */
  onInput: (prompt: string, password: boolean) => string | Promise<string> = () => {
    throw new Error('A cell asked for input, and the test has no onInput.');
  };
  /** Identity and session of this client. */
  readonly session = randomUUID();
  readonly #shell = new zmq.Dealer({ linger: 0, routingId: this.session });
  readonly #control = new zmq.Dealer({ linger: 0, routingId: this.session });
  readonly #stdin = new zmq.Dealer({ linger: 0, routingId: this.session });
  readonly #iopub = new zmq.Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  readonly #sends = new Map<zmq.Dealer, Promise<void>>();
  readonly #replies = new Map<string, Message>();
  readonly #runs = new Map<string, CellRun>();
  readonly #waiters = new Set<Waiter>();
  readonly #failures: Error[] = [];
  #question: Message | undefined;
  #isStopped = false;

  constructor(
    readonly connection: Connection,
    readonly connectionFile: string,
    readonly kernel: ReturnType<typeof startProcess>,
    private readonly removeFiles: () => void,
  ) {}

  get pid(): number {
    return this.kernel.child.pid!;
  }

  /** What the process wrote to its own stdout and stderr; no output of cells. */
  get log(): string {
    return this.kernel.log();
  }

  get exit(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.kernel.exit;
  }

  async connect(timeoutMs: number): Promise<void> {
    const { connection } = this;
    const sockets = { shell: this.#shell, control: this.#control, stdin: this.#stdin, iopub: this.#iopub };
    for (const [channel, socket] of Object.entries(sockets)) {
      this.#encrypt(socket);
      socket.connect(address(connection, channel as keyof typeof sockets));
    }
    this.#iopub.subscribe('');
    void this.#read(this.#iopub, (message) => this.#published(message));
    void this.#read(this.#shell, (message) => this.#replied(message));
    void this.#read(this.#control, (message) => this.#replied(message));
    void this.#read(this.#stdin, (message) => void this.#asked(message));
    let hasEnded = false;
    void this.exit.then(() => (hasEnded = true));
    // as Jupyter does: a subscription takes a moment, so questions are asked until the output of one arrives
    for (const end = Date.now() + timeoutMs; Date.now() < end;) {
      if (hasEnded) {
        const { code, signal } = await this.exit;
        throw new Error(`The kernel ended (code ${code}, signal ${signal}).\n${this.log}`);
      }
      const id = this.send('kernel_info_request', {});
      const isAnswered = () => this.#replies.has(id) && this.messages.some((m) => m.parent.msg_id === id);
      for (let i = 0; i < 20 && !isAnswered() && !hasEnded; i++) await sleep(25);
      if (isAnswered()) return;
    }
    throw new Error(`The kernel does not answer.\n${this.log}`);
  }

  /** Sends and waits for nothing. @returns the id of the message */
  send(type: string, content: Content, options: RequestOptions & { parent?: Partial<Header> } = {}): string {
    const { id, frames } = pack(this.connection, { type, content, session: this.session, ...options });
    this.sendFrames(frames, options.channel);
    return id;
  }

  /** Sends frames as they are, also wrong ones. */
  sendFrames(frames: (string | Buffer)[], channel: 'shell' | 'control' | 'stdin' = 'shell'): void {
    const socket = { shell: this.#shell, control: this.#control, stdin: this.#stdin }[channel];
    const before = this.#sends.get(socket) ?? Promise.resolve();
    this.#sends.set(
      socket,
      before.then(() => socket.send(frames)).catch((error: Error) => this.#fail(error)),
    );
  }

  /** Sends a request and waits for its reply. */
  async request(type: string, content: Content = {}, options: RequestOptions = {}): Promise<Message> {
    const id = this.send(type, content, options);
    await this.#until(() => this.#replies.has(id), options.timeoutMs ?? 20_000, `no reply to ${type}`);
    return this.#replies.get(id)!;
  }

  /** Queues a cell. `done` resolves with its reply and outputs when both the reply and `idle` have arrived. */
  submit(code: string, options: ExecuteOptions = {}): { id: string; done: Promise<CellResult> } {
    const id = this.send(
      'execute_request',
      {
        code,
        silent: options.silent ?? false,
        store_history: options.storeHistory ?? true,
        user_expressions: options.userExpressions ?? {},
        allow_stdin: options.allowStdin ?? false,
        stop_on_error: options.stopOnError ?? true,
      },
      options.metadata ? { metadata: options.metadata } : {},
    );
    const run = new CellRun(id);
    this.#runs.set(id, run);
    const what = `the cell does not end: ${code.slice(0, 80)}`;
    const done = this.#until(() => run.isDone, options.timeoutMs ?? 20_000, what).then(() => run.result());
    done.catch(() => {}); // told where it is awaited
    return { id, done };
  }

  /** Runs a cell. */
  execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    return this.submit(code, options).done;
  }

  /** The first message of iopub, past or to come, that fits. */
  waitFor(test: (message: Message) => boolean, timeoutMs = 20_000): Promise<Message> {
    const past = this.messages.find(test);
    if (past) return Promise.resolve(past);
    let waiter: Waiter | undefined;
    const arrived = new Promise<Message>((resolve) => {
      waiter = { test, resolve };
      this.#waiters.add(waiter);
    });
    const stop = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
      throw new Error(`A message did not arrive within ${timeoutMs} ms.\n${this.log}`);
    });
    late.catch(() => {});
    return Promise.race([arrived, late]).finally(() => {
      stop.abort();
      this.#waiters.delete(waiter!);
    });
  }

  async interrupt(timeoutMs = 20_000): Promise<Content> {
    return (await this.request('interrupt_request', {}, { channel: 'control', timeoutMs })).content;
  }

  async kernelInfo(): Promise<Content> {
    return (await this.request('kernel_info_request')).content;
  }

  /** @param cursor in code points; default: the end of the code */
  async complete(code: string, cursor = [...code].length): Promise<Content> {
    return (await this.request('complete_request', { code, cursor_pos: cursor })).content;
  }

  async inspect(code: string, cursor = [...code].length, detailLevel: 0 | 1 = 0): Promise<Content> {
    const content = { code, cursor_pos: cursor, detail_level: detailLevel };
    return (await this.request('inspect_request', content)).content;
  }

  async isComplete(code: string): Promise<Content> {
    return (await this.request('is_complete_request', { code })).content;
  }

  /** @returns `[session, line, input]` each, or `[session, line, [input, output]]` where `output` is asked for */
  async history(content: Content): Promise<unknown[]> {
    const request = { output: false, raw: true, ...content };
    return (await this.request('history_request', request)).content['history'] as unknown[];
  }

  /** Asks the kernel to end. @returns milliseconds until the process was gone */
  async shutdown(options: { restart?: boolean; channel?: 'shell' | 'control' } = {}): Promise<number> {
    const started = performance.now();
    const channel = options.channel ?? 'control';
    await this.request('shutdown_request', { restart: options.restart ?? false }, { channel });
    await this.exit;
    return performance.now() - started;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.kernel.child.kill(signal);
  }

  /** Ends the kernel with its process group, closes the sockets, removes the files. May be called twice. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    killGroup(this.kernel.child);
    await this.exit;
    for (const socket of [this.#shell, this.#control, this.#stdin, this.#iopub]) socket.close();
    this.removeFiles();
  }

  async #read(socket: zmq.Dealer | zmq.Subscriber, handle: (message: Message) => void): Promise<void> {
    try {
      for await (const frames of socket) {
        try {
          handle(unpack(this.connection, frames as Buffer[]));
        } catch (error) {
          this.#fail(error as Error);
        }
      }
    } catch (error) {
      if (!this.#isStopped) this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    if (!this.#isStopped) this.#failures.push(error);
  }

  #published(message: Message): void {
    this.messages.push(message);
    this.#runs.get(message.parent.msg_id ?? '')?.published(message);
    for (const waiter of this.#waiters) if (waiter.test(message)) waiter.resolve(message);
  }

  #replied(message: Message): void {
    const id = message.parent.msg_id ?? '';
    if (this.#replies.has(id)) this.#fail(new Error(`Two replies to one request: ${message.type}.`));
    this.#replies.set(id, message);
    this.#runs.get(id)?.replied(message);
  }

  /** Answers the last question of a cell, also when nobody waits any more. */
  answerInput(value: string): void {
    const reply = {
      type: 'input_reply',
      content: { value },
      session: this.session,
      ...(this.#question && { parent: this.#question.header }),
    };
    this.sendFrames(pack(this.connection, reply).frames, 'stdin');
  }

  /** What the heartbeat channel sends back. */
  async heartbeat(text: string, timeoutMs = 2000): Promise<string> {
    const socket = new zmq.Request({ linger: 0, receiveTimeout: timeoutMs });
    try {
      this.#encrypt(socket);
      socket.connect(address(this.connection, 'hb'));
      await socket.send(text);
      return String((await socket.receive())[0]);
    } finally {
      socket.close();
    }
  }

  #encrypt(socket: zmq.Dealer | zmq.Subscriber | zmq.Request): void {
    const { curve_publickey: publicKey, curve_secretkey: secretKey } = this.connection;
    if (publicKey === undefined || secretKey === undefined) return;
    // as Jupyter does: the client has the kernel's own keys
    socket.curvePublicKey = publicKey;
    socket.curveSecretKey = secretKey;
    socket.curveServerKey = publicKey;
  }

  async #asked(message: Message): Promise<void> {
    try {
      this.#question = message;
      const { prompt, password } = message.content as { prompt: string; password: boolean };
      this.answerInput(await this.onInput(prompt, password));
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  async #until(test: () => boolean, timeoutMs: number, what: string): Promise<void> {
    for (const end = performance.now() + timeoutMs; !test();) {
      const failure = this.#failures.shift();
      if (failure) throw failure;
      if (performance.now() > end) throw new Error(`After ${timeoutMs} ms: ${what}.\n${this.log}`);
      await sleep(2);
    }
  }
}
