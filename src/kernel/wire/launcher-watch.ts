import type { LauncherNote } from './launcher-link.js';
import type { Header } from './message.js';

/** A request to run a cell that has no reply yet. */
export interface OpenRequest {
  readonly identities: readonly Buffer[];
  readonly header: Header;
}

/** What the launcher knows of the kernel, from its notes. Lines that are none are passed over. */
export class LauncherWatch {
  /** The first is at work, the others wait. */
  readonly #open = new Map<string, OpenRequest>();
  #rest = '';
  #residentBytes = 0;
  /** The kernel is asked to end: its end is no death. */
  isEnding = false;
  /** It reads what native code and children print. */
  isListening = false;

  get open(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }

  /** Resident memory of the kernel when it was last heard of. */
  get residentBytes(): number {
    return this.#residentBytes;
  }

  read(bytes: Buffer): void {
    const lines = (this.#rest + bytes.toString('utf8')).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) {
      try {
        this.#take(JSON.parse(line) as LauncherNote);
      } catch {
        // a cell may write to any file descriptor
      }
    }
  }

  #take(note: LauncherNote): void {
    switch (note.type) {
      case 'queued': {
        const identities = note.identities.map((one) => Buffer.from(one, 'hex'));
        this.#open.set(note.header.msg_id, { identities, header: note.header });
        break;
      }
      case 'ended':
        this.#open.delete(note.id);
        break;
      case 'memory':
        this.#residentBytes = note.residentBytes;
        break;
      case 'listening':
        this.isListening = true;
        break;
      case 'ending':
        this.isEnding = true;
    }
  }
}
