/** A socket that takes one message after the other. */
export interface Sender {
  send(frames: (Buffer | string)[]): Promise<void>;
}

interface Letter {
  readonly frames: (Buffer | string)[];
  readonly onSent: (() => void) | undefined;
}

/**
 * Sends in order, one at a time: ZeroMQ's binding refuses a message while another is on its way.
 * What cannot be sent is told to `onError` and left out; those after it go on.
 */
export class Outbox {
  readonly #socket: Sender;
  readonly #onError: (error: Error) => void;
  #waiting: Letter[] = [];
  #work: Promise<void> | undefined;

  constructor(socket: Sender, onError: (error: Error) => void) {
    this.#socket = socket;
    this.#onError = onError;
  }

  /** @param onSent called when ZeroMQ has the message, or has refused it */
  send(frames: (Buffer | string)[], onSent?: () => void): void {
    this.#waiting.push({ frames, onSent });
    this.#work ??= this.#drain();
  }

  /** Resolves when all that was put in so far is handed to ZeroMQ. */
  async sent(): Promise<void> {
    await this.#work;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const { frames, onSent } of batch) {
        try {
          await this.#socket.send(frames);
        } catch (error) {
          this.#onError(error as Error);
        }
        onSent?.();
      }
    }
    this.#work = undefined;
  }
}
