import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBenchmarkManifest } from '../../src/manifests/benchmark-manifest.js';
import { published } from '../../src/published/published.js';
import { createRandom } from '../../src/random.js';
import { charts } from '../../src/report/charts/index.js';
import type { ChartSpec } from '../../src/display/chart-output.js';
import { createCharts } from '../../src/report/figures.js';
import { markup } from '../../src/report/html.js';
import { page } from '../../src/report/page.js';
import { bootstrap } from '../../src/statistics/bootstrap.js';
import { capabilityRankings } from '../../src/statistics/capabilities.js';
import { discriminativity } from '../../src/statistics/discriminativity.js';
import { randomDraws } from '../../src/statistics/draws.js';
import { datasetEffects } from '../../src/statistics/effects.js';
import { normalize } from '../../src/statistics/normalize.js';
import { rankGroups } from '../../src/statistics/rank-groups.js';
import { ranking } from '../../src/statistics/ranking.js';
import { scoreMatrix, selectDatasets, selectModels } from '../../src/statistics/score-matrix.js';
import { chartsDrawn } from '../support/charts-drawn.js';
import { CHROMIUM, CHROMIUM_FLAGS } from '../support/chromium.js';

let scratch: string;
let address: string;
let browser: BrowserContext | undefined;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'browser-charts-'));
  if (!existsSync(CHROMIUM)) return;
  const specs = chartsOfReleasedRuns();
  const figures = createCharts();
  const file = path.join(scratch, 'charts.html');
  const body = markup`<main>${specs.map((spec) => figures.figure(spec))}</main>`;
  writeFileSync(file, await page('Charts', body, figures));
  address = pathToFileURL(file).href;
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

/** Of GEO-Bench-2's released runs: 18 models, 19 datasets, ids of up to 25 letters. */
function chartsOfReleasedRuns(): ChartSpec[] {
  const matrixOf = (runs: 'full' | 'frozen') =>
    normalize(scoreMatrix(published.geobench2.scores(runs)), published.geobench2.limits());
  const [full, frozen] = [matrixOf('full'), matrixOf('frozen')];
  const options = { resamples: 50, draws: randomDraws(createRandom(7)) };
  const { capabilities } = readBenchmarkManifest('geobench2');
  const core = bootstrap(selectDatasets(full, capabilities.core!), 'pooled-iqm', options);
  const [before, after] = [frozen, full].map((matrix) =>
    ranking(
      bootstrap(selectModels(selectDatasets(matrix, frozen.datasets), frozen.models), 'pooled-iqm', options),
    ),
  );
  const fractions = published.geobench
    .fractions()
    .flatMap((labelFraction) =>
      published.geobench
        .aggregates({ ...options, labelFraction })
        .map((row) => ({ ...row, labelFraction, score: row.estimate })),
    );
  const single = Object.fromEntries(full.datasets.map((dataset) => [dataset, [dataset]]));
  return [
    charts.leaderboard(ranking(core), { of: 'Core' }),
    charts.heatMap(capabilityRankings(full, capabilities, 'pooled-iqm', options)),
    charts.heatMap(capabilityRankings(full, single, 'pooled-iqm', options), { columns: 'datasets' }),
    charts.rankingChange(before!, after!, { names: ['frozen', 'fine-tuned'] }),
    charts.violin(full, { dataset: 'gb2-pastis' }),
    charts.violin(core, { of: 'Core' }),
    charts.overview(full),
    charts.cost(ranking(core).map((row, i) => ({ ...row, cost: 20 * (1 + i ** 1.5), score: row.estimate }))),
    charts.effects(datasetEffects(full, frozen), { names: ['fine-tuned', 'frozen'] }),
    charts.confusion({
      classes: ['background', 'crown', 'a class without a truth'],
      counts: [90, 9, 1, 12, 30, 0, 0, 0, 0],
    }),
    charts.labelFractions(fractions),
    charts.discriminativity(discriminativity(full, 'gb2-caffe'), { dataset: 'gb2-caffe' }),
    charts.criticalDifference(rankGroups(full)),
  ];
}

/** Texts that are cut short or lie outside their chart. */
const CUT = `[...document.querySelectorAll('.plot svg')].flatMap((svg) => [...svg.querySelectorAll('text')].filter((text) => {
  const [own, all] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
  const isOutside = own.bottom > all.bottom + 1 || own.right > all.right + 1 || own.left < all.left - 1 || own.top < all.top - 1;
  return text.getAttribute('opacity') !== '0' && (/\\S…/.test(text.textContent) || isOutside);
}).map((text) => text.textContent))`;

const FOUND = `[...document.querySelectorAll('.plot')].map((plot) => ({
  marks: plot.querySelectorAll('svg .mark-symbol path, svg .mark-rect path, svg .mark-line path').length,
  width: plot.querySelector('svg')?.getBoundingClientRect().width ?? 0,
  room: plot.getBoundingClientRect().width,
}))`;

test.for([
  [1280, 'light'],
  [1280, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const)(
  'every chart of released runs is drawn at %i px, %s: no complaint, no text cut',
  async ([width, colorScheme], { skip }) => {
    if (!browser) return skip(`no Chromium at ${CHROMIUM}`);
    const opened = await browser.newPage();
    await opened.setViewportSize({ width, height: 900 });
    await opened.emulateMedia({ colorScheme });
    const complaints: string[] = [];
    opened.on('console', (message) => void complaints.push(message.text()));
    opened.on('pageerror', (error) => void complaints.push(error.message));
    await opened.goto(address);
    await chartsDrawn(opened);
    expect(complaints).toEqual([]);
    const found = (await opened.evaluate(FOUND)) as { marks: number; width: number; room: number }[];
    expect(found).toHaveLength(13);
    for (const chart of found) {
      expect(chart.marks).toBeGreaterThan(5);
      expect(chart.width).toBeGreaterThan(chart.room * 0.9);
      expect(chart.width).toBeLessThanOrEqual(chart.room + 1);
    }
    expect(await opened.evaluate(CUT)).toEqual([]);
    expect(await opened.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await opened.close();
  },
);
