import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** Commands that begin from one file, and what they need of all that the command line loads later; the rest stays outside. */
const BUNDLED = {
  'task.js': ['cli/commands/worker.js', 'studies/run-task.js'],
  'status.js': [
    ...['cli/commands/status.js', 'studies/study-status.js', 'studies/status-sheets.js'],
    ...['studies/watch-status.js', 'studies/replay-search.js'],
  ],
} as const satisfies Record<string, readonly string[]>;

/** Modules that must be the same for the bundle and for what stays outside: classes that are asked for, what was registered. */
const SHARED: readonly string[] = ['errors.js', 'registry.js', 'studies/loaded-plugins.js'];

/**
 * Writes one file for each of these commands, with all that it needs before it begins its work: some two hundred modules,
 * each small, take longer to load than all else that such a command does. Called by the build, once everything is compiled.
 * @param dist folder of what was compiled; the files lie beside the command line, of which they are parts: paths from there
 * are the same
 */
export async function bundleCommands(dist: string): Promise<void> {
  const { build } = await import('esbuild');
  for (const [name, needed] of Object.entries(BUNDLED)) {
    const file = path.join(dist, 'cli', name);
    await build({
      entryPoints: [path.join(dist, 'cli/main.js')],
      outfile: file,
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20' },
      ...{ minifyWhitespace: true, minifySyntax: true, logLevel: 'error' },
      plugins: [seams(dist, path.dirname(file), needed)],
      banner: {
        js: [
          '// Parts of Gondwana with commander and zod (both MIT licence).',
          "import { createRequire } from 'node:module';",
          'const require = createRequire(import.meta.url);',
        ].join('\n'),
      },
    });
  }
}

/** What is inside, and where the rest lies. */
const seams = (dist: string, folder: string, needed: readonly string[]): Plugin => ({
  name: 'seams',
  setup(build) {
    // a module that looks for files beside itself stays where it is
    const isOutside = (module: string, kind: string): boolean =>
      kind === 'dynamic-import'
        ? !needed.includes(module)
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
