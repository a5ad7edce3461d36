import process from 'node:process';
import type { Message, TransformFailure, TransformOptions } from 'esbuild';
import { createRequire } from 'node:module';
import path from 'node:path';
import { InputError } from '../../errors.js';

/** JavaScript of a TypeScript file: an ES module, types taken out, with its source map as JSON. */
export interface Transpiled {
  readonly code: string;
  readonly map: string;
}

type Esbuild = typeof import('esbuild');

let loaded: Esbuild | undefined;

/** Loaded on first use: a notebook without local TypeScript never pays for it. */
const esbuild = (): Esbuild => (loaded ??= createRequire(import.meta.url)('esbuild') as Esbuild);

/** compilerOptions that change what code does; esbuild reads these. */
const honoured = [
  'experimentalDecorators',
  'jsx',
  'jsxFactory',
  'jsxFragmentFactory',
  'jsxImportSource',
  'preserveValueImports',
  'importsNotUsedAsValues',
  'useDefineForClassFields',
  'verbatimModuleSyntax',
];

/**
 * @param compilerOptions of the project's tsconfig.json; those for decorators, JSX and class fields are followed
 * @throws InputError MODULE_SYNTAX
 */
export async function transpile(
  source: string,
  file: string,
  compilerOptions: Readonly<Record<string, unknown>> = {},
): Promise<Transpiled> {
  const transform = () => esbuild().transform(source, options(file, compilerOptions));
  const begun = starts;
  try {
    return await transform().catch((error: unknown) => {
      restartAfter(error, begun);
      return transform();
    });
  } catch (error) {
    throw asSyntaxError(error, file);
  }
}

/** The same without waiting, for `require`. */
export function transpileSync(
  source: string,
  file: string,
  compilerOptions: Readonly<Record<string, unknown>> = {},
): Transpiled {
  const transform = () => esbuild().transformSync(source, options(file, compilerOptions));
  const begun = starts;
  try {
    try {
      return transform();
    } catch (error) {
      restartAfter(error, begun);
      return transform();
    }
  } catch (error) {
    throw asSyntaxError(error, file);
  }
}

/** How often esbuild's process was started anew. */
let starts = 0;

/**
 * esbuild works in a child process, and an interrupt of the cell (SIGINT to the kernel's process group) ends that
 * too. The first of those who find it gone has it started anew.
 * @throws the error, where that was not the cause
 */
function restartAfter(error: unknown, begun: number): void {
  const isGone =
    error instanceof Error && /service (was stopped|is no longer running)|EPIPE/.test(error.message);
  if (!isGone) throw error;
  if (begun !== starts) return;
  starts++;
  void esbuild().stop();
}

const options = (file: string, compilerOptions: Readonly<Record<string, unknown>>): TransformOptions => ({
  loader: ({ '.tsx': 'tsx', '.jsx': 'jsx' } as const)[path.extname(file)] ?? 'ts',
  format: 'esm',
  target: `node${process.versions.node}`,
  sourcefile: file,
  sourcemap: 'external',
  logLevel: 'silent',
  tsconfigRaw: {
    compilerOptions: Object.fromEntries(
      honoured.filter((name) => name in compilerOptions).map((name) => [name, compilerOptions[name]]),
    ),
  },
});

function asSyntaxError(error: unknown, file: string): unknown {
  const first = (error as Partial<TransformFailure>).errors?.[0];
  if (first === undefined) return error;
  const { location } = first;
  return new InputError('MODULE_SYNTAX', `${first.text}${frame(location)}`, {
    where: location ? `${file}:${location.line}:${location.column + 1}` : file,
    hint: 'Correct the file and run the cell again.',
    cause: error,
  });
}

function frame(location: Message['location']): string {
  if (!location) return '';
  const number = String(location.line);
  const marks = '^'.repeat(
    Math.max(1, Math.min(location.length, location.lineText.length - location.column)),
  );
  return `\n  ${number} | ${location.lineText}\n  ${' '.repeat(number.length)} | ${' '.repeat(location.column)}${marks}`;
}
