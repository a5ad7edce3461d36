import type { CellLanguage, LanguageClient } from '../../../src/kernel/cell-engine.js';

/** A reading half in the same thread. */
export const asClient = (language: CellLanguage): LanguageClient => ({
  convert: async (cell) => language.convert(cell),
  commit: (...parameters) => language.commit(...parameters),
  inspect: (...parameters) => Promise.resolve(language.inspect(...parameters)),
  setStrictness: (level) => language.setStrictness(level),
  reset: () => language.reset(),
});
