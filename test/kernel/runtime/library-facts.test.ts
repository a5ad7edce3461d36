import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeRows } from '../../../src/kernel/runtime/library-facts.js';
import { openStore } from '../../../src/results/store.js';
import { syntheticPlan, syntheticRecords } from '../../fixtures/results/synthetic-store.js';

let scratch: string;
beforeAll(() => (scratch = mkdtempSync(path.join(tmpdir(), 'facts-'))));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('a store is told by arm, a folder of stores by store, and a folder without any is an error', async () => {
  expect(() => storeRows(scratch)).toThrowError(expect.objectContaining({ code: 'STORE_MISSING' }) as Error);
  expect(() => storeRows(path.join(scratch, 'nowhere'))).toThrowError(/No study was run/);

  const records = syntheticRecords();
  const store = openStore(path.join(scratch, 'one'));
  await store.writePlan(syntheticPlan(records));
  await store.publish(records[0]!);
  const total = records.length;
  expect(storeRows(scratch)).toEqual([{ store: 'one', done: 1, failed: 0, missing: total - 1 }]);
  const rows = storeRows(store.folder) as { arm: string; done: number; missing: number }[];
  expect(rows.find(({ arm }) => arm === records[0]!.arm)!.done).toBe(1);
  expect(rows.reduce((sum, { missing }) => sum + missing, 0)).toBe(total - 1);
});
