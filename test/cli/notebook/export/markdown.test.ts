import { describe, expect, it } from 'vitest';
import { notebookMarkdown } from '../../../../src/cli/notebook/export/markdown.js';
import { newCodeCell, type NotebookCell, type Output } from '../../../../src/cli/notebook/format.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const markdown = (cells: NotebookCell[], toNotebook = '') =>
  notebookMarkdown(
    { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 },
    { images: 'a_files', toNotebook },
  );
const cell = (source: string, ...outputs: Output[]): NotebookCell => ({
  ...newCodeCell(source, 'code'),
  outputs,
});
const data = (bundle: Record<string, unknown>): Output => ({
  output_type: 'display_data',
  data: bundle,
  metadata: {},
});
const text = (source: string, attachments?: Record<string, Record<string, unknown>>): NotebookCell => ({
  cell_type: 'markdown',
  id: 'text',
  source,
  metadata: {},
  ...(attachments && { attachments }),
});

describe('a notebook as Markdown', () => {
  it('has texts as they are, code and printed text in fences', () => {
    const printed: Output = { output_type: 'stream', name: 'stdout', text: '\u001b[31mred\u001b[0m\n' };
    expect(markdown([text('# Title\n\ntext\n'), cell('1 + 1', printed)]).text).toBe(
      '# Title\n\ntext\n\n```typescript\n1 + 1\n```\n\n```text\nred\n```\n',
    );
  });

  it('has fences longer than those in the text', () => {
    const printed: Output = { output_type: 'stream', name: 'stdout', text: '````\n' };
    expect(markdown([cell('a', printed)]).text).toContain('`````text\n````\n`````');
  });

  it('takes the Markdown of a table, else its HTML, and pictures as files', () => {
    const { text: written, files } = markdown([
      cell('a', data({ 'text/markdown': '| a |\n|---|', 'text/html': '<table></table>', 'text/plain': 'x' })),
      cell(
        'b',
        data({ 'text/html': '<table>\n\n<tr></tr></table><script>never()</script>', 'text/plain': 'y' }),
      ),
      cell('c', data({ 'text/html': '<progress value=1>', 'text/plain': '100 %' })),
      cell('d', data({ 'image/png': PNG, 'text/plain': '[chart] of\nscores' })),
    ]);
    expect(written).toContain('| a |\n|---|');
    expect(written).toContain('<table>\n<tr></tr></table>\n');
    expect(written).toContain('```text\n100 %\n```');
    expect(written).toContain('![\\[chart\\] of scores](a_files/cell-04-1.png)');
    expect(written).not.toContain('never');
    expect([...files.keys()]).toEqual(['cell-04-1.png']);
  });

  it('has errors with their traceback, without colours', () => {
    const error: Output = {
      output_type: 'error',
      ename: 'E',
      evalue: 'v',
      traceback: ['\u001b[31mE\u001b[0m: v', 'at 1'],
    };
    expect(markdown([cell('a', error)]).text).toContain('```text\nE: v\nat 1\n```');
  });

  it('leads addresses of its texts from where it lies, but for those in code', () => {
    const { text: written } = markdown(
      [text('![a](fig.png) [b](../c.md#d) [e](#f) [g](https://example.org) `![h](i.png)`')],
      '../notebooks',
    );
    expect(written).toBe(
      '![a](../notebooks/fig.png) [b](../c.md#d) [e](#f) [g](https://example.org) `![h](i.png)`\n',
    );
  });

  it('makes files of attachments', () => {
    const { text: written, files } = markdown([
      text('![a](attachment:x.png)', { 'x.png': { 'image/png': PNG } }),
    ]);
    const [name] = files.keys();
    expect(written).toBe(`![a](a_files/${name})\n`);
    expect(Buffer.from(files.get(name!)!).toString('base64')).toBe(PNG);
  });
});
