import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run, say, seconds, SetUpError } from './process.mjs';

const stampFile = path.join(root, 'dist', '.build-stamp');
const compilerInfo = path.join(root, 'dist', '.tsbuildinfo');

/** The compiler by its full path: another package also installs a command called `tsc`, an older one. */
export const compiler = path.join('node_modules', 'typescript', 'bin', 'tsc');

const filesBelow = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
    : [];

/** The shipped ones; what lies in folders below them is not. */
const studyFiles = () => readdirSync(path.join(root, 'studies')).filter((file) => file.endsWith('.ts'));

const sourceFiles = () => filesBelow(path.join(root, 'src')).filter((file) => file.endsWith('.ts'));

/** Hash of all that decides what `dist` holds. */
function sourceHash() {
  const hash = createHash('sha256');
  for (const file of [
    'tsconfig.json',
    'package-lock.json',
    ...sourceFiles().map((f) => path.join('src', f)),
    ...studyFiles().map((f) => path.join('studies', f)),
  ]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Removes what deleted sources left in `dist`; a missing output makes the compiler start afresh. */
function prune(sources) {
  const expected = new Set(
    sources.flatMap((file) => {
      const stem = file.replace(/\.ts$/, '');
      return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
    }),
  );
  expected.add(EMBED_BUNDLE);
  const present = new Set(filesBelow(path.join(root, 'dist')));
  for (const file of present) {
    if (/\.(js|js\.map|d\.ts)$/.test(file) && !expected.has(file)) rmSync(path.join(root, 'dist', file));
  }
  if ([...expected].some((file) => file.endsWith('.js') && !present.has(file)))
    rmSync(compilerInfo, { force: true });
}

const EMBED_BUNDLE = path.join('report', 'vega-embed-bundle.js');

/** Address of a module that was just compiled. */
const compiled = (module) => pathToFileURL(path.join(root, 'dist', module)).href;

/** Shipped studies as modules, so that naming one loads no translator. */
async function compileStudies() {
  const { translateStudy } = await import(compiled('studies/translate-study.js'));
  const folder = path.join(root, 'dist', 'shipped');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of studyFiles()) {
    const source = readFileSync(path.join(root, 'studies', file), 'utf8');
    writeFileSync(path.join(folder, file.replace(/\.ts$/, '.mjs')), await translateStudy(source));
  }
}

/** The script that draws charts in reports, so that no report waits for it to be built. */
async function bundleCharts() {
  const { buildEmbedBundle } = await import(
    pathToFileURL(path.join(root, 'dist/report/embed-bundle.js')).href
  );
  writeFileSync(path.join(root, 'dist', EMBED_BUNDLE), await buildEmbedBundle());
}

/**
 * Compiles `src` into `dist` unless the stamp says that this very source was compiled.
 * @throws SetUpError with the compiler's messages
 */
export async function buildSources({ force = false } = {}) {
  const hash = sourceHash();
  if (!force && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash) return false;
  const started = performance.now();
  rmSync(stampFile, { force: true });
  prune(sourceFiles());
  const { code, output } = await run(process.execPath, [compiler, '-p', '.']);
  if (code !== 0)
    throw new SetUpError(`The sources do not compile:\n${output.trimEnd()}`, 'mend the lines named above');
  await compileStudies();
  await bundleCharts();
  const { bundleCommands } = await import(compiled('cli/bundle-command.js'));
  await bundleCommands(path.join(root, 'dist'));
  writeFileSync(stampFile, hash);
  say(`built dist/ in ${seconds(started)} s`);
  return true;
}
