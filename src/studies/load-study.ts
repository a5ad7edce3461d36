import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compiledFile } from '../compiled.js';
import { InputError, nearest, UsageError } from '../errors.js';
import { defineStudy, type Study } from './define-study.js';
import { sha256 } from '../manifests/sha256.js';
import { importModule, importTypeScript } from './import-typescript.js';
import { registerExports } from './load-plugin.js';
import type { StudyDefinition } from './study.js';

const shippedFolder = compiledFile('shipped');

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
  const { exports: loaded, digest } = isFile
    ? await importTypeScript({ path: file, code: 'STUDY_FILE', what: 'study' }, asStudyError)
    : { exports: await importModule(file), digest: sha256(readFileSync(file, 'utf8')) };
  // datasets, encoders and decoders that a study brings with it
  const { default: exported, ...others } = loaded;
  registerExports(file, others, digest);
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
