/** A socket that takes one message after the other. */
export interface Sender {
  send(frames: (Buffer | string)[]): Promise<void>;
}

/**
 * Sends in order, one at a time: ZeroMQ's binding refuses a message while another is on its way.
 * What cannot be sent is told to `onError` and left out; those after it go on.
 */
export class Outbox {
  readonly #socket: Sender;
  readonly #onError: (error: Error) => void;
  #waiting: (Buffer | string)[][] = [];
  #work: Promise<void> | undefined;

  constructor(socket: Sender, onError: (error: Error) => void) {
    this.#socket = socket;
    this.#onError = onError;
  }

  send(frames: (Buffer | string)[]): void {
    this.#waiting.push(frames);
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
      for (const frames of batch) {
        try {
          await this.#socket.send(frames);
        } catch (error) {
          this.#onError(error as Error);
        }
      }
    }
    this.#work = undefined;
  }
}
