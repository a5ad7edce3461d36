import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notebookHtml } from '../../src/cli/notebook/export/html.js';
import { newCodeCell, type NotebookCell, type Output } from '../../src/cli/notebook/format.js';
import { browser as need } from '../support/needs.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-notebook-page-'));
let browser: Browser;
beforeAll(async () => {
  if (need.isMet) browser = await chromium.launch({ executablePath: need.program, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const cell = (source: string, ...outputs: Output[]): NotebookCell => ({
  ...newCodeCell(source, 'code'),
  outputs,
});
const data = (bundle: Record<string, unknown>): Output => ({
  output_type: 'display_data',
  data: bundle,
  metadata: {},
});
const text = (source: string): NotebookCell => ({ cell_type: 'markdown', id: 'text', source, metadata: {} });

const columns = Array.from({ length: 20 }, (_, i) => i);
const wideTable = `<table><tr>${columns.map((i) => `<th>column ${i}</th>`).join('')}</tr><tr>${columns.map((i) => `<td>${i * 12345.678}</td>`).join('')}</tr></table>`;

/** Each of these would set `document.title`, load something, or take the rest of the page with it. */
const hostile = [
  '<script>document.title = "script"</script>',
  '<img src=x onerror="document.title = \'onerror\'">',
  '<svg onload="document.title = \'onload\'"><script>document.title = "svg"</script></svg>',
  '<iframe srcdoc="<script>parent.document.title = \'frame\'</script>"></iframe>',
  '<a id=link href="javascript:document.title = \'link\'">link</a>',
  '<meta http-equiv="refresh" content="0;url=https://example.org/">',
  '<base href="https://example.org/"><link rel=stylesheet href="https://example.org/x.css">',
  '<img src="https://example.org/x.png"><div style="background:url(https://example.org/y.png)">x</div>',
  '<style>body{background:red!important;display:none}</style>',
  '</div></section></main></body></html><!-- <textarea>',
];

async function open(cells: NotebookCell[], width: number, colorScheme: 'light' | 'dark') {
  const file = path.join(folder, 'page.html');
  const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(file, notebookHtml(notebook, { title: 'page', folder }));
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  // what the policy stops is told as a request that failed by it
  const requests: string[] = [];
  const stopped: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp') stopped.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  const loaded = (): string[] => requests.filter((url) => !url.startsWith('data:') && !stopped.includes(url));
  return { page, loaded, address: pathToFileURL(file).href };
}

const background = (page: Page): Promise<string> =>
  page.evaluate('getComputedStyle(document.body).backgroundColor');

describe.skipIf(!need.isMet || !existsSync(need.program))('the page of a notebook', () => {
  it('runs no script and loads nothing, whatever its cells showed, and keeps its form', async () => {
    const cells = [
      text('# Safe'),
      ...hostile.map((html) => cell('show()', data({ 'text/html': html }))),
      text(`Own <b>html</b> ${hostile.join('\n')}`),
      cell(
        'draw()',
        data({ 'image/svg+xml': `<svg xmlns="http://www.w3.org/2000/svg">${hostile[2]}</svg>` }),
      ),
      text('## The end'),
    ];
    const { page, loaded, address } = await open(cells, 1280, 'light');
    await page.waitForTimeout(300);
    await page.evaluate(`for (const host of document.querySelectorAll('.scroll > div'))
      host.shadowRoot?.querySelector('#link')?.click();`);
    await page.waitForTimeout(200);
    expect(await page.title()).toBe('Safe');
    expect(page.url()).toBe(address);
    expect(loaded()).toEqual([address]);
    expect(await background(page)).toBe('rgb(255, 255, 255)');
    expect(await page.locator('main > section').count()).toBe(cells.length);
    expect(await page.locator('main > section h2').last().isVisible()).toBe(true);
    await page.close();
  });

  it.each([
    [400, 'light'],
    [400, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('is no wider than a window of %i px, in %s', async (width, scheme) => {
    const { page } = await open(
      [
        text(
          `# A title that is rather long for a small window\n\n| a | b |\n|---|---|\n| ${'x'.repeat(200)} | y |`,
        ),
        cell(
          `const line = '${'long '.repeat(60)}';`,
          { output_type: 'stream', name: 'stdout', text: 'y'.repeat(300) },
          data({ 'text/html': wideTable }),
          data({ 'image/png': PNG }),
          { output_type: 'error', ename: 'Error', evalue: 'x', traceback: [`Error: ${'z'.repeat(300)}`] },
        ),
      ],
      width,
      scheme,
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await background(page)).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(21, 24, 28)');
    // a wide table scrolls in its place
    const scrolls = await page.evaluate(
      `[...document.querySelectorAll('.outputs .scroll')].map((e) => e.scrollWidth > e.clientWidth)`,
    );
    expect(scrolls).toEqual([true]);
    await page.close();
  });
});
