/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startJupyterLab, type JupyterLab } from '../support/jupyter-lab.js';
import { browser as chromiumNeed, jupyter } from '../support/needs.js';

// The kernel in the client that most people use: real JupyterLab in a real browser.

const CELLS = {
  chart: `await display.chart({
  title: 'mIoU by encoder', data: { values: [{ encoder: 'U-Net', mIoU: 0.64 }, { encoder: 'Prithvi', mIoU: 0.71 }] },
  mark: 'bar', encoding: { x: { field: 'mIoU', type: 'quantitative' }, y: { field: 'encoder', type: 'nominal' } },
});`,
  table: `display.table([{ encoder: 'U-Net', mIoU: 0.64 }, { encoder: 'Prithvi', mIoU: 0.71 }]);`,
  image: `display.image({ data: Uint8Array.from({ length: 48 * 32 * 3 }, (_, i) => i % 251), width: 48, height: 32, channels: 3 });`,
  slider: `const slider = kernel.widget({
  state: { threshold: 3 },
  esm: \`export default { render({ model, el }) {
    const input = Object.assign(document.createElement('input'), { type: 'range', min: 0, max: 10, className: 'threshold' });
    const show = () => { input.value = model.get('threshold'); };
    input.oninput = () => { model.set('threshold', Number(input.value)); model.save_changes(); };
    model.on('change:threshold', show); show(); el.append(input);
  } }\`,
});
slider`,
  progress: `for (const step of progress([...Array(40).keys()], { title: 'steps' })) await new Promise((resolve) => setTimeout(resolve, 5));`,
  value: `slider.get('threshold')`,
  endless: `let turns = 0;\nfor (;;) { await new Promise((resolve) => setTimeout(resolve, 10)); turns++; }`,
  after: `turns > 0`,
} as const;

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-lab-notebooks-'));
const file = path.join(folder, 'kernel.ipynb');
const shots = process.env.GONDWANA_SCREENSHOTS;

function writeNotebook(): void {
  const cells = Object.entries(CELLS).map(([id, source]) => ({
    id,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null,
  }));
  const kernelspec = { name: 'gondwana', display_name: 'Gondwana (TypeScript)', language: 'typescript' };
  writeFileSync(file, JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }));
}

describe.skipIf(!jupyter.isMet || !chromiumNeed.isMet)('the kernel in JupyterLab', () => {
  let lab: JupyterLab;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  const ids = Object.keys(CELLS);
  const cell = (id: keyof typeof CELLS) => page.locator('.jp-Notebook .jp-CodeCell').nth(ids.indexOf(id));
  const output = (id: keyof typeof CELLS) => cell(id).locator('.jp-OutputArea-output');
  /** Asks for a command and does not wait for it: running a cell takes as long as the cell. */
  const command = (name: string): Promise<void> =>
    page.evaluate((id) => {
      const { jupyterapp } = window as unknown as {
        jupyterapp: { commands: { execute(id: string): unknown } };
      };
      void jupyterapp.commands.execute(id);
    }, name);
  const run = async (id: keyof typeof CELLS): Promise<void> => {
    await cell(id).locator('.jp-InputPrompt').click();
    await command('notebook:run-cell');
  };
  const finished = (id: keyof typeof CELLS): Promise<void> =>
    page.waitForFunction(
      (index) =>
        /^\[\d+\]:$/.test(
          document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[index]?.textContent ?? '',
        ),
      ids.indexOf(id),
    ) as Promise<unknown> as Promise<void>;

  beforeAll(async () => {
    writeNotebook();
    lab = await startJupyterLab(folder);
    browser = await chromium.launch({ executablePath: chromiumNeed.program, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1200, height: 1600 } });
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${lab.address}/lab/tree/kernel.ipynb`);
    await page.waitForSelector('.jp-Notebook .jp-CodeCell');
    await page.getByText('Gondwana (TypeScript) | Idle').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    rmSync(folder, { recursive: true });
  });

  it('draws charts, tables and images, and a progress bar that ends full', async () => {
    for (const id of ['chart', 'table', 'image', 'progress'] as const) {
      await run(id);
      await finished(id);
    }
    await output('chart').locator('canvas, svg').first().waitFor();
    expect(await output('table').locator('table tbody tr').count()).toBe(2);
    expect(await output('image').locator('img').count()).toBe(1);
    expect(await output('progress').textContent()).toContain('100 %');
    expect(await page.locator('[data-mime-type="application/vnd.jupyter.error"]').count()).toBe(0);
  });

  it('shows a slider whose value reaches the kernel', async () => {
    await run('slider');
    await finished('slider');
    const input = output('slider').locator('input.threshold');
    await input.waitFor();
    await input.fill('8');
    await page.waitForTimeout(300);
    await run('value');
    await finished('value');
    expect(await output('value').textContent()).toContain('8');
  });

  it('stops a running cell at a click on Stop, and goes on', async () => {
    await run('endless');
    await page.waitForTimeout(700);
    const started = performance.now();
    await page.locator('[data-command="notebook:interrupt-kernel"]').click();
    await finished('endless');
    expect(performance.now() - started).toBeLessThan(2000);
    expect(await output('endless').textContent()).toContain('KeyboardInterrupt');
    await run('after');
    await finished('after');
    expect(await output('after').textContent()).toContain('true');
  });

  it('saves a notebook with a PNG beside the chart, and the browser met no error', async () => {
    if (shots) await page.screenshot({ path: path.join(shots, 'jupyter-lab.png') });
    await command('docmanager:save');
    await page.waitForTimeout(1000);
    const { cells } = JSON.parse(readFileSync(file, 'utf8')) as {
      cells: { id: string; outputs: { data?: Record<string, unknown> }[] }[];
    };
    const data = cells.find(({ id }) => id === 'chart')!.outputs[0]!.data!;
    expect(Object.keys(data).sort()).toEqual(['application/vnd.vega.v5+json', 'image/png', 'text/plain']);
    expect(problems).toEqual([]);
  });
});
