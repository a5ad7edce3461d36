import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile } from '../compiled.js';
import { requireFileSync } from '../io/regular-file.js';
import { sha256 } from '../manifests/sha256.js';
import { importGuarded, type UserFile } from './import-guarded.js';

const own = (file: string): string => pathToFileURL(compiledFile(file)).href;

/** What this package exports, by the name it is imported from. */
const ownEntries: Readonly<Record<string, string>> = {
  gondwana: own('index.js'),
  'gondwana/engine': own('engine/index.js'),
  'gondwana/encoders': own('encoders/index.js'),
  'gondwana/decoders': own('decoders/index.js'),
};

/** Exports of a module by name. */
export type Exports = Readonly<Record<string, unknown>>;

export const importModule = async (file: string): Promise<Exports> =>
  (await import(pathToFileURL(file).href)) as Exports;

/**
 * Imports a user's TypeScript or JavaScript file: translated, not type-checked; `import … from 'gondwana'` means this
 * very package.
 * @param asError makes the error of what the file throws
 * @returns its exports, and a sha256 of all its source files, wherever they lie
 * @throws what `asError` makes
 */
export async function importTypeScript(
  file: UserFile,
  asError: (cause: unknown, file: string) => Error,
): Promise<{ readonly exports: Exports; readonly digest: string }> {
  const { build } = await import('esbuild');
  const bundle = path.join(tmpdir(), `gondwana-${file.what}-${process.pid}-${randomUUID()}.mjs`);
  const remove = (): void => rmSync(bundle, { force: true });
  process.on('exit', remove);
  try {
    requireFileSync(file.path); // the translator would wait for the writer of a pipe
    const result = await build({
      entryPoints: [file.path],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      metafile: true,
      write: false,
      logLevel: 'silent',
      plugins: [resolvePackages(file.path)],
    });
    await writeFile(bundle, result.outputFiles[0]!.contents);
    const exports = await importGuarded(() => importModule(bundle), file);
    return { exports, digest: digestOf(Object.keys(result.metafile.inputs)) };
  } catch (cause) {
    throw asError(cause, file.path);
  } finally {
    await rm(bundle, { force: true });
    process.off('exit', remove);
  }
}

/** Packages stay outside the bundle, by the address that the study's own folder gives them; ours is this one. */
function resolvePackages(file: string): import('esbuild').Plugin {
  const requireFromStudy = createRequire(file);
  return {
    name: 'packages-outside',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) => {
        if (kind === 'entry-point' || path.isAbsolute(name)) return undefined;
        if (Object.hasOwn(ownEntries, name)) return { path: ownEntries[name]!, external: true };
        if (isBuiltin(name)) return { path: name, external: true };
        return { path: pathToFileURL(requireFromStudy.resolve(name)).href, external: true };
      });
    },
  };
}

const digestOf = (files: readonly string[]): string =>
  sha256(
    files
      .map((name) => sha256(readFileSync(name, 'utf8')))
      .sort()
      .join(),
  );
