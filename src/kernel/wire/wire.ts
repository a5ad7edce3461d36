import { writeSync } from 'node:fs';
import { errorData, type ErrorData } from '../../errors.js';
import type { Content, ToMain, ToWire, WireOptions } from '../protocol.js';
import { CellQueue } from './cells.js';
import { Complaints } from './complaints.js';
import { readConnectionFile } from './connection.js';
import { Flow } from './flow.js';
import { History } from './history.js';
import { Inputs } from './inputs.js';
import { Interrupter } from './interrupt.js';
import { LauncherLink, type LauncherAddress } from './launcher-link.js';
import { INTERRUPT_SHARE } from './memory-limit.js';
import { MemoryWatch } from './memory-watch.js';
import { Framing, MalformedMessage, type IncomingMessage } from './message.js';
import { NATIVE_FDS, NativeOutput } from './native-output.js';
import { Outbox } from './outbox.js';
import { watchParent } from './parent-watch.js';
import { Pings, within } from './pings.js';
import { processGroup } from './process-group.js';
import { Publisher } from './publisher.js';
import { Questions } from './questions.js';
import { Session, type RequestChannel } from './session.js';
import { openSockets, type KernelSockets } from './sockets.js';

/** `workerData` of the wire thread, as the main thread sends it. */
export interface WireWorkerData {
  readonly options: WireOptions;
  readonly launcher?: LauncherAddress;
  /** Memory of the `Flow` that both threads share. */
  readonly flow: SharedArrayBuffer;
}

/** Of the wire thread about itself, beside `ToWire`'s counterpart `ToMain`. */
export type WireNotice = { readonly type: 'bound' } | { readonly type: 'failed'; readonly error: ErrorData };

/** The process is about to exit, by user code: all is sent and closed, then a 1 is stored and who waits is woken. */
export interface LeaveMessage {
  readonly type: 'leave';
  readonly done: Int32Array;
}

/** How long the last messages may take to leave, and the main thread to end by itself after that. */
const FLUSH_MS = 300;
const EXIT_MS = 300;

/** The wire thread: sockets, queue of cells, interrupts and watchers, put together. */
export async function startWire(
  { options, launcher, flow: shared }: WireWorkerData,
  post: (message: ToMain | WireNotice) => void,
): Promise<(message: ToWire | LeaveMessage) => void> {
  const connection = readConnectionFile(options.connectionFile);
  const sockets = await openSockets(connection);
  const flow = new Flow(shared);
  const complaints = new Complaints((text) => tell(text, launcher ? NATIVE_FDS.log : 2));
  const framing = new Framing(connection);
  const outbox = (name: 'iopub' | 'shell' | 'control' | 'stdin') =>
    new Outbox(sockets[name], (error) => complaints.add(`a message on ${name} was not sent`, error.message));
  const outboxes = {
    iopub: outbox('iopub'),
    shell: outbox('shell'),
    control: outbox('control'),
    stdin: outbox('stdin'),
  };
  const toMain: (message: ToMain) => void = post;
  const group = processGroup([process.pid, ...(launcher ? [launcher.pid] : [])]);
  const die = () => group.signal('SIGKILL');
  const isOrphan = () => launcher !== undefined && process.ppid !== launcher.pid;
  // the line closes a moment before the system names another parent; it is no proof, as a cell can close it
  const link = new LauncherLink(launcher?.fd, () => setTimeout(() => isOrphan() && die(), 10));
  const publisher = new Publisher(framing, outboxes.iopub);
  const native = new NativeOutput((name, text) => publisher.stream({ name, text, parent: cells.latestId }));
  const history = new History();
  const inputs = new Inputs(framing, outboxes.stdin, toMain);
  const reply = (request: IncomingMessage, channel: RequestChannel, type: string, content: Content) =>
    outboxes[channel].send(
      framing.encode({ identities: request.identities, type, content, parent: request.header }),
    );
  const cells = new CellQueue({
    publisher,
    history,
    reply: (request, type, content) => reply(request, 'shell', type, content),
    run(message) {
      native.begin();
      toMain(message);
    },
    onQueued: (request) => link.queued(request),
    onEnded: (id) => {
      inputs.forget(id);
      link.ended(id);
    },
  });
  const pings = new Pings(toMain);
  const interrupter = new Interrupter({
    cells,
    pings,
    publisher,
    toMain,
    signal: () => {
      if (process.platform !== 'win32') group.signal('SIGINT');
    },
  });
  /** Sends what waits, then closes the sockets: a process that ends while they are open ends with a crash. */
  const close = async () => {
    publisher.flush();
    await within(FLUSH_MS, Promise.all(Object.values(outboxes).map((one) => one.sent())));
    // handed to ZeroMQ is not yet on the line: its own thread needs a moment
    await new Promise((resolve) => setTimeout(resolve, 30));
    sockets.close();
    native.close();
    interrupter.disconnect();
  };
  const end = async (restart: boolean) => {
    link.ending();
    await close();
    toMain({ type: 'exit', restart });
    // timers, children and loops of cells keep nobody waiting
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), EXIT_MS);
  };
  const session = new Session({
    options,
    connection,
    cells,
    history,
    interrupter,
    pings,
    publisher,
    questions: new Questions(options.language),
    reply,
    toMain,
    // after the status that follows the reply
    end: (restart) => void setImmediate(() => void end(restart)),
  });
  watchParent(die, launcher?.pid);
  const memoryWatch = new MemoryWatch({
    cells,
    interrupter,
    publisher,
    pings,
    residentBytes: () => process.memoryUsage.rss(),
    interruptBytes: (options.memoryLimitBytes ?? Infinity) * INTERRUPT_SHARE,
    onSample: (bytes) => link.memory(bytes),
  });
  memoryWatch.start();
  void memoryWatch.sample();

  listen(sockets, { framing, complaints, session, inputs, publisher });
  if (launcher) {
    native.open();
    link.listening();
  }
  post({ type: 'bound' });

  return (message) => {
    switch (message.type) {
      case 'ready':
        return cells.start();
      case 'stream':
        return publisher.stream(message);
      case 'publish': {
        const { kind, content, parent, metadata, buffers } = message;
        if (kind === 'execute_result') remember(history, content);
        return publisher.publish(kind, content, parent, {
          ...(metadata && { metadata }),
          ...(buffers && { buffers }),
          onSent: () => flow.giveBack(message),
        });
      }
      case 'done':
        // what was printed past JavaScript comes before the reply
        return void native.settled().then(() => cells.finish(message.id, message.result));
      case 'pong':
        return pings.pong(message.n);
      case 'input': {
        publisher.flush(); // what was printed before the question is seen before it
        const cell = cells.runningRequest;
        if (cell?.header.msg_id === message.parent) return inputs.ask(message.n, message, cell);
        return toMain({ type: 'input-reply', n: message.n, value: '' });
      }
      case 'comm-info':
        return session.commInfo(message.n, message.comms);
      case 'leave':
        void close().finally(() => {
          Atomics.store(message.done, 0, 1);
          Atomics.notify(message.done, 0);
        });
    }
  };
}

/** Straight to the file: `process.stderr` of a thread needs the main thread, which may be busy. */
function tell(text: string, fd: number): void {
  try {
    writeSync(fd, text);
  } catch {
    // nobody listens
  }
}

/** The result as text goes to the history. */
function remember(history: History, content: Content): void {
  const { execution_count: count, data } = content as { execution_count?: unknown; data?: Content };
  const text = data?.['text/plain'];
  if (typeof count === 'number' && typeof text === 'string') history.setOutput(count, text);
}

interface Listeners {
  readonly framing: Framing;
  readonly complaints: Complaints;
  readonly session: Session;
  readonly inputs: Inputs;
  readonly publisher: Publisher;
}

/** Reads all sockets for as long as they are open. A bad message is named and left out. */
function listen(
  sockets: KernelSockets,
  { framing, complaints, session, inputs, publisher }: Listeners,
): void {
  const read = async (
    name: 'shell' | 'control' | 'stdin',
    handle: (message: IncomingMessage) => void | Promise<void>,
  ) => {
    const fault = (error: unknown) => {
      if (error instanceof MalformedMessage)
        return complaints.add(`a message on ${name} is not used`, error.reason);
      const { message, where } = errorData(error);
      complaints.add(`a message on ${name} was not answered`, `${message} ${where}`);
    };
    for await (const frames of sockets[name]) {
      try {
        const done = handle(framing.decode(frames));
        if (done) done.catch(fault);
      } catch (error) {
        fault(error);
      }
    }
  };
  const welcome = async () => {
    for await (const [frame] of sockets.iopub) {
      // 1 and the topic: a subscription; 0: the end of one
      if (frame?.[0] === 1) publisher.welcome(frame.toString('utf8', 1));
    }
  };
  const echo = async () => {
    for await (const frames of sockets.hb) await sockets.hb.send(frames);
  };
  const loops = {
    shell: () => read('shell', (message) => session.handle(message, 'shell')),
    control: () => read('control', (message) => session.handle(message, 'control')),
    stdin: () => read('stdin', (message) => inputs.answer(message)),
    iopub: welcome,
    hb: echo,
  };
  for (const [name, loop] of Object.entries(loops)) void keep(name, loop, complaints);
}

/** A socket that fails is read again; one that is closed is done. */
async function keep(name: string, loop: () => Promise<void>, complaints: Complaints): Promise<void> {
  for (;;) {
    try {
      return await loop();
    } catch (error) {
      complaints.add(`reading ${name} failed`, (error as Error).message);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
