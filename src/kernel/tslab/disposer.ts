/** Resources of `using`, of a block or a cell; ended in reverse order. */
export class Disposer {
  readonly #resources: { dispose(): unknown }[] = [];
  #failure: { readonly error: unknown } | undefined;

  /** @throws TypeError where the value cannot be disposed of; null and undefined are passed over, as in the language */
  use<T>(value: T, isAsync = false): T {
    if (value === null || value === undefined) return value;
    const resource = value as Record<symbol, unknown>;
    // Node 20 has the symbols, and no types for them
    const { asyncDispose, dispose } = Symbol as unknown as { asyncDispose: symbol; dispose: symbol };
    const method = (isAsync ? resource[asyncDispose] : undefined) ?? resource[dispose];
    if (typeof method !== 'function') {
      throw new TypeError(
        `Symbol.${isAsync ? 'asyncDispose' : 'dispose'} is not a function of this resource.`,
      );
    }
    this.#resources.push({ dispose: () => (method as () => unknown).call(value) });
    return value;
  }

  /** What the block threw. */
  fail(error: unknown): void {
    this.#failure = { error };
  }

  /** @throws what the block threw, or what a disposal did */
  end(): void {
    for (let resource = this.#resources.pop(); resource; resource = this.#resources.pop()) {
      try {
        resource.dispose();
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#rethrow();
  }

  /** The same, each disposal awaited. */
  async endAsync(): Promise<void> {
    for (let resource = this.#resources.pop(); resource; resource = this.#resources.pop()) {
      try {
        await resource.dispose();
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#rethrow();
  }

  get isEmpty(): boolean {
    return this.#resources.length === 0;
  }

  #suppress(error: unknown): void {
    this.#failure = { error: this.#failure ? suppressed(error, this.#failure.error) : error };
  }

  #rethrow(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

/** `SuppressedError` of the language, which Node 20 lacks. */
function suppressed(error: unknown, earlier: unknown): Error {
  const both = new Error('An error was suppressed during disposal');
  both.name = 'SuppressedError';
  return Object.assign(both, { error, suppressed: earlier });
}
