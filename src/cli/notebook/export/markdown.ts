import { createHash } from 'node:crypto';
import path from 'node:path';
import { Marked } from 'marked';
import { HTML, MARKDOWN, TEXT } from '../../../display/mime.js';
import type { Bundle, CodeCell, DataOutput, Notebook, Output, TextCell } from '../format.js';
import { withoutColours } from './ansi.js';
import { imageEndings, imageOf, isRemote } from './images.js';
import { unshown } from './html.js';
import { tidyHtml } from './tidy-html.js';

export interface MarkdownExport {
  readonly text: string;
  /** Images by name, for the folder that was named. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export interface MarkdownOptions {
  /** Name of the folder for images, beside the Markdown file. */
  readonly images: string;
  /** From the folder of the Markdown file to that of the notebook: relative addresses are made to fit. */
  readonly toNotebook: string;
}

/** A notebook as Markdown: code and printed text in fences, tables as Markdown, pictures as files. */
export function notebookMarkdown(notebook: Notebook, options: MarkdownOptions): MarkdownExport {
  const files = new Map<string, Uint8Array>();
  const info = notebook.metadata.language_info as { name?: unknown } | undefined;
  const language = typeof info?.name === 'string' ? info.name : 'typescript';
  let codeCells = 0;
  const parts = notebook.cells.flatMap((cell) => {
    if (cell.cell_type === 'code') return codeParts(cell, ++codeCells, language, options.images, files);
    const isShown = cell.cell_type === 'markdown' || cell.metadata.format === MARKDOWN;
    return isShown ? [textPart(cell, options, files)] : [];
  });
  return {
    text: `${parts
      .map((part) => part.trimEnd())
      .filter(Boolean)
      .join('\n\n')}\n`,
    files,
  };
}

function textPart(
  cell: TextCell,
  { images, toNotebook }: MarkdownOptions,
  files: Map<string, Uint8Array>,
): string {
  const replaced = (address: string): string => {
    const attached = /^attachment:(.+)$/.exec(address)?.[1];
    if (attached !== undefined) {
      const image = imageOf(cell.attachments?.[attached] ?? {}, Object.keys(imageEndings));
      if (!image) return address;
      const hash = createHash('sha256').update(image.bytes).digest('hex').slice(0, 12);
      const name = `attachment-${hash}.${imageEndings[image.mime]!}`;
      files.set(name, image.bytes);
      return fileAddress(images, name);
    }
    const stays = toNotebook === '' || isRemote(address) || /^[#/]/.test(address) || address === '';
    return stays ? address : path.posix.join(toNotebook.replaceAll('\\', '/'), address);
  };
  const changes: [raw: string, replacement: string][] = [];
  new Marked({
    gfm: true,
    walkTokens(token) {
      if (token.type !== 'image' && token.type !== 'link') return;
      const { raw, href } = token as { raw: string; href: string };
      const to = replaced(href);
      if (to !== href && raw.includes(href)) changes.push([raw, raw.replace(`(${href}`, `(${to}`)]);
    },
  }).parse(cell.source, { async: false });
  return changes.reduce((text, [raw, replacement]) => text.replace(raw, () => replacement), cell.source);
}

function codeParts(
  cell: CodeCell,
  number: number,
  language: string,
  images: string,
  files: Map<string, Uint8Array>,
): string[] {
  const code = cell.source.trim() === '' ? [] : [fenced(cell.source, language)];
  let pictures = 0;
  const keep = (mime: string, bytes: Uint8Array): string => {
    const name = `cell-${String(number).padStart(2, '0')}-${++pictures}.${imageEndings[mime]!}`;
    files.set(name, bytes);
    return fileAddress(images, name);
  };
  return [...code, ...cell.outputs.map((output) => outputPart(output, keep))];
}

function outputPart(output: Output, keep: (mime: string, bytes: Uint8Array) => string): string {
  switch (output.output_type) {
    case 'stream':
      return fenced(withoutColours(output.text));
    case 'error':
      return fenced(withoutColours(output.traceback.join('\n') || `${output.ename}: ${output.evalue}`));
    case 'display_data':
    case 'execute_result':
      return dataPart(output, keep);
  }
}

/** HTML is kept where it holds a table and there is no form that reads better; readers of Markdown draw little else. */
function dataPart({ data }: DataOutput, keep: (mime: string, bytes: Uint8Array) => string): string {
  const text = typeof data[TEXT] === 'string' ? data[TEXT] : undefined;
  if (typeof data[MARKDOWN] === 'string') return data[MARKDOWN];
  const html = typeof data[HTML] === 'string' ? data[HTML] : undefined;
  if (html !== undefined && (text === undefined || /<(table|img)\b/i.test(html)))
    return block(tidyHtml(html));
  const image = imageOf(data, ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']);
  if (image) return `![${alternative(text ?? '')}](${keep(image.mime, image.bytes)})`;
  if (typeof data['text/latex'] === 'string') return data['text/latex'];
  if (text !== undefined) return fenced(withoutColours(text));
  if (data['application/json'] !== undefined)
    return fenced(JSON.stringify(data['application/json'], null, 2), 'json');
  return `*${unshown(data as Bundle)}*`;
}

/** One piece: a blank line would end a piece of HTML in Markdown. */
const block = (html: string): string => html.replace(/\n\s*\n/g, '\n').trim();

const alternative = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[[\]\\]/g, '\\$&')
    .trim()
    .slice(0, 300);

const fileAddress = (folder: string, name: string): string => `${encodeURIComponent(folder)}/${name}`;

/** A fence longer than any in the text. */
function fenced(text: string, language = 'text'): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\r$/gm, '').replace(/\n$/, '')}\n${fence}`;
}
