import { createRequire } from 'node:module';
import { RunError } from '../errors.js';

const require = createRequire(import.meta.url);

/** The fonts that pictures are drawn with: the package brings them, so that pictures are equal on all machines. */
export const FONTS = ['DejaVuSans', 'DejaVuSans-Bold'] as const;
export const fontFile = (name: string): string => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

/**
 * Draws an SVG document, its text in DejaVu Sans.
 * @param scale pixels of the PNG for one of the document
 * @throws RunError CHART_PNG without resvg
 */
export function svgToPng(svg: string, scale: number): Uint8Array {
  let Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
  try {
    ({ Resvg } = require('@resvg/resvg-js') as { Resvg: typeof Resvg });
  } catch (cause) {
    throw new RunError('CHART_PNG', 'Charts cannot be drawn as PNG: @resvg/resvg-js does not load.', {
      hint: 'npm install @resvg/resvg-js, on a processor and system it has a build for.',
      cause,
    });
  }
  const font = { loadSystemFonts: false, fontFiles: FONTS.map(fontFile), defaultFontFamily: 'DejaVu Sans' };
  return new Uint8Array(new Resvg(svg, { fitTo: { mode: 'zoom', value: scale }, font }).render().asPng());
}
