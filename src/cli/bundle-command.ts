import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { BUNDLE_PARAMETERS, SHARED } from './start-bundle.js';

interface BundledCommand {
  /** Module with `main`. */
  readonly entry: string;
  /** What is needed of all that this loads later; the rest stays outside. */
  readonly needed: readonly string[];
}

/** Commands that begin from one file. */
const BUNDLES: Readonly<Record<string, BundledCommand>> = {
  task: { entry: 'cli/task.js', needed: ['cli/commands/worker.js', 'studies/run-task.js'] },
  status: {
    entry: 'cli/main.js',
    needed: [
      ...['cli/commands/status.js', 'studies/study-status.js', 'studies/status-sheets.js'],
      ...['studies/watch-status.js', 'studies/replay-search.js'],
    ],
  },
};

/** Modules that plugins fill, and that no bundle may have a second time; one that needs them has to share them. */
const FILLED_BY_PLUGINS = ['manifests/read-manifest.js'];

/**
 * Writes one file for each of these commands, with all that it needs before it begins its work: some two hundred modules,
 * each small, take longer to load than all else that such a command does. `startBundle` runs them. Called by the build, once
 * everything is compiled.
 * @param dist folder of what was compiled; the files lie beside the command line, of which they are parts: paths from there
 * are the same
 * @throws Error where a module is written in a way that a bundle would change
 */
export async function bundleCommands(dist: string): Promise<void> {
  const { build } = await import('esbuild');
  const folder = path.join(dist, 'cli');
  for (const name of readdirSync(folder))
    if (/\.bundle\.cjs$|\.code(\.|$)/.test(name)) rmSync(path.join(folder, name));
  for (const [name, { entry, needed }] of Object.entries(BUNDLES)) {
    const { warnings, metafile } = await build({
      entryPoints: [path.join(dist, entry)],
      outfile: path.join(folder, `${name}.bundle.cjs`),
      ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node20' },
      ...{ minifyWhitespace: true, minifySyntax: true, logLevel: 'error', metafile: true },
      plugins: [seams(dist, folder, needed)],
      banner: {
        js: `// Parts of Gondwana with commander and zod (both MIT licence).\n(function (${BUNDLE_PARAMETERS.join(', ')}) {`,
      },
      footer: { js: '})' },
    });
    const inside = new Set(
      Object.keys(metafile.inputs).map((file) => path.relative(dist, path.resolve(file))),
    );
    const faults = [
      ...warnings.map(({ text }) => text),
      ...needed.filter((module) => !inside.has(module)).map((module) => `${module} is not needed`),
      ...FILLED_BY_PLUGINS.filter((module) => inside.has(module)).map((module) => `${module} is inside`),
    ];
    if (faults.length > 0) throw new Error(`${name}.bundle.cjs: ${faults.join('; ')}`);
  }
}

/** What is inside, and where the rest lies. */
const seams = (dist: string, folder: string, needed: readonly string[]): Plugin => ({
  name: 'seams',
  setup(build) {
    const fromBundle = (file: string): string => {
      const from = path.relative(folder, file);
      return from.startsWith('.') ? from : `./${from}`;
    };
    build.onResolve({ filter: /^\.\.?\// }, ({ path: wanted, resolveDir, kind }) => {
      const file = fromBundle(path.resolve(resolveDir, wanted));
      return kind !== 'entry-point' && file in SHARED ? { path: file, external: true } : undefined;
    });
    build.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      if (path.relative(dist, file).startsWith('..')) return undefined;
      const contents = readFileSync(file, 'utf8')
        // it stays the address of the module's own file
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(fromBundle(file))}, bundleUrl).href`)
        .replaceAll(
          /(?<![.\w])import\((?:'([^']+)'\)|(?=\s*(['"`]))?)/g,
          (found, wanted?: string, quote?: string) => {
            if (quote !== undefined)
              throw new Error(`${file}: an import() that is no plain word in single quotes`);
            if (wanted === undefined) return 'importModule(';
            const target = path.resolve(path.dirname(file), wanted);
            if (needed.includes(path.relative(dist, target))) return found;
            return `importModule(${JSON.stringify(wanted.startsWith('.') ? fromBundle(target) : wanted)})`;
          },
        );
      return { contents };
    });
    // messages in sixty languages, none of which is ever asked for
    build.onLoad({ filter: /node_modules.zod.v4.locales.index\.js$/ }, () => ({ contents: 'export {};' }));
  },
});
