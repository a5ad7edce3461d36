import { pathToFileURL } from 'node:url';
import { InputError, nearest } from '../../errors.js';
import type { ModuleFunction } from './module-function.js';
import type { Namespace } from './native.js';

/** What a static import of a local module leads to. */
export type Dependency =
  | { readonly kind: 'module'; readonly file: string }
  /** Anything that this system does not run itself; `file` where it is one that may be edited. */
  | { readonly kind: 'other'; readonly specifier: string; readonly file?: string };

/** What this system asks of the loader around it. */
export interface ModuleHost {
  resolve(specifier: string, fromFile: string): Dependency;
  import(specifier: string, fromFile: string): Promise<Namespace>;
  require(specifier: string, fromFile: string): Namespace;
  /** `require` and `import.meta` for the module's own code. */
  requireOf(file: string): unknown;
  metaOf(file: string): unknown;
  compilerOptions(): Readonly<Record<string, unknown>>;
}

/** One version of a file. */
export interface LocalModule {
  readonly file: string;
  /** Name in stack traces: the file, with a number from its second version on. */
  readonly script: string;
  readonly source: string;
  readonly stamp: string;
  readonly body: ModuleFunction;
  readonly dependencies: ReadonlyMap<string, Dependency>;
  readonly namespace: Namespace;
  /** One per specifier, in the order of `body.specifiers`; those outside this system come as they are evaluated. */
  readonly imports: (Namespace | undefined)[];
  /** The same for modules of this system. */
  readonly links: (LocalModule | undefined)[];
  steps?: Generator | AsyncGenerator;
  state: 'loaded' | 'linked' | 'evaluating' | 'evaluated';
  /** While it evaluates: done when it is evaluated. */
  evaluation?: Promise<void>;
  /** The module whose evaluation this one waits for. */
  waitsFor?: LocalModule;
}

/** A script of this system, for stack traces: also versions that were edited since. */
export interface LocalScript {
  readonly file: string;
  readonly source: string;
  readonly body: ModuleFunction;
}

/** URL of a local module, for `import.meta.url`. */
export const urlOf = (file: string): string => pathToFileURL(file).href;

export const topLevelAwait = (file: string): InputError =>
  new InputError(
    'MODULE_TOP_LEVEL_AWAIT',
    'A module that awaits at its top level cannot be loaded by require().',
    {
      where: file,
      hint: `Write \`await import(…)\` or an import statement instead, or move the await into a function.`,
    },
  );

export function exportMissing(
  name: string,
  specifier: string,
  where: string,
  known: readonly string[],
): InputError {
  const guess = nearest(name, known);
  return new InputError('MODULE_EXPORT_MISSING', `"${specifier}" does not export "${name}".`, {
    where,
    hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}It exports: ${known.join(', ') || 'nothing'}.`,
  });
}
