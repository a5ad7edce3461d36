import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeReport } from '../../src/report/write-report.js';
import { writeSyntheticStore } from '../fixtures/results/synthetic-store.js';
import { chartsDrawn } from '../support/charts-drawn.js';
import { CHROMIUM, CHROMIUM_FLAGS } from '../support/chromium.js';

let scratch: string;
let address: string;
let browser: BrowserContext | undefined;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'browser-'));
  if (!existsSync(CHROMIUM)) return;
  await writeSyntheticStore(path.join(scratch, 'store'));
  address = pathToFileURL((await writeReport(path.join(scratch, 'store'))).html).href;
  browser = await chromium.launchPersistentContext(path.join(scratch, 'profile'), {
    executablePath: CHROMIUM,
    args: CHROMIUM_FLAGS,
    headless: true,
  });
});
afterAll(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

// a test without a browser is not run, by name, and never passes
const WITHOUT = `no Chromium at ${CHROMIUM}`;
const browserTest = test.extend<{ chromium: BrowserContext }>({
  chromium: async ({ skip }, use) => {
    if (!browser) skip(WITHOUT);
    await use(browser!);
  },
});

interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

async function open(context: BrowserContext, width: number, colorScheme: 'light' | 'dark'): Promise<Opened> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => void complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => void requests.push(request.url()));
  await page.goto(address);
  await chartsDrawn(page);
  return { page, complaints, requests };
}

describe.each([1280, 400])('the report at %i px', (width) => {
  for (const scheme of ['light', 'dark'] as const)
    browserTest(
      `opens in ${scheme} without errors, network or sideways scroll, charts and images drawn`,
      async ({ chromium: context }) => {
        const { page, complaints, requests } = await open(context, width, scheme);
        expect(complaints).toEqual([]);
        expect(requests.filter((url) => !url.startsWith('data:') && url !== address)).toEqual([]);
        const sizes = await page.evaluate('[document.documentElement.scrollWidth, window.innerWidth]');
        expect((sizes as [number, number])[0]).toBeLessThanOrEqual((sizes as [number, number])[1]);
        expect(await page.evaluate('document.documentElement.dataset.charts')).toBe('drawn');
        const charts = (await page.evaluate(
          "[...document.querySelectorAll('.plot')].map((plot) => ({ marks: plot.querySelectorAll('svg .mark-symbol path, svg .mark-line path').length, width: plot.querySelector('svg')?.getBoundingClientRect().width ?? 0, room: plot.getBoundingClientRect().width }))",
        )) as { marks: number; width: number; room: number }[];
        expect(charts).toHaveLength(5);
        for (const chart of charts) {
          expect(chart.marks).toBeGreaterThan(8);
          expect(chart.width).toBeGreaterThan(chart.room * 0.9);
          expect(chart.width).toBeLessThanOrEqual(chart.room + 1);
        }
        const cut = await page.evaluate(
          "[...document.querySelectorAll('.plot svg')].flatMap((svg) => [...svg.querySelectorAll('.role-legend text, .role-axis-label text')].filter((text) => { const a = text.getBoundingClientRect(), b = svg.getBoundingClientRect(); return text.textContent.includes('…') || a.bottom > b.bottom + 1 || a.right > b.right + 1 || a.left < b.left - 1; }).map((text) => text.textContent))",
        );
        expect(cut).toEqual([]);
        const images = (await page.evaluate(
          "Promise.all([...document.querySelectorAll('svg image')].map(async (element) => { const image = new Image(); image.src = element.getAttribute('href'); await image.decode(); return [image.naturalWidth, image.naturalHeight]; }))",
        )) as [number, number][];
        expect(images).toHaveLength(4 * (1 + 6));
        expect(new Set(images.map(String))).toEqual(new Set(['64,48']));
        const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(background).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(21, 24, 28)');
        await page.close();
      },
    );
});

browserTest('a click opens the tidy table, and it scrolls in its own box', async ({ chromium: context }) => {
  const { page } = await open(context, 400, 'light');
  await page.click('text=The tidy table');
  const box = (await page.evaluate(
    "(() => { const box = document.querySelector('details[open] .scroll'); return [box.scrollWidth, box.clientWidth, document.documentElement.scrollWidth]; })()",
  )) as [number, number, number];
  expect(box[0]).toBeGreaterThan(box[1]);
  expect(box[2]).toBe(400);
  await page.close();
});

browserTest('on paper the page is light, whatever the screen is', async ({ chromium: context }) => {
  const { page } = await open(context, 1280, 'dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  const label = await page.evaluate(
    "getComputedStyle(document.querySelector('.plot svg .role-axis-label text')).fill",
  );
  expect(label).toBe('rgb(34, 38, 43)');
  await page.close();
});

browserTest(
  'tables are searched, filtered and sorted, and on paper all rows come back',
  async ({ chromium: context }) => {
    const { page, complaints } = await open(context, 1280, 'light');
    await page.click('summary:has-text("17 runs")');
    const rows = (): Promise<number> =>
      page.evaluate("document.querySelector('table[data-name^=runs]').tBodies[0].rows.length");
    const tools = page.getByRole('group', { name: /^Tools of runs, / });
    expect(await rows()).toBe(17);
    await tools.getByLabel('Arm').selectOption('frozen, none');
    expect(await rows()).toBe(3);
    await tools.getByRole('searchbox').fill('no such run');
    expect(await rows()).toBe(0);
    expect(await tools.locator('output').textContent()).toBe('0 of 17 rows');
    await page.emulateMedia({ media: 'print' });
    // asked for again and again: the page's policy forbids what waitForFunction does
    await expect.poll(rows, { timeout: 5000 }).toBe(17);
    await page.emulateMedia({ media: 'screen' });
    const means = page.locator('table[data-name^=means]');
    const firstArm = (): Promise<string | null> => means.locator('tbody th').first().textContent();
    const before = await firstArm();
    await means.locator('.sort').first().click();
    expect(await firstArm()).not.toBe(before);
    expect(complaints).toEqual([]);
    await page.close();
  },
);

browserTest('without scripts every table has all of its rows', async ({ chromium: context }) => {
  const { page } = await open(context, 1280, 'light');
  const html = readFileSync(fileURLToPath(address), 'utf8');
  // the same file, its scripts taken out
  await page.setContent(html.replaceAll(/<script[^]*?<\/script>/g, ''));
  expect(await page.evaluate("document.querySelector('table[data-name^=runs]').tBodies[0].rows.length")).toBe(
    17,
  );
  expect(await page.evaluate("document.querySelectorAll('input[type=search], .sort, .save').length")).toBe(0);
  await page.close();
});
