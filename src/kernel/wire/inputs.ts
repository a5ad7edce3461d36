import type { ToMain } from '../protocol.js';
import type { Framing, IncomingMessage } from './message.js';
import type { Outbox } from './outbox.js';

/** Questions of cells to the front end, over the stdin channel: one at a time, the newest counts. */
export class Inputs {
  readonly #framing: Framing;
  readonly #outbox: Outbox;
  readonly #toMain: (message: ToMain) => void;
  #pending: { readonly n: number; readonly cell: string; readonly message: string } | undefined;

  constructor(framing: Framing, outbox: Outbox, toMain: (message: ToMain) => void) {
    this.#framing = framing;
    this.#outbox = outbox;
    this.#toMain = toMain;
  }

  /** Asks the front end that sent the cell. */
  ask(n: number, question: { prompt: string; password: boolean }, cell: IncomingMessage): void {
    const header = this.#framing.header('input_request');
    this.#pending = { n, cell: cell.header.msg_id, message: header.msg_id };
    const { prompt, password } = question;
    const message = {
      identities: cell.identities,
      type: 'input_request',
      content: { prompt, password },
      parent: cell.header,
    };
    this.#outbox.send(this.#framing.encode(message, header));
  }

  /** A reply that names another question, or that nobody waits for, is dropped. */
  answer({ header, parentHeader, content }: IncomingMessage): void {
    const pending = this.#pending;
    if (header.msg_type !== 'input_reply' || !pending) return;
    // not every client names the question that it answers
    if (parentHeader.msg_type === 'input_request' && parentHeader.msg_id !== pending.message) return;
    this.#pending = undefined;
    const value = content['value'];
    this.#toMain({ type: 'input-reply', n: pending.n, value: typeof value === 'string' ? value : '' });
  }

  /** The cell ended: nobody waits for an answer any more. */
  forget(cell: string): void {
    if (this.#pending?.cell === cell) this.#pending = undefined;
  }
}
