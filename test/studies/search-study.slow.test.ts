import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { writeReport } from '../../src/report/write-report.js';
import { isTrial, type RunRecord } from '../../src/results/run-record.js';
import { toTable } from '../../src/results/table.js';
import { summaryRows } from '../../src/statistics/arms.js';
import { defineStudy } from '../../src/studies/define-study.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { runStudy } from '../../src/studies/run-study.js';
import type { StudyDefinition, StudyEvent } from '../../src/studies/study.js';
import { root } from '../support/needs.js';
import { fixtureFolders } from '../support/study-fixtures.js';
import { tempFolder } from '../support/temp-folder.js';

beforeAll(() => loadPlugin(path.join(root, 'test/fixtures/plugins/tiny-pyramid.ts')));

/** The last trial may be pruned: five complete ones come before it. */
const study: StudyDefinition = {
  name: 'searching',
  title: 'Which rate?',
  protocol: 'geobench2',
  datasets: ['gb2-burn-scars'],
  data: fixtureFolders(['gb2-burn-scars']),
  encoders: ['tiny-pyramid'],
  decoders: ['linear-pixel'],
  settings: {
    ...{ encoderMode: 'fine-tuned', epochs: 2, inputSize: 32, windowStride: 32, evaluation: 'tiles' },
    ...{ bands: 'match', crop: 'tiles' },
  },
  search: {
    ...{ id: true, trials: 6, pruner: 'median' },
    space: {
      learningRate: { kind: 'float', low: 1e-6, high: 1e-1, scale: 'log' },
      batchSize: { kind: 'categorical', choices: [8, 16] },
    },
  },
  seeds: [0, 1],
};

/** What a run computed, without times. */
const essence = ({ id, arm, curve, trial, scores }: RunRecord) => ({
  ...{ id, arm, trial, scores },
  losses: curve.map(({ trainLoss, validationScore }) => [trainLoss, validationScore]),
});

it('tries settings, repeats the best with every seed, and goes on after a stop as if there had been none', async () => {
  const [whole, stopped] = [tempFolder(), tempFolder()];
  const first = await defineStudy(study).plan({ store: whole });
  expect(first).toMatchObject({
    toCome: 7,
    outlook: { done: 0, missing: first.runs.length + 7, expectedSeconds: null },
    searches: [{ search: 'geobench2', trials: 6, complete: 0, best: null, repeats: 2 }],
  });

  const { plan, records, failed } = await runStudy(study, { store: whole });
  expect(failed).toEqual([]);
  expect(records.map(({ id }) => id)).toEqual(plan.runs.map(({ id }) => id));
  const trials = records.filter(isTrial);
  expect(trials).toHaveLength(6);
  for (const { scores, definition } of trials) {
    expect(new Set(scores.map(({ split }) => split)).has('test')).toBe(false);
    expect(definition.seed).toBe(42);
  }
  const values = trials.flatMap(({ trial }) => trial!.value ?? []);
  const [search] = plan.searches!;
  expect(search!.best!.value).toBe(Math.max(...values));
  const repeats = records.filter((one) => !isTrial(one) && one.definition.encoder !== 'none');
  expect(repeats.map(({ definition }) => definition.seed)).toEqual([0, 1]);
  for (const { definition } of repeats) expect(definition.settings).toMatchObject(search!.best!.parameters);

  // means and tables are of the repeats alone
  expect(summaryRows(records)[0]).toMatchObject({ runs: 2 });
  const runs = new Set(toTable(records).array('run') as string[]);
  expect(trials.some(({ id }) => runs.has(id))).toBe(false);
  const { html } = await writeReport(whole);
  expect(readFileSync(html, 'utf8')).toContain('trial 6');

  // stopped while the third trial is at work, which is then computed again from where it was
  const controller = new AbortController();
  const onEvent = (event: StudyEvent): void => {
    if (event.type === 'step' && event.phase === 'train' && event.epoch === 2 && trialsBegun === 3)
      controller.abort();
    if (event.type === 'run-started' && event.run.definition.trial) trialsBegun++;
  };
  let trialsBegun = 0;
  await expect(runStudy(study, { store: stopped, signal: controller.signal, onEvent })).rejects.toMatchObject(
    {
      code: 'STOPPED',
    },
  );
  const half = await defineStudy(study).plan({ store: stopped });
  expect(half.searches![0]!.complete + half.searches![0]!.pruned).toBe(2);
  expect(half.outlook!.expectedSeconds).toBeGreaterThan(0);
  const resumed = await runStudy(study, { store: stopped });
  expect(resumed.records.map(essence)).toEqual(records.map(essence));
});
