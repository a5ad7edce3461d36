import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaderboard } from '../../src/published/leaderboard/leaderboard.js';
import { writeLeaderboard } from '../../src/report/leaderboard/write-leaderboard.js';
import { chartsDrawn } from '../support/charts-drawn.js';
import { CHROMIUM, CHROMIUM_FLAGS } from '../support/chromium.js';

const RUNS = 1330;

let scratch: string;
let address: string;
let context: BrowserContext | undefined;
let page: Page;
const complaints: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'browser-'));
  if (!existsSync(CHROMIUM)) return;
  const file = path.join(scratch, 'leaderboard.html');
  const board = leaderboard({ resamples: 50 });
  expect(board.runs).toHaveLength(RUNS);
  await writeLeaderboard(board, file);
  address = pathToFileURL(file).href;
  context = await chromium.launchPersistentContext(path.join(scratch, 'profile'), {
    executablePath: CHROMIUM,
    args: CHROMIUM_FLAGS,
    headless: true,
    colorScheme: 'dark',
    viewport: { width: 400, height: 900 },
  });
  page = await context.newPage();
  page.on('console', (message) => void complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => void requests.push(request.url()));
  await page.goto(address);
  await chartsDrawn(page);
}, 40_000);
afterAll(async () => {
  await context?.close();
  rmSync(scratch, { recursive: true, force: true });
});

const browserTest = test.extend<{ opened: Page }>({
  opened: async ({ skip }, use) => {
    if (!context) skip(`no Chromium at ${CHROMIUM}`);
    await use(page);
  },
});

const rowCount = (name: string): Promise<number> =>
  page.evaluate(`document.querySelector('table[data-name=${name}]').tBodies[0].rows.length`);
const cells = (name: string, column: number): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelector('table[data-name=${name}]').tBodies[0].rows].map((row) => row.cells[${column}].textContent)`,
  );
const tools = (label: string) => page.getByRole('group', { name: `Tools of ${label}`, exact: true });
const saved = async (click: () => Promise<void>): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFileSync(await download.path(), 'utf8');
};

browserTest(
  'draws its charts at 400 px in the dark, without errors, network or sideways scroll',
  async ({ opened }) => {
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith('data:') && url !== address)).toEqual([]);
    expect(await opened.evaluate('document.documentElement.dataset.charts')).toBe('drawn');
    expect(await opened.evaluate('document.documentElement.scrollWidth')).toBe(400);
    const widths = (await opened.evaluate(
      "[...document.querySelectorAll('.plot')].filter((plot) => plot.offsetParent).map((plot) => plot.querySelector('svg').getBoundingClientRect().width)",
    )) as number[];
    expect(widths).toHaveLength(2);
    for (const width of widths) expect(width).toBeGreaterThan(300);
  },
);

browserTest('another capability shows its ranking alone, the chart as wide as before', async ({ opened }) => {
  await opened.selectOption('select[data-filter=Capability] >> nth=0', 'detection');
  const shown = await opened.evaluate(
    "[...document.querySelectorAll('[data-choice]')].filter((block) => block.offsetParent).map((block) => block.dataset.choice)",
  );
  expect(shown).toEqual(['detection']);
  // asked for again and again: the page's policy forbids what waitForFunction does
  const width = (): Promise<number> =>
    opened.evaluate(
      "document.querySelector('[data-choice=detection] .plot svg').getBoundingClientRect().width",
    );
  await expect.poll(width, { timeout: 5000 }).toBeGreaterThan(300);
  expect((await cells('ranking-detection', 0))[0]).toBe('convnext-xlarge-in22k');
});

browserTest('runs are searched and filtered by capability, model and modality, and counted', async () => {
  const own = tools('runs');
  await own.getByLabel('Modality').selectOption('optical with radar');
  expect(new Set(await cells('runs', 0))).toEqual(new Set(['terramind-v1-large']));
  expect(await own.locator('output').textContent()).toBe(`10 of ${RUNS} rows`);
  await own.getByLabel('Modality').selectOption('');
  await own.getByLabel('Capability').selectOption('detection');
  await own.getByLabel('Model').selectOption('dofa-large');
  expect(await rowCount('runs')).toBe(20);
  await own.getByLabel('Search in runs').fill('cattle DOFA');
  expect(await rowCount('runs')).toBe(5);
  const csv = await saved(() => own.getByRole('button').click());
  expect(csv.trim().split('\n')).toHaveLength(1 + 5);
  // saved with all digits
  expect(csv.split('\n')[1]!.split(',')[4]!.length).toBeGreaterThan(12);
  await own.getByLabel('Search in runs').fill('');
});

browserTest(
  'a heading sorts by the keyboard, and again the other way; what has no number is last',
  async ({ opened }) => {
    const heading = opened.locator('table[data-name=scores-by-capability] .sort', {
      hasText: 'classification',
    });
    const column = 3;
    await heading.focus();
    await opened.keyboard.press('Enter');
    const falling = (await cells('scores-by-capability', column)).map(Number);
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    await opened.keyboard.press('Enter');
    const rising = (await cells('scores-by-capability', column)).map(Number);
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
  },
);

browserTest('a chart is saved as SVG with colours of its own', async ({ opened }) => {
  const button = opened.locator('#capabilities .save');
  const svg = await saved(() => button.click());
  expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"');
  expect(svg).not.toContain('var(--');
});

browserTest(
  'on paper all rows and capabilities are there, whatever is filtered, and afterwards the filter again',
  async ({ opened }) => {
    const rows = (): Promise<number> =>
      opened.evaluate("document.querySelector('table[data-name=runs]').tBodies[0].rows.length");
    await opened.emulateMedia({ media: 'print' });
    await expect.poll(rows, { timeout: 5000 }).toBe(RUNS);
    const shown = await opened.evaluate(
      "[...document.querySelectorAll('[data-choice]')].filter((block) => block.offsetParent).length",
    );
    expect(shown).toBe(10);
    await opened.emulateMedia({ media: 'screen' });
    await expect.poll(rows, { timeout: 5000 }).toBe(20);
  },
);

browserTest('without scripts all rows and capabilities are there', ({ opened }) => {
  expect(opened.url()).toBe(address);
  const html = readFileSync(new URL(address), 'utf8');
  // what a browser without scripts shows is what stands in the file
  const body = html.slice(html.indexOf('data-name="runs"'));
  expect(body.slice(0, body.indexOf('</table>')).split('<tr>').length - 2).toBe(RUNS);
  expect(html).not.toMatch(/<[^>]* hidden[ >=]/);
});
