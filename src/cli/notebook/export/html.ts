import { HTML, MARKDOWN, TEXT } from '../../../display/mime.js';
import { markup, Markup, type HtmlPart } from '../../../report/html.js';
import type { Bundle, CodeCell, DataOutput, Notebook, NotebookCell, Output } from '../format.js';
import { ansiHtml } from './ansi.js';
import { highlightTypeScript } from './highlight.js';
import { dataAddress, imageOf, imageReader } from './images.js';
import { renderMarkdown } from './render-markdown.js';
import { contentStyle, pageStyle } from './style.js';
import { tidyHtml } from './tidy-html.js';

export interface ExportOptions {
  /** Name of the notebook, for the page's title where it has no heading. */
  readonly title: string;
  /** Folder that relative addresses of images begin in. */
  readonly folder: string;
}

/**
 * Nothing is fetched and no script runs: HTML that a cell showed is kept as it is, but for what acts by itself.
 * Styles may stand in it, so they are allowed; each such output has a tree of its own that they cannot leave.
 */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A notebook as one page that needs nothing else: text, code, and the richest form of every output it can show. */
export function notebookHtml(notebook: Notebook, options: ExportOptions): string {
  const info = notebook.metadata.language_info as { name?: unknown } | undefined;
  const isScript = /^(typescript|javascript)$/.test(String(info?.name ?? 'typescript'));
  const spec = notebook.metadata.kernelspec as { display_name?: unknown } | undefined;
  const cells = notebook.cells.map((cell) => cellMarkup(cell, isScript, options.folder));
  const kernel = typeof spec?.display_name === 'string' && ` · ${spec.display_name}`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="generator" content="gondwana">
<title>${titleOf(notebook) ?? options.title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(pageStyle())}</style>
</head>
<body><main>
${cells}
<footer>${options.title}.ipynb${kernel}</footer>
</main></body>
</html>
`.text;
}

/** The first heading of the first text. */
function titleOf({ cells }: Notebook): string | undefined {
  const first = cells.find((cell) => cell.cell_type === 'markdown');
  return /^#\s+(.+?)\s*#*\s*$/m.exec(first?.source ?? '')?.[1]?.replace(/[*_`]/g, '');
}

function cellMarkup(cell: NotebookCell, isScript: boolean, folder: string): HtmlPart {
  switch (cell.cell_type) {
    case 'markdown': {
      const { html, hasOwnHtml } = renderMarkdown(cell.source, imageReader(folder, cell.attachments));
      const content = hasOwnHtml ? apart(html) : new Markup(html);
      return markup`<section class="cell text">${content}</section>\n`;
    }
    case 'raw':
      return (
        cell.metadata.format === HTML &&
        markup`<section class="cell text">${apart(tidyHtml(cell.source))}</section>\n`
      );
    case 'code':
      return codeMarkup(cell, isScript, folder);
  }
}

function codeMarkup(cell: CodeCell, isScript: boolean, folder: string): HtmlPart {
  if (cell.source.trim() === '' && cell.outputs.length === 0) return '';
  const code = isScript ? new Markup(highlightTypeScript(cell.source)) : cell.source;
  const prompt =
    cell.execution_count !== null && markup`<span class="prompt">[${cell.execution_count}]</span>`;
  const outputs = cell.outputs.map((output) => outputMarkup(output, folder));
  return markup`<section class="cell code" id="cell-${cell.id}">${prompt}<pre class="code" tabindex="0"><code>${code}</code></pre><div class="outputs">${outputs}</div></section>\n`;
}

function outputMarkup(output: Output, folder: string): HtmlPart {
  switch (output.output_type) {
    case 'stream':
      return markup`<pre class="${output.name === 'stderr' ? 'stderr' : 'stdout'}" tabindex="0">${terminal(output.text)}</pre>`;
    case 'error': {
      const trace = output.traceback.join('\n');
      // a trace that does not say what it is of has its name before it
      const name = !trace.includes(output.ename) && `${output.ename}: ${output.evalue}`;
      return markup`<div class="error">${name && markup`<strong>${name}</strong>`}${trace && markup`<pre>${terminal(trace)}</pre>`}</div>`;
    }
    case 'display_data':
    case 'execute_result':
      return dataMarkup(output, folder);
  }
}

const terminal = (text: string): Markup => new Markup(ansiHtml(text.replace(/\r$/gm, '')));

/** The richest form that a page can show. A chart's own form needs a script; its picture stands beside it. */
function dataMarkup({ data, metadata }: DataOutput, folder: string): HtmlPart {
  const text = typeof data[TEXT] === 'string' ? data[TEXT] : '';
  if (typeof data[HTML] === 'string') {
    const html = tidyHtml(data[HTML], imageReader(folder));
    // a table that says nothing of its cells keeps each on one line, and scrolls
    return markup`<div class="scroll" tabindex="0">${apart(html, 'td:not([style]){white-space:nowrap}')}</div>`;
  }
  if (typeof data[MARKDOWN] === 'string') {
    const { html, hasOwnHtml } = renderMarkdown(data[MARKDOWN], imageReader(folder));
    return markup`<div>${hasOwnHtml ? apart(html) : new Markup(html)}</div>`;
  }
  const image = imageOf(data, ['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif', 'image/webp']);
  if (image) {
    const address = dataAddress(image.mime, image.bytes);
    return markup`<figure class="picture"><img src="${address}" alt="${text}"${size(metadata[image.mime])}></figure>`;
  }
  if (typeof data['text/latex'] === 'string') return markup`<pre tabindex="0">${data['text/latex']}</pre>`;
  if (typeof data[TEXT] === 'string') return markup`<pre tabindex="0">${terminal(text)}</pre>`;
  if (data['application/json'] !== undefined)
    return markup`<pre tabindex="0">${JSON.stringify(data['application/json'], null, 2)}</pre>`;
  return markup`<p class="note">${unshown(data)}</p>`;
}

export const unshown = (data: Bundle): string =>
  `An output that is shown in a notebook alone (${Object.keys(data).join(', ') || 'empty'}).`;

/** Width and height in pixels where the output says how large it is meant to be. */
function size(metadata: unknown): Markup {
  const { width, height } = (metadata ?? {}) as { width?: unknown; height?: unknown };
  const attribute = (name: string, value: unknown): string =>
    typeof value === 'number' && Number.isFinite(value) ? ` ${name}="${Math.round(value)}"` : '';
  return new Markup(attribute('width', width) + attribute('height', height));
}

/** A tree of its own: the styles in it do not reach the page, and no end tag in it ends an element of the page. */
const apart = (html: string, style = ''): Markup =>
  new Markup(
    `<div><template shadowrootmode="open"><style>${contentStyle()}${style}</style>${html}</template></div>`,
  );
