import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setChartRenderer } from '../display/chart-output.js';
import { clearOutput, input, kernel } from '../display/kernel.js';
import { progress } from '../display/progress-loop.js';
import { display } from '../display/show.js';

/** What cells find without an import; each is exported by the package too. */
export const cellGlobals = { display, clearOutput, input, progress, kernel } as const;

/** The declarations of the globals, `kernels/globals.d.ts` of this package: absolute. */
export const globalsFile = (): string =>
  path.resolve(fileURLToPath(import.meta.url), '../../../kernels/globals.d.ts');

/** Puts the globals in place. A cell may give one of the names to something of its own. */
export function installGlobals(target: object = globalThis): void {
  // loaded with the first chart: the global names are here before any import of the package
  setChartRenderer(async (spec) => (await import('../report/render-chart.js')).chartBundle(spec));
  for (const [name, value] of Object.entries(cellGlobals)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false });
  }
}
