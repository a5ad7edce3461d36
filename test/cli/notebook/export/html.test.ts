import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ansiHtml, withoutColours } from '../../../../src/cli/notebook/export/ansi.js';
import { highlightTypeScript } from '../../../../src/cli/notebook/export/highlight.js';
import { notebookHtml } from '../../../../src/cli/notebook/export/html.js';
import { tidyHtml } from '../../../../src/cli/notebook/export/tidy-html.js';
import {
  newCodeCell,
  type Notebook,
  type NotebookCell,
  type Output,
} from '../../../../src/cli/notebook/format.js';
import { tempFolder } from '../../../support/temp-folder.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const html = (cells: NotebookCell[], folder = '/nowhere'): string => {
  const notebook: Notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
  return notebookHtml(notebook, { title: 'crowns', folder });
};
const text = (source: string, attachments?: Record<string, Record<string, unknown>>): NotebookCell => ({
  cell_type: 'markdown',
  id: 'text',
  source,
  metadata: {},
  ...(attachments && { attachments }),
});
const cell = (source: string, ...outputs: Output[]): NotebookCell => ({
  ...newCodeCell(source, 'code'),
  outputs,
});
const data = (bundle: Record<string, unknown>, metadata = {}): Output => ({
  output_type: 'display_data',
  data: bundle,
  metadata,
});

describe('a notebook as a page', () => {
  it('fetches nothing and runs nothing: its policy allows images and styles that stand in it alone', () => {
    const page = html([text('# Title'), cell('1')]);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)![1]!;
    expect(policy).toContain('default-src &#39;none&#39;');
    expect(policy).not.toContain('script-src');
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/(src|href)="https?:/);
  });

  it('is called by its first heading, without the marks of Markdown', () => {
    expect(html([text('intro\n\n# The *best* `study`\n')])).toContain('<title>The best study</title>');
    expect(html([cell('1')])).toContain('<title>crowns</title>');
  });

  it('escapes code, printed text, results and tracebacks', () => {
    const hostile = '<img src=x onerror=alert(1)>&';
    const page = html([
      cell(
        hostile,
        { output_type: 'stream', name: 'stderr', text: hostile },
        data({ 'text/plain': hostile }),
        { output_type: 'error', ename: hostile, evalue: hostile, traceback: [hostile] },
        data({ 'image/png': PNG, 'text/plain': `"${hostile}` }),
      ),
    ]);
    expect(page).not.toContain('<img src=x');
    expect(page.match(/&lt;img src=x/g)!.length).toBeGreaterThanOrEqual(4);
    expect(page).toContain('alt="&quot;&lt;img');
  });

  it('shows a chart by its picture, and HTML before text', () => {
    const page = html([
      cell('a', data({ 'application/vnd.vega.v5+json': {}, 'image/png': PNG, 'text/plain': 'a chart' })),
      cell('b', data({ 'text/html': '<table><tr><td>7</td></tr></table>', 'text/plain': 'in words' })),
    ]);
    expect(page).toContain(`<img src="data:image/png;base64,${PNG}" alt="a chart">`);
    expect(page).toContain('<td>7</td>');
    expect(page).not.toContain('in words');
  });

  it('takes the size that an output gives its picture', () => {
    const output = data({ 'image/png': PNG }, { 'image/png': { width: 480, height: 320.4 } });
    expect(html([cell('a', output)])).toContain('width="480" height="320"');
  });

  it('keeps an output with HTML in a tree of its own, whatever tags it leaves open', () => {
    const page = html([
      cell(
        'a',
        data({ 'text/html': '</div></section></main><style>body{color:red}</style><b>bold</template><div>' }),
      ),
      text('# After'),
    ]);
    const apart = /<template shadowrootmode="open">[\s\S]*?<\/template>/.exec(page)![0];
    expect(apart).toContain('body{color:red}');
    expect(apart).toContain('<b>bold');
    expect(page.match(/<\/template>/g)).toHaveLength(1);
    expect(page).toContain('<h1 id="After">After</h1>');
  });

  it('draws Markdown with tables, code and links within the notebook, and leaves formulas as written', () => {
    const page = html([
      text('See [it](#Some-scores): $a_1 + b_2$, 5 $ and 6 $.\n\n## Some scores\n\n| a |\n|---|\n| 1 |\n'),
    ]);
    expect(page).toContain('href="#Some-scores"');
    expect(page).toContain('id="Some-scores"');
    expect(page).toContain('<code class="math">$a_1 + b_2$</code>');
    expect(page).toContain('5 $ and 6 $.');
    expect(page).toContain('<td>1</td>');
  });

  it('holds the images of its texts: attachments and files; what lies elsewhere is named', () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'my fig.png'), Buffer.from(PNG, 'base64'));
    const page = html(
      [
        text(
          '![one](attachment:a.png) ![two](my%20fig.png) ![three](https://example.org/x.png) ![four](gone.png)',
          {
            'a.png': { 'image/png': PNG },
          },
        ),
      ],
      folder,
    );
    expect(
      page.match(new RegExp(`src="data:image/png;base64,${PNG.replace(/[+/]/g, '\\$&')}"`, 'g')),
    ).toHaveLength(2);
    expect(page).toMatch(/three\s+four/);
    expect(page).not.toContain('example.org');
  });

  it('says what it cannot show', () => {
    expect(html([cell('a', data({ 'application/x-own': 1 }))])).toContain('(application/x-own)');
  });
});

describe('HTML that is put into a page', () => {
  it.each([
    ['a < b', 'a &lt; b'],
    ['<b>x</b>', '<b>x</b>'],
    ['<!-- open <b>gone</b>', ''],
    ['<!-- a -->kept', 'kept'],
    ['<script>alert("</b>")</script>after', 'after'],
    ['<script>never closed', ''],
    ['<style>a{}', '<style>a{}</style>'],
    ['<textarea><plaintext>text', 'text'],
    ['<a href="x>never closed', '&lt;a href="x>never closed'],
    ['<a title="a > b">x</a>', '<a title="a > b">x</a>'],
    ['<iframe src="x"></iframe><base href="y"><meta http-equiv=refresh>', ''],
    ['<IMG SRC=a.png srcset="b 2x">', '<IMG src="data:">'],
    ['<img alt="words">', ''],
  ])('%j becomes %j', (given, expected) => {
    expect(tidyHtml(given, () => 'data:')).toBe(expected);
  });

  it('is read in one pass, also where it is long and hostile', () => {
    const started = performance.now();
    tidyHtml('<a "'.repeat(20_000));
    tidyHtml('<!--'.repeat(100_000));
    // a time that grows with the square takes minutes
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('text of a terminal', () => {
  it('keeps its colours and marks as classes', () => {
    expect(ansiHtml('\u001b[1;31mred\u001b[39m bold\u001b[0m plain \u001b[94;40mbright\u001b[m')).toBe(
      '<span class="ansi-1 bold">red</span><span class="bold"> bold</span> plain <span class="ansi-12 ansi-on-0">bright</span>',
    );
    expect(ansiHtml('\u001b[38;5;9mnine\u001b[38;2;1;2;3mtrue')).toBe('<span class="ansi-9">nine</span>true');
  });

  it('loses what moves the cursor', () => {
    expect(withoutColours('\u001b[2K\u001b[1Ga\u001b]8;;x\u0007link\u001b]8;;\u0007')).toBe('alink');
  });
});

describe('highlighted TypeScript', () => {
  it('marks comments, texts, numbers and keywords, and escapes all', () => {
    expect(highlightTypeScript('const a = 1_000n; // <b>')).toBe(
      '<span class="keyword">const</span> a = <span class="number">1_000n</span>; <span class="comment">// &lt;b&gt;</span>',
    );
    expect(highlightTypeScript('`a ${b} "c"`')).toBe('<span class="string">`a ${b} &quot;c&quot;`</span>');
  });

  it('tells a pattern from a division, and a member from a keyword', () => {
    expect(highlightTypeScript('x = /a\\/b/g')).toContain('<span class="pattern">/a\\/b/g</span>');
    expect(highlightTypeScript('a / b / c')).not.toContain('pattern');
    expect(highlightTypeScript('x.default.of')).toBe('x.default.of');
  });
});
