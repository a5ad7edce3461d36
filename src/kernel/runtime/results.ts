/** Results of cells under the names IPython gives them: `_`, `__`, `___`, `Out[3]`; what was typed is `In[3]`. */
export class Results {
  // like IPython's, so that `In[3]` is cell 3
  #in: string[] = [''];
  #out: Record<number, unknown> = {};
  #last: unknown[] = [];

  constructor() {
    const define = (name: string, get: () => unknown): void =>
      void Object.defineProperty(globalThis, name, {
        configurable: true,
        get,
        // a script of its own may use the name; it then loses ours, as in IPython
        set: (value: unknown) =>
          void Object.defineProperty(globalThis, name, { value, writable: true, configurable: true }),
      });
    define('_', () => this.#last[0]);
    define('__', () => this.#last[1]);
    define('___', () => this.#last[2]);
    define('In', () => this.#in);
    define('Out', () => this.#out);
  }

  begin(count: number, code: string): void {
    this.#in[count] = code;
  }

  keep(count: number, value: unknown): void {
    this.#out[count] = value;
    this.#last = [value, ...this.#last].slice(0, 3);
  }

  reset(): void {
    this.#in = [''];
    this.#out = {};
    this.#last = [];
  }
}
