import { createRequire } from 'node:module';
import path from 'node:path';
import { HTML, MARKDOWN, PNG, textOf, type MimeBundle } from './mime.js';
import type { DisplaySink } from './sink.js';

/** The part of tslab's public module that is used. */
interface TslabDisplay {
  html(text: string): void;
  markdown(text: string): void;
  text(text: string): void;
  png(bytes: Uint8Array): void;
}

interface Tslab {
  readonly display: TslabDisplay;
  newDisplay(): TslabDisplay;
}

/**
 * The sink of the tslab kernel in whose process this runs, or undefined outside one. tslab is never loaded
 * for this: the running kernel has its `dist/jupyter.js` loaded, and set its display function there.
 */
export function tslabSink(): DisplaySink | undefined {
  const require = createRequire(import.meta.url);
  const ending = path.join('tslab', 'dist', 'jupyter.js');
  for (const [file, module] of Object.entries(require.cache)) {
    if (!file.endsWith(path.sep + ending)) continue;
    const jupyter = module?.exports as { lastWriteDisplayData?: unknown } | undefined;
    if (typeof jupyter?.lastWriteDisplayData !== 'function') continue;
    return sinkOf(require(path.join(path.dirname(file), 'public.js')) as Tslab);
  }
  return undefined;
}

/**
 * Plain tslab takes one MIME type a call, so the richest that shows everywhere is sent: PNG for charts,
 * HTML for tables. Its socket drops what is sent too fast: some hundred outputs a cell are safe.
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
  if (typeof bundle[PNG] === 'string') target.png(Buffer.from(bundle[PNG], 'base64'));
  else if (typeof bundle[HTML] === 'string') target.html(bundle[HTML]);
  else if (typeof bundle[MARKDOWN] === 'string') target.markdown(bundle[MARKDOWN]);
  else target.text(textOf(bundle));
}
