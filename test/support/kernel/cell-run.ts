import type { Content, Message } from './wire-format.js';

/** One output as a notebook keeps it, in the order of arrival; texts of one stream side by side are joined. */
export type Output =
  | { readonly type: 'stream'; readonly name: 'stdout' | 'stderr'; text: string }
  | {
      readonly type: 'display_data' | 'update_display_data';
      readonly data: Content;
      readonly metadata: Content;
      readonly transient?: Content;
    }
  | {
      readonly type: 'execute_result';
      readonly count: number;
      readonly data: Content;
      readonly metadata: Content;
    }
  | { readonly type: 'clear_output'; readonly wait: boolean }
  | ({ readonly type: 'error' } & CellError);

export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

export interface CellResult {
  readonly id: string;
  /** Content of the execute_reply. */
  readonly reply: Content;
  readonly status: string;
  readonly count: number | undefined;
  readonly outputs: readonly Output[];
  readonly stdout: string;
  readonly stderr: string;
  /** `text/plain` of the result, undefined where the cell has none. */
  readonly result: string | undefined;
  /** Mime bundle of the result. */
  readonly bundle: Content | undefined;
  /** Of the `error` message on iopub. */
  readonly error: CellError | undefined;
  /** All messages of iopub that answer this cell, statuses too. */
  readonly messages: readonly Message[];
}

/** Collects what answers one cell. */
export class CellRun {
  readonly messages: Message[] = [];
  readonly #outputs: Output[] = [];
  #reply: Message | undefined;
  #isIdle = false;

  constructor(readonly id: string) {}

  get isDone(): boolean {
    return this.#isIdle && this.#reply !== undefined;
  }

  replied(message: Message): void {
    this.#reply = message;
  }

  published(message: Message): void {
    this.messages.push(message);
    const { type, content } = message;
    if (type === 'status') this.#isIdle ||= content['execution_state'] === 'idle';
    else if (type === 'stream')
      this.#stream(content as unknown as { name: 'stdout' | 'stderr'; text: string });
    else if (type === 'clear_output') this.#outputs.push({ type, wait: content['wait'] === true });
    else if (type === 'error') this.#outputs.push({ type, ...(content as unknown as CellError) });
    else if (type === 'execute_result') {
      const { data, metadata, execution_count } = content;
      this.#outputs.push({
        type,
        count: execution_count as number,
        data: data as Content,
        metadata: metadata as Content,
      });
    } else if (type === 'display_data' || type === 'update_display_data') {
      const { data, metadata, transient } = content as Record<'data' | 'metadata' | 'transient', Content>;
      this.#outputs.push({ type, data, metadata, ...(transient && { transient }) });
    }
  }

  #stream({ name, text }: { name: 'stdout' | 'stderr'; text: string }): void {
    const last = this.#outputs.at(-1);
    if (last?.type === 'stream' && last.name === name) last.text += text;
    else this.#outputs.push({ type: 'stream', name, text });
  }

  result(): CellResult {
    const outputs = this.#outputs;
    const text = (name: string) =>
      outputs.map((output) => (output.type === 'stream' && output.name === name ? output.text : '')).join('');
    const result = outputs.find((output) => output.type === 'execute_result');
    const error = outputs.find((output) => output.type === 'error');
    const reply = this.#reply!.content;
    return {
      id: this.id,
      reply,
      status: reply['status'] as string,
      count: reply['execution_count'] as number | undefined,
      outputs,
      stdout: text('stdout'),
      stderr: text('stderr'),
      result: result?.data['text/plain'] as string | undefined,
      bundle: result?.data,
      error: error && { ename: error.ename, evalue: error.evalue, traceback: error.traceback },
      messages: this.messages,
    };
  }
}
