import type { IncomingMessage } from '../../kernel/client/client.js';
import type { Bundle, CodeCell, DataOutput } from './format.js';

/** Of one stream in a row; a notebook that is larger opens nowhere. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const CUT_OFF = '\n… what the cell printed after 16 MiB is not kept\n';

/**
 * Turns a kernel's messages into the outputs of cells, as a front end does: texts of one stream are joined, what
 * has a display id is replaced wherever it was shown, and `clear_output` waits for the next output where asked to.
 */
export class OutputRecorder {
  /** Cells by the id of the request that ran them. */
  readonly #cells = new Map<string, CodeCell>();
  readonly #waitingToClear = new Set<CodeCell>();
  readonly #displays = new Map<string, Set<{ cell: CodeCell; output: DataOutput }>>();

  /** From now on messages about this request belong to the cell. */
  follow(requestId: string, cell: CodeCell): void {
    this.#cells.set(requestId, cell);
  }

  /** Takes a message of the output socket; those that no followed request caused are passed over. */
  take({ header, parentHeader, content }: IncomingMessage): void {
    const cell = this.#cells.get(parentHeader.msg_id ?? '');
    if (!cell) return;
    switch (header.msg_type) {
      case 'stream':
        return this.#stream(cell, text(content.name), text(content.text));
      case 'display_data':
      case 'execute_result':
        return this.#show(cell, header.msg_type, content);
      case 'update_display_data':
        return this.#update(content);
      case 'error':
        this.#clearIfAsked(cell);
        cell.outputs.push({
          output_type: 'error',
          ename: text(content.ename),
          evalue: text(content.evalue),
          traceback: Array.isArray(content.traceback) ? content.traceback.map(text) : [],
        });
        return;
      case 'clear_output':
        if (content.wait === true) this.#waitingToClear.add(cell);
        else this.#clear(cell);
        return;
      case 'execute_input':
        cell.execution_count = count(content.execution_count);
    }
  }

  #stream(cell: CodeCell, name: string, added: string): void {
    this.#clearIfAsked(cell);
    const last = cell.outputs.at(-1);
    if (last?.output_type !== 'stream' || last.name !== name) {
      cell.outputs.push({ output_type: 'stream', name, text: overwrite(added) });
    } else if (last.text.length + added.length <= KEPT_CHARACTERS) {
      const open = last.text.lastIndexOf('\n') + 1; // only the line that is open can be written over
      last.text = last.text.slice(0, open) + overwrite(last.text.slice(open) + added);
    } else if (!last.text.endsWith(CUT_OFF)) {
      last.text += CUT_OFF;
    }
  }

  #show(cell: CodeCell, kind: DataOutput['output_type'], content: IncomingMessage['content']): void {
    this.#clearIfAsked(cell);
    const output: DataOutput = {
      output_type: kind,
      data: object(content.data),
      metadata: object(content.metadata),
      ...(kind === 'execute_result' && { execution_count: count(content.execution_count) }),
    };
    cell.outputs.push(output);
    const id = displayId(content);
    if (id === undefined) return;
    // a display id that is shown again changes what it showed before
    this.#update(content);
    const places = this.#displays.get(id) ?? new Set();
    this.#displays.set(id, places.add({ cell, output }));
  }

  #update(content: IncomingMessage['content']): void {
    for (const { output } of this.#displays.get(displayId(content) ?? '') ?? []) {
      output.data = object(content.data);
      output.metadata = object(content.metadata);
    }
  }

  #clearIfAsked(cell: CodeCell): void {
    if (this.#waitingToClear.delete(cell)) this.#clear(cell);
  }

  #clear(cell: CodeCell): void {
    this.#waitingToClear.delete(cell);
    cell.outputs = [];
    for (const places of this.#displays.values()) {
      for (const place of places) if (place.cell === cell) places.delete(place);
    }
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const object = (value: unknown): Bundle =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function displayId(content: IncomingMessage['content']): string | undefined {
  const id = object(content.transient).display_id;
  return typeof id === 'string' ? id : undefined;
}

/**
 * What a terminal would show of a text with carriage returns and backspaces: a bar that draws itself over again
 * is kept in its last state. An open line stays as it is where no character follows the carriage return.
 */
export function overwrite(value: string): string {
  if (!/[\r\b]/.test(value)) return value;
  const lines = value.replace(/\r+\n/g, '\n').split('\n');
  return lines.map(overwriteLine).join('\n');
}

function overwriteLine(line: string): string {
  if (!/[\r\b]/.test(line)) return line;
  // the cursor's return is kept at the end: the next text of the stream writes over this one
  const tail = /\r+$/.test(line) ? '\r' : '';
  let shown = '';
  for (const whole of line.replace(/\r+$/, '').split('\r')) {
    const part = whole.replace(/^\u001b\[[02]?K/, ''); // erases the line
    if (part !== whole) shown = '';
    let written = '';
    for (const character of part) {
      if (character === '\b') written = written.slice(0, -1);
      else written += character;
    }
    shown = written + shown.slice(written.length);
  }
  return shown + tail;
}
