import { createRequire } from 'node:module';
import path from 'node:path';
import { HTML, MARKDOWN, PNG, TEXT, textOf, type MimeBundle } from './mime.js';
import type { DisplaySink } from './sink.js';

/** The part of tslab's public module that is used. */
interface TslabDisplay {
  html(text: string): void;
  markdown(text: string): void;
  text(text: string): void;
  png(bytes: Uint8Array): void;
  raw(type: string, content: unknown): void;
}

interface Tslab {
  readonly display: TslabDisplay;
  newDisplay(): TslabDisplay;
}

const sinks = new WeakMap<object, DisplaySink>();

/**
 * The sink of the tslab kernel in whose process this runs, or undefined outside one. tslab is never loaded
 * for this: the running kernel has its `dist/jupyter.js` loaded, and sets a display function there with each cell.
 */
export function tslabCell(): { readonly sink: DisplaySink; readonly cell: object } | undefined {
  const require = createRequire(import.meta.url);
  const ending = path.sep + path.join('tslab', 'dist', 'jupyter.js');
  for (const file of Object.keys(require.cache)) {
    if (!file.endsWith(ending)) continue;
    const jupyter = require.cache[file]?.exports as { lastWriteDisplayData?: unknown } | undefined;
    const cell = jupyter?.lastWriteDisplayData;
    if (typeof cell !== 'function') continue;
    const sink = sinks.get(cell) ?? sinkOf(require(path.join(path.dirname(file), 'public.js')) as Tslab);
    sinks.set(cell, sink);
    return { sink, cell };
  }
  return undefined;
}

/**
 * Plain tslab takes one MIME type a call, so the richest that shows everywhere is sent: HTML for tables, PNG for
 * charts. Its socket drops what is sent too fast: some hundred outputs a cell are safe.
 */
function sinkOf(tslab: Tslab): DisplaySink {
  return {
    progressIntervalMs: 1000,
    maximumProgressDrawings: 150,
    show: (bundle) => emit(tslab.display, bundle),
    open(bundle) {
      const output = tslab.newDisplay();
      emit(output, bundle);
      return { update: (next) => emit(output, next) };
    },
  };
}

function emit(target: TslabDisplay, bundle: MimeBundle): void {
  const other = Object.keys(bundle).find((type) => ![TEXT, HTML, PNG, MARKDOWN].includes(type));
  if (typeof bundle[HTML] === 'string') target.html(bundle[HTML]);
  else if (typeof bundle[PNG] === 'string') target.png(Buffer.from(bundle[PNG], 'base64'));
  else if (typeof bundle[MARKDOWN] === 'string') target.markdown(bundle[MARKDOWN]);
  else if (other !== undefined) target.raw(other, bundle[other]);
  else target.text(textOf(bundle));
}
