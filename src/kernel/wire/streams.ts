/** Text of one stream that answers one request. */
export interface StreamText {
  readonly name: 'stdout' | 'stderr';
  /** Id of the request. */
  readonly parent: string;
  readonly text: string;
}

/** UTF-16 units in one message: at most 3 bytes of UTF-8 each, so below 1 MB. */
const LARGEST_TEXT = 300_000;

/**
 * Joins what is printed within a moment into one message, so that ten thousand lines are a few messages.
 * The order over both streams and all requests is kept.
 */
export class StreamJoiner {
  readonly #publish: (text: StreamText) => void;
  readonly #delayMs: number;
  readonly #pending: { name: 'stdout' | 'stderr'; parent: string; texts: string[] }[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(publish: (text: StreamText) => void, delayMs = 40) {
    this.#publish = publish;
    this.#delayMs = delayMs;
  }

  add({ name, parent, text }: StreamText): void {
    if (text === '') return;
    const last = this.#pending.at(-1);
    if (last?.name === name && last.parent === parent) last.texts.push(text);
    else this.#pending.push({ name, parent, texts: [text] });
    this.#size += text.length;
    if (this.#size >= LARGEST_TEXT) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#delayMs);
  }

  /** Publishes what is waiting; called before any other message, so that none overtakes the text before it. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#size = 0;
    for (const { name, parent, texts } of this.#pending.splice(0)) {
      for (const text of pieces(texts.join(''), LARGEST_TEXT)) this.#publish({ name, parent, text });
    }
  }
}

/** The text in parts of at most `largest` units; no character is cut in two. */
export function* pieces(text: string, largest: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + largest);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
    start = end;
  }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
