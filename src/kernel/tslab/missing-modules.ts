import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageOf } from '../modules/module-errors.js';
import { absolutePath, existingFile, isPath } from '../modules/resolve.js';

/**
 * Modules the compiler looked for in vain. It keeps that in mind for good, so once one of them is there (a package
 * was installed, a file written), it has to look again.
 */
export class MissingModules {
  readonly #folder: string;
  #specifiers = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  note(specifiers: readonly string[]): void {
    for (const specifier of specifiers) {
      if (specifier !== '' && !this.#exists(specifier)) this.#specifiers.add(specifier);
    }
  }

  /** True once where one of them exists now. */
  anyFound(): boolean {
    const found = [...this.#specifiers].filter((specifier) => this.#exists(specifier));
    for (const specifier of found) this.#specifiers.delete(specifier);
    return found.length > 0;
  }

  #exists(specifier: string): boolean {
    if (isPath(specifier)) return existingFile(absolutePath(specifier, this.#folder)) !== undefined;
    for (let at = this.#folder; ; at = path.dirname(at)) {
      if (existsSync(path.join(at, 'node_modules', packageOf(specifier), 'package.json'))) return true;
      if (at === path.dirname(at)) return false;
    }
  }
}
