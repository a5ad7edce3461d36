import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** What the command line loads later and a task always needs; the rest of what is loaded later stays outside. */
const NEEDED: readonly string[] = ['cli/commands/worker.js', 'studies/run-task.js'];

/** Modules that must be the same for the bundle and for what stays outside: classes that are asked for, what was registered. */
const SHARED: readonly string[] = ['errors.js', 'registry.js', 'studies/loaded-plugins.js'];

/**
 * Writes one file with all that a task of a cluster needs before a run begins to compute: some two hundred modules, each
 * small, take longer to load than all else that such a task does. Called by the build, once everything is compiled.
 * @param dist folder of what was compiled
 * @param file written, in the folder of the command line, of which it is a part: paths from it are the same
 */
export async function bundleTask(dist: string, file: string): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(dist, 'cli/main.js')],
    outfile: file,
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20' },
    ...{ minifyWhitespace: true, minifySyntax: true, logLevel: 'error' },
    plugins: [seams(dist, path.dirname(file))],
    banner: {
      js: [
        '// Parts of Gondwana with commander and zod (both MIT licence).',
        "import { createRequire } from 'node:module';",
        'const require = createRequire(import.meta.url);',
      ].join('\n'),
    },
  });
}

/** What is inside, and where the rest lies. */
const seams = (dist: string, folder: string): Plugin => ({
  name: 'seams',
  setup(build) {
    // a module that looks for files beside itself stays where it is
    const isOutside = (module: string, kind: string): boolean =>
      kind === 'dynamic-import'
        ? !NEEDED.includes(module)
        : SHARED.includes(module) || readFileSync(path.join(dist, module), 'utf8').includes('import.meta');
    build.onResolve({ filter: /^\.\.?\// }, ({ path: wanted, resolveDir, kind }) => {
      const file = path.resolve(resolveDir, wanted);
      const module = path.relative(dist, file);
      if (module.startsWith('..') || kind === 'entry-point' || !isOutside(module, kind)) return undefined;
      const from = path.relative(folder, file);
      return { path: from.startsWith('.') ? from : `./${from}`, external: true };
    });
    // messages in sixty languages, none of which is ever asked for
    build.onLoad({ filter: /node_modules.zod.v4.locales.index\.js$/ }, () => ({ contents: 'export {};' }));
  },
});
