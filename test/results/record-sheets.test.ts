import { expect, test } from 'vitest';
import { bundleOf } from '../../src/display/bundle.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { openStore } from '../../src/results/store.js';
import { syntheticRecords, writeSyntheticStore } from '../fixtures/results/synthetic-store.js';
import { classificationRecords, regressionRecords } from '../fixtures/results/synthetic-tasks.js';
import { tempFolder } from '../support/temp-folder.js';

test('a run that was read shows what it was, its scores and its training; many are a table', async () => {
  const folder = tempFolder();
  await writeSyntheticStore(folder);
  const { records } = openStore(folder).readAll();
  const record = records.find(({ definition }) => definition.seed === 1)!;
  const text = (await bundleOf(record))['text/plain'] as string;
  expect(text).toContain(`Run ${record.id}: ${record.arm}`);
  expect(text).toMatch(/Scores\nsplit\s+evaluation\s+/);
  expect(text).toMatch(/Training\nepoch\s+train loss\s+validation mIoU\s+seconds\n/);
  const list = (await bundleOf(records.slice(0, 3)))['text/plain'] as string;
  expect(list).toMatch(/^run\s+arm\s+dataset\s+encoder\s+seed\s+mIoU/);
  expect(list.split('\n')).toHaveLength(3 + 3 + 1);
  // reading and comparing is as before
  expect({ ...record, examples: [] }).toEqual(syntheticRecords().find(({ id }) => id === record.id));
});

test('runs of a regression and of a classification show the scores of their task', async () => {
  const open = async (records: readonly RunRecord[]): Promise<readonly RunRecord[]> => {
    const store = openStore(tempFolder());
    for (const record of records.slice(0, 2)) await store.publish(record);
    return store.readAll().records;
  };
  const errors = await open(regressionRecords());
  expect((await bundleOf(errors[0]))['text/plain']).toMatch(
    /epoch\s+train loss\s+validation RMSE\s+seconds\n/,
  );
  expect((await bundleOf(errors))['text/plain']).toMatch(/seed\s+RMSE val\s+RMSE test\s+RMSE away\s+seconds/);
  const labels = await open(classificationRecords());
  // its study chooses the epoch by mF1
  expect((await bundleOf(labels[0]))['text/plain']).toMatch(/train loss\s+validation mF1\s+seconds\n/);
  expect((await bundleOf(labels))['text/plain']).toMatch(/seed\s+accuracy val\s+accuracy test/);
});

test('a store shows its folder, its study and how many of the planned runs are finished', async () => {
  const folder = tempFolder();
  const empty = openStore(folder);
  expect((await bundleOf(empty))['text/plain']).toContain('No run is finished yet.');
  await writeSyntheticStore(folder);
  const store = openStore(folder);
  const { runs } = store.readPlan()!;
  await store.noteFailure('ab'.repeat(10), {
    ...{ code: 'LOSS_NOT_FINITE', message: 'NaN', where: '', hint: '', exitCode: 1 },
  });
  const text = (await bundleOf(store))['text/plain'] as string;
  expect(text).toContain(`${runs.length} of ${runs.length} planned runs`);
  expect(text).toMatch(/Failed at the last attempt[\s\S]*LOSS_NOT_FINITE\s+NaN/);
  const all = (await bundleOf(store.readAll()))['text/plain'] as string;
  expect(all).toMatch(new RegExp(`^${runs.length} runs\n`));
});
