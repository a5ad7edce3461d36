import type { MessagePort } from 'node:worker_threads';
import type { Completeness, Completion, Inspection } from '../cell-engine.js';
import type { Content, LanguageAnswer, LanguageQuestion } from '../protocol.js';
import { toCodePoints, toUtf16 } from './code-points.js';
import { fieldsOf } from './request-fields.js';

/** How long an answer may take: what comes later is of no use to who types. */
const PATIENCE_MS = 2000;
/** The same for the first answer: the language thread loads the compiler and its libraries. */
const FIRST_PATIENCE_MS = 15_000;

type Asked = LanguageQuestion extends infer Q ? (Q extends LanguageQuestion ? Omit<Q, 'n'> : never) : never;

/** Completion, inspection and completeness, asked of the language thread; they are answered while a cell runs. */
export class Questions {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (answer: LanguageAnswer['answer']) => void>();
  #last = 0;
  #patienceMs: number;

  constructor(port: MessagePort, patience: { firstMs?: number; laterMs?: number } = {}) {
    this.#port = port;
    this.#patienceMs = patience.firstMs ?? FIRST_PATIENCE_MS;
    port.on('message', ({ n, answer }: LanguageAnswer) => {
      this.#patienceMs = patience.laterMs ?? PATIENCE_MS;
      this.#waiting.get(n)?.(answer);
    });
    port.on('close', () => {
      this.#patienceMs = 0;
      for (const resolve of this.#waiting.values()) resolve(undefined);
    });
  }

  #ask(question: Asked): Promise<LanguageAnswer['answer']> {
    if (this.#patienceMs === 0) return Promise.resolve(undefined);
    const n = ++this.#last;
    return new Promise<LanguageAnswer['answer']>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), this.#patienceMs);
      this.#waiting.set(n, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#port.postMessage({ n, ...question });
    }).finally(() => this.#waiting.delete(n));
  }

  /** Content of a `complete_reply`. */
  async complete(request: Content): Promise<Content> {
    const { code, cursor, position } = place(request);
    const found = (await this.#ask({ kind: 'complete', code, position })) as Completion | undefined;
    if (!found) {
      return { status: 'ok', matches: [], cursor_start: cursor, cursor_end: cursor, metadata: {} };
    }
    const start = toCodePoints(code, found.start);
    const end = toCodePoints(code, found.end);
    // JupyterLab shows the kind of each match from here
    const types = found.types && {
      _jupyter_types_experimental: found.matches.map((text, i) => ({
        start,
        end,
        text,
        type: found.types?.[i] ?? '',
      })),
    };
    return {
      status: 'ok',
      matches: found.matches,
      cursor_start: start,
      cursor_end: end,
      metadata: types ?? {},
    };
  }

  /** Content of an `inspect_reply`; `detail_level` 1 asks for the source too. */
  async inspect(request: Content): Promise<Content> {
    const { code, position } = place(request);
    const source = fieldsOf(request).whole('detail_level') === 1;
    const found = (await this.#ask({ kind: 'inspect', code, position, source })) as Inspection | undefined;
    if (!found) return { status: 'ok', found: false, data: {}, metadata: {} };
    const data = {
      'text/plain': found.text,
      ...(found.markdown !== undefined && { 'text/markdown': found.markdown }),
    };
    return { status: 'ok', found: true, data, metadata: {} };
  }

  /** Content of an `is_complete_reply`. */
  async isComplete(request: Content): Promise<Content> {
    const code = fieldsOf(request).text('code') ?? '';
    const found = (await this.#ask({ kind: 'is-complete', code })) as Completeness | undefined;
    if (!found) return { status: 'unknown' };
    const { status, indent } = found;
    return status === 'incomplete' ? { status, indent: indent ?? '' } : { status };
  }
}

/** Code and cursor of a request, the cursor inside the code, in code points and in UTF-16 units. */
function place(request: Content): { code: string; cursor: number; position: number } {
  const fields = fieldsOf(request);
  const code = fields.text('code') ?? '';
  const position = toUtf16(code, Math.max(0, fields.whole('cursor_pos') ?? Infinity));
  return { code, position, cursor: toCodePoints(code, position) };
}
