import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile } from '../compiled.js';
import { InputError, nearest, UsageError } from '../errors.js';
import { defineStudy, type Study } from './define-study.js';
import { importGuarded } from './import-guarded.js';
import type { StudyDefinition } from './study.js';

const shippedFolder = compiledFile('shipped');
const ownEntry = pathToFileURL(compiledFile('index.js')).href;

/** Ids of the studies that come with this package: `studies/`, compiled. */
export const shippedStudies = (): string[] =>
  readdirSync(shippedFolder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => name.slice(0, -'.mjs'.length))
    .sort();

/**
 * A study by the id of a shipped one, or from a `.ts` or `.mjs` file whose default export it is. TypeScript is
 * translated, not type-checked; `import … from 'gondwana'` means this very package.
 * @throws UsageError STUDY_UNKNOWN; InputError STUDY_FILE (missing, does not load, no default export), STUDY_INVALID
 */
export async function loadStudy(idOrFile: string): Promise<Study> {
  const isFile = /\.(ts|mts|js|mjs)$/.test(idOrFile);
  if (!isFile && !shippedStudies().includes(idOrFile)) {
    const guess = nearest(idOrFile, shippedStudies());
    throw new UsageError('STUDY_UNKNOWN', `There is no study "${idOrFile}".`, {
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${shippedStudies().join(', ')}; or name a .ts or .mjs file.`,
    });
  }
  const file = isFile ? path.resolve(idOrFile) : path.join(shippedFolder, `${idOrFile}.mjs`);
  if (!existsSync(file)) {
    throw new InputError('STUDY_FILE', 'There is no such file.', {
      where: file,
      hint: `"${idOrFile}" was looked for from the folder ${process.cwd()}. Shipped studies go by their id: ${shippedStudies().join(', ')}.`,
    });
  }
  const loaded = isFile ? await importTranspiled(file) : await importModule(file);
  const exported = loaded.default;
  if (typeof exported !== 'object' || exported === null) {
    throw new InputError('STUDY_FILE', 'The file has no default export that is a study.', {
      where: file,
      hint: 'End it with: export default defineStudy({ … })',
    });
  }
  try {
    return defineStudy(exported as StudyDefinition);
  } catch (cause) {
    throw asStudyError(cause, file);
  }
}

/** A definition that is refused is told as such, with the file it stands in; all else is a fault of the file. */
function asStudyError(cause: unknown, file: string): InputError {
  const { code, message, where, hint } = cause as InputError;
  if (cause instanceof InputError && code === 'STUDY_FILE') return cause;
  if (code === 'STUDY_INVALID')
    return new InputError(code, message, { where: `${file}, ${where}`, hint, cause });
  const what = cause instanceof Error ? message : String(cause);
  return new InputError('STUDY_FILE', `The study does not load: ${what}`, {
    where: file,
    hint: 'Correct the file; docs/guide/studies.md has one that works. `gondwana run FILE --dry-run` tries it without running anything.',
    cause,
  });
}

const importModule = async (file: string): Promise<{ default?: unknown }> =>
  (await import(pathToFileURL(file).href)) as { default?: unknown };

async function importTranspiled(file: string): Promise<{ default?: unknown }> {
  const { build } = await import('esbuild');
  const bundle = path.join(tmpdir(), `gondwana-study-${process.pid}-${randomUUID()}.mjs`);
  const remove = (): void => rmSync(bundle, { force: true });
  process.on('exit', remove);
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      write: false,
      logLevel: 'silent',
      plugins: [resolvePackages(file)],
    });
    await writeFile(bundle, result.outputFiles[0]!.contents);
    return await importGuarded(() => importModule(bundle), file);
  } catch (cause) {
    throw asStudyError(cause, file);
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
        if (name === 'gondwana') return { path: ownEntry, external: true };
        if (isBuiltin(name)) return { path: name, external: true };
        return { path: pathToFileURL(requireFromStudy.resolve(name)).href, external: true };
      });
    },
  };
}
