import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

type Bundle = (
  module: { exports: { readonly main?: (argv: readonly string[]) => Promise<number> } },
  require: (name: string) => unknown,
  importModule: (name: string) => Promise<unknown>,
  bundleUrl: string,
) => void;

/**
 * Runs a command line from one file (`bundleCommands`), with V8's code for it where an earlier process has left that beside
 * it: to compile takes a third of what an empty task takes. The code fits one build of V8, one kind of processor and one text.
 * @param name of the bundle, e.g. `task`
 * @returns the exit code
 */
export async function main(name: string, argv: readonly string[]): Promise<number> {
  const url = new URL(`${name}.bundle.cjs`, import.meta.url);
  const source = readFileSync(url, 'utf8');
  const codeFile = fileURLToPath(
    new URL(`${name}.${digest(source).slice(0, 16)}.${cachedDataVersionTag()}.code`, import.meta.url),
  );
  const cachedData = readCode(codeFile);
  const script = new Script(source, { filename: fileURLToPath(url), ...(cachedData && { cachedData }) });
  const module: Parameters<Bundle>[0] = { exports: {} };
  const require = (wanted: string): unknown => SHARED[wanted] ?? process.getBuiltinModule(wanted);
  (script.runInThisContext() as Bundle)(module, require, (wanted) => import(wanted), url.href);
  const exitCode = await module.exports.main!(argv);
  if (!cachedData || script.cachedDataRejected) keepCode(codeFile, script.createCachedData()); // with what it has compiled by now
  return exitCode;
}

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Digits in front of the code. */
const DIGEST_LENGTH = 64;

/** @returns undefined where there is none, or it is damaged: V8 would not notice */
function readCode(file: string): Buffer | undefined {
  try {
    const content = readFileSync(file);
    const code = content.subarray(DIGEST_LENGTH);
    return content.subarray(0, DIGEST_LENGTH).toString('latin1') === digest(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** As a whole or not at all; where nothing can be written, every process compiles. */
function keepCode(file: string, code: Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, Buffer.concat([Buffer.from(digest(code), 'latin1'), code]), { flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}
