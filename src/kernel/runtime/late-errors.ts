/** Errors that no cell awaits: the first of a cell are told, the others counted, so that a storm of them ends. */
export class LateErrors {
  readonly #tell: (text: string) => void;
  #count = 0;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** @param describe called where the error is told. Never throws. */
  report(describe: () => string): void {
    try {
      this.#count++;
      if (this.#count <= TOLD) this.#tell(`${describe()}\n`);
    } catch {
      // a cell has replaced what this needs; an error here would end the kernel
    }
  }

  /** A cell ends or begins: says how many were not told so far. */
  flush(): void {
    const more = this.#count - TOLD;
    this.#count = 0;
    if (more > 0) this.#tell(`… and ${more} errors more that no cell awaits\n`);
  }
}

const TOLD = 50;
