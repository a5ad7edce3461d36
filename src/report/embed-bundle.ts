import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../io/atomic-file.js';
import { cacheFolder } from '../io/cache-folder.js';
import { createRequire } from 'node:module';
import { RunError } from '../errors.js';

/** Beside the compiled file, where the build puts it. */
export const EMBED_BUNDLE = 'vega-embed-bundle.js';

let bundle: Promise<string> | undefined;

/**
 * Script that draws charts in a page without network: vega-embed with vega and vega-lite, as one function
 * `vegaEmbed`. Taken from the package, else from the cache, else built by esbuild (about a second) and kept.
 * @throws RunError EMBED_BUNDLE where it is not there and cannot be built
 */
export const embedBundle = (): Promise<string> => (bundle ??= findBundle());

async function findBundle(): Promise<string> {
  const shipped = fileURLToPath(new URL(EMBED_BUNDLE, import.meta.url));
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  const cached = path.join(cacheFolder(), 'report', `vega-embed-${versions()}.js`);
  if (existsSync(cached)) return readFileSync(cached, 'utf8');
  const built = await buildEmbedBundle();
  // a cache that cannot be written costs time, not the report
  await writeFileAtomic(cached, built).catch(() => undefined);
  return built;
}

function versions(): string {
  const require = createRequire(import.meta.url);
  return ['vega-embed', 'vega', 'vega-lite']
    .map((name) => {
      const manifest = require.resolve.paths(name)!.map((folder) => path.join(folder, name, 'package.json'));
      const found = manifest.find((file) => existsSync(file));
      return found ? (JSON.parse(readFileSync(found, 'utf8')) as { version: string }).version : 'none';
    })
    .join('-');
}

/** Builds the script; the build writes it beside the compiled files. @throws RunError EMBED_BUNDLE */
export async function buildEmbedBundle(): Promise<string> {
  try {
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
      stdin: {
        contents: "import embed from 'vega-embed'; globalThis.vegaEmbed = embed;",
        resolveDir: path.dirname(fileURLToPath(import.meta.url)),
      },
      bundle: true,
      minify: true,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      legalComments: 'none',
      logLevel: 'silent',
      write: false,
    });
    return outputFiles[0]!.text;
  } catch (cause) {
    throw new RunError('EMBED_BUNDLE', 'The script that draws the charts of a report cannot be built.', {
      hint: 'Install the package again: npm install gondwana.',
      cause,
    });
  }
}
