import { Marked } from 'marked';
import { escapeHtml } from '../../../display/mime.js';
import { highlightTypeScript } from './highlight.js';
import { tidyHtml } from './tidy-html.js';

export interface RenderedMarkdown {
  readonly html: string;
  /** The text holds HTML of its own, which may have styles or unbalanced tags. */
  readonly hasOwnHtml: boolean;
}

/** @param imageSource where an image is found, by the address in the text; undefined shows its words instead */
export function renderMarkdown(
  source: string,
  imageSource: (address: string) => string | undefined,
): RenderedMarkdown {
  let hasOwnHtml = false;
  const marked = new Marked({
    gfm: true,
    walkTokens(token) {
      if (token.type === 'html' || token.type === 'tag') hasOwnHtml = true;
    },
    extensions: [math],
    renderer: {
      // as Jupyter names the places that links within a notebook lead to
      heading({ tokens, depth, text }) {
        const id = escapeHtml(text.replace(/ /g, '-'));
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text, lang }) {
        const isScript = /^(ts|tsx|typescript|js|javascript)\b/.test(lang ?? '');
        return `<pre class="code" tabindex="0"><code>${isScript ? highlightTypeScript(text) : escapeHtml(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        const line = (tag: string, cells: typeof header): string =>
          `<tr>${cells
            .map(
              ({ tokens, align }) =>
                `<${tag}${align ? ` style="text-align:${align}"` : ''}>${this.parser.parseInline(tokens)}</${tag}>`,
            )
            .join('')}</tr>`;
        const body = rows.map((row) => line('td', row)).join('');
        return `<div class="scroll" tabindex="0"><table><thead>${line('th', header)}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = tidyHtml(marked.parse(source, { async: false }), imageSource);
  return { html, hasOwnHtml };
}

/** Formulas stay as they are written: the page draws none, and Markdown must not read their underscores. */
const math = {
  name: 'math',
  level: 'inline' as const,
  start: (source: string): number => source.indexOf('$'),
  tokenizer(source: string) {
    const match = /^(\$\$[\s\S]+?\$\$|\$(?![\s$])[^$\n]*?[^\s$\\]\$(?!\d))/.exec(source);
    return match ? { type: 'math', raw: match[0] } : undefined;
  },
  renderer: ({ raw }: { raw: string }): string => `<code class="math">${escapeHtml(raw)}</code>`,
};
