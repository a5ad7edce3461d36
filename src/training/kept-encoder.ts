import type { AdaptedEncoder } from '../encoders/adapted-encoder.js';
import type { ParameterStore } from '../layers/parameters.js';

/** An encoder with its weights. */
export interface LoadedEncoder {
  readonly encoder: AdaptedEncoder;
  readonly parameters: ParameterStore;
  readonly dispose: () => void;
}

/** Gives a model its encoder, which stays with the giver. */
export type LendEncoder = (load: () => Promise<LoadedEncoder>) => Promise<LoadedEncoder>;

/** The frozen encoder that was loaded last: runs that differ only behind it need not load its weights again. */
export class KeptEncoder {
  #kept: { readonly key: string; readonly loaded: LoadedEncoder } | undefined;

  /** @param key of everything that the encoder depends on; one of another key is freed */
  lender(key: string): LendEncoder {
    if (this.#kept?.key !== key) this.dispose();
    return async (load) => {
      this.#kept ??= { key, loaded: await load() };
      return this.#kept.loaded;
    };
  }

  dispose(): void {
    this.#kept?.loaded.dispose();
    this.#kept = undefined;
  }
}
