// A leaderboard's page of ten thousand runs in Chromium: milliseconds from a letter or a choice to the painted frame that
// shows the rows. Writes bench/results/leaderboard.json.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { median, round, saveResult } from './bench-peer.mjs';
import { say } from './process.mjs';
import { setUp } from '../set-up.mjs';

const LIMIT_MS = 200;
const [MODELS, SEEDS] = [106, 5]; // × 19 datasets = 10,070 runs
const MODALITIES = ['optical', 'optical with radar', 'radar'];

/** Runs of made-up models on the benchmark's datasets. */
async function makeRuns() {
  const { createRandom } = await import('../../dist/random.js');
  const { geobench2Limits } = await import('../../dist/published/geobench2.js');
  const random = createRandom(0);
  const datasets = Object.keys(geobench2Limits());
  return Array.from({ length: MODELS }, (_, model) =>
    datasets.flatMap((dataset) =>
      Array.from({ length: SEEDS }, (_, seed) => ({
        source: 'bench',
        model: `model-${model}`,
        dataset,
        seed: String(seed),
        metric: 'score',
        score: random.uniform(),
        decoder: 'unet',
        encoderMode: model % 2 ? 'frozen' : 'fine-tuned',
        modalities: MODALITIES[model % 3],
      })),
    ),
  ).flat();
}

/** In the page: acts, waits until the frame with the result is painted, and says what that took and what is shown. */
const measure = `async ([kind, name, value]) => {
  const table = document.querySelector('table[data-name=runs]');
  const tools = table.closest('.scroll').previousElementSibling;
  const field = kind === 'search' ? tools.querySelector('input') : tools.querySelector('select[data-filter=' + name + ']');
  const start = performance.now();
  field.value = value;
  field.dispatchEvent(new Event(kind === 'search' ? 'input' : 'change'));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return { ms: performance.now() - start, rows: table.tBodies[0].rows.length, text: tools.querySelector('output').textContent };
}`;

/** Each is done after the one before it: letters of a search, then choices. */
const STEPS = [
  ...['m', 'mo', 'model-7', 'model-7 pastis', ''].map((text) => ['search', '', text]),
  ['choice', 'Capability', 'detection'],
  ['choice', 'Model', 'model-42'],
  ['choice', 'Model', ''],
  ['choice', 'Modality', 'radar'],
  ['choice', 'Capability', ''],
  ['choice', 'Modality', ''],
];

/** @returns exit code, 0 where every step keeps the limit in the median */
export async function leaderboardBench({ rounds }) {
  // here alone: the set-up goes without packages
  const { chromium } = createRequire(import.meta.url)('playwright-core');
  await setUp();
  const executablePath = process.env.GONDWANA_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    say(`There is no Chromium at ${executablePath}; GONDWANA_CHROMIUM names another.`);
    return 3;
  }
  const { leaderboard } = await import('../../dist/published/leaderboard/leaderboard.js');
  const { writeLeaderboard } = await import('../../dist/report/leaderboard/write-leaderboard.js');
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-leaderboard-'));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const runs = await makeRuns();
    const source = {
      name: 'bench',
      path: 'bench',
      kind: 'table',
      runs,
      trials: new Map(),
      notes: [],
      faults: [],
    };
    const file = path.join(folder, 'leaderboard.html');
    await writeLeaderboard(leaderboard({ sources: [source], released: 'none', resamples: 50 }), file);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction('document.documentElement.dataset.charts !== undefined');
    await page.locator('#runs').scrollIntoViewIfNeeded();
    const times = STEPS.map(() => []);
    for (let turn = 0; turn < rounds; turn++)
      for (const [at, step] of STEPS.entries())
        times[at].push(await page.evaluate(`(${measure})(${JSON.stringify(step)})`));
    const steps = STEPS.map(([kind, name, value], at) => ({
      step: kind === 'search' ? `search "${value}"` : `${name}: ${value || 'all'}`,
      shown: times[at][0].text,
      medianMs: round(median(times[at].map(({ ms }) => ms)), 1),
      // the first reads the texts of all rows
      firstMs: round(times[at][0].ms, 1),
    }));
    const medianMs = Math.max(...steps.map((step) => step.medianMs));
    const machine = { processor: cpus()[0]?.model, cores: cpus().length, chromium: browser.version() };
    const pageMiB = round(statSync(file).size / 2 ** 20, 1);
    saveResult('leaderboard', {
      rows: runs.length,
      rounds,
      limitMs: LIMIT_MS,
      medianMs,
      pageMiB,
      machine,
      steps,
    });
    for (const { step, shown, medianMs: ms, firstMs } of steps)
      say(
        `${step.padEnd(26)} ${shown.padEnd(22)} ${ms.toFixed(1).padStart(7)} ms, the first time ${firstMs.toFixed(1)} ms`,
      );
    say(
      `\n${runs.length} rows: the slowest step takes ${medianMs} ms (limit ${LIMIT_MS}). Written: bench/results/leaderboard.json`,
    );
    return medianMs <= LIMIT_MS ? 0 : 1;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}
