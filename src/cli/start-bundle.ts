import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import * as errors from '../errors.js';
import * as registry from '../registry.js';
import * as loadedPlugins from '../studies/loaded-plugins.js';

/** Modules that must be the same for a bundle and for what stays outside: classes that are asked for, what was registered. */
export const SHARED: Readonly<Record<string, unknown>> = {
  '../errors.js': errors,
  '../registry.js': registry,
  '../studies/loaded-plugins.js': loadedPlugins,
};

/** Names of a bundle's parameters, in their order. */
export const BUNDLE_PARAMETERS = ['module', 'require', 'importModule', 'bundleUrl'] as const;

type BundleFunction = (
  module: { exports: { readonly main?: (argv: readonly string[]) => Promise<number> } },
  require: (name: string) => unknown,
  importModule: (name: string) => Promise<unknown>,
  bundleUrl: string,
) => void;

/**
 * Runs a command line from one file (`bundleCommands`), with V8's code for it where an earlier process has left that beside
 * it: to compile takes a third of what an empty task takes. The code fits one build of V8, one kind of processor and one text.
 * @param name of the bundle, e.g. `task`
 * @param beside a file in the folder of the bundles
 * @returns the exit code
 */
export async function startBundle(
  name: string,
  argv: readonly string[],
  beside: string = import.meta.url,
): Promise<number> {
  const url = new URL(`${name}.bundle.cjs`, beside);
  const source = readFileSync(url, 'utf8');
  const codeName = `${name}.${digest(source).slice(0, 16)}.${cachedDataVersionTag()}.code`;
  const codeFile = fileURLToPath(new URL(codeName, beside));
  const cachedData = readCode(codeFile);
  const script = new Script(source, { filename: fileURLToPath(url), ...(cachedData && { cachedData }) });
  const module: Parameters<BundleFunction>[0] = { exports: {} };
  const require = (wanted: string): unknown => SHARED[wanted] ?? process.getBuiltinModule(wanted);
  (script.runInThisContext() as BundleFunction)(module, require, (wanted) => import(wanted), url.href);
  const exitCode = await module.exports.main!(argv);
  // only now, with all that it has compiled on its way
  if (!cachedData || script.cachedDataRejected) keepCode(codeFile, () => script.createCachedData());
  return exitCode;
}

// as `sha256` and `writeFileAtomic` do: each module that is not in the bundle costs an empty task two milliseconds
const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Digits in front of the code. */
const DIGEST_LENGTH = 64;

/** @returns undefined where there is none, or it is damaged: V8 would not notice */
function readCode(file: string): Buffer | undefined {
  try {
    const content = readFileSync(file);
    const code = content.subarray(DIGEST_LENGTH);
    const isWhole = content.subarray(0, DIGEST_LENGTH).toString('latin1') === digest(code);
    return isWhole && code.length > 0 ? code : undefined;
  } catch {
    return undefined;
  }
}

/** As a whole or not at all. Where nothing can be written every process compiles, and the command has done its work. */
function keepCode(file: string, make: () => Buffer): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  let made: number | undefined;
  try {
    made = openSync(temporary, 'wx', 0o644);
    const code = make();
    writeFileSync(made, Buffer.concat([Buffer.from(digest(code), 'latin1'), code]));
    renameSync(temporary, file);
  } catch {
    if (made !== undefined) remove(temporary);
  } finally {
    if (made !== undefined) closeSync(made);
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // a file without use stays
  }
}
