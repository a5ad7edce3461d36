import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { withoutQuietLog } from './native-log.js';

/**
 * Where the launcher hands over what native code and children wrote to file descriptors 1 and 2: they lead to the
 * launcher, as no thread of this process can read its own. The last one is the launcher's own error stream.
 */
export const NATIVE_FDS = { stdout: 4, stderr: 5, log: 6 } as const;

type Name = 'stdout' | 'stderr';

/** Longest wait for what is on its way when a cell ends. */
const SETTLE_MS = 100;
/** Characters of one request that are passed on. */
const LIMIT = 32 * 2 ** 20;

/** Written to the descriptors when a cell ends: when it comes back, all that was written before has come too. */
const marker = (n: number): string => `\u001b_gondwana:${n}\u001b\\`;
const MARKER = /\u001b_gondwana:(\d+)\u001b\\/;
/** A marker of which the end has not come yet. */
const OPEN_MARKER = /\u001b(_[^\u001b]{0,20}\u001b?)?$/;

/** Output past JavaScript, as text. */
export class NativeOutput {
  readonly #sockets: Socket[] = [];
  readonly #waiting = new Map<number, { left: number; resolve: () => void }>();
  #count = 0;
  #shown = 0;

  /** @param onText receives the text; it belongs to the request that is at work, or was the last */
  constructor(private readonly onText: (name: Name, text: string) => void) {}

  /** Starts to read. Without a launcher there is nothing to read. */
  open(): void {
    for (const name of ['stdout', 'stderr'] as const) {
      const socket = new Socket({ fd: NATIVE_FDS[name], readable: true, writable: false });
      const decoder = new StringDecoder('utf8');
      let rest = '';
      socket.on('error', () => {}); // the launcher has ended, and so will this process
      socket.on('data', (bytes: Buffer) => (rest = this.#take(name, rest + decoder.write(bytes))));
      this.#sockets.push(socket);
    }
  }

  /** A new request begins: it may print anew. */
  begin(): void {
    this.#shown = 0;
  }

  /** Resolves when all that was written until now has been handed on, or after a moment. */
  async settled(): Promise<void> {
    if (this.#sockets.length === 0) return;
    const n = ++this.#count;
    const arrived = new Promise<void>((resolve) => this.#waiting.set(n, { left: 2, resolve }));
    try {
      for (const fd of [1, 2]) writeSync(fd, marker(n));
    } catch {
      this.#waiting.delete(n); // full or closed: what comes, comes later
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([arrived, new Promise<void>((resolve) => (timer = setTimeout(resolve, SETTLE_MS)))]);
    clearTimeout(timer);
    this.#waiting.delete(n);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Hands on text without its markers. @returns the part that is to be read again with what follows */
  #take(name: Name, text: string): string {
    for (let found = MARKER.exec(text); found; found = MARKER.exec(text)) {
      this.#show(name, text.slice(0, found.index));
      text = text.slice(found.index + found[0].length);
      const wait = this.#waiting.get(Number(found[1]));
      if (wait && --wait.left === 0) wait.resolve();
    }
    const open = OPEN_MARKER.exec(text)?.index ?? text.length;
    this.#show(name, text.slice(0, open));
    return text.slice(open);
  }

  #show(name: Name, text: string): void {
    if (name === 'stderr') text = withoutQuietLog(text, process.env.TF_CPP_MIN_LOG_LEVEL);
    if (text === '' || this.#shown > LIMIT) return;
    this.#shown += text.length;
    this.onText(name, text);
    if (this.#shown > LIMIT) {
      this.onText(
        'stderr',
        '\nOUTPUT_LIMIT: what children and native code of this cell print further is not shown.\n',
      );
    }
  }
}
