import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineInfo } from '../../engine/engine.js';
import { InputError, type ErrorData } from '../../errors.js';
import { runProcess } from '../../io/process.js';
import type { StoredPlan } from '../../results/plan-file.js';
import { openStore, type ResultStore } from '../../results/store.js';
import { packageVersion } from '../../version.js';

/** What computes, found out in a process of its own: a broken native library does not take the kernel down. */
export async function engineRows(): Promise<object[]> {
  const file = fileURLToPath(new URL('../../engine/engine-probe.js', import.meta.url));
  const { status, stdout } = await runProcess(process.execPath, [file], {
    env: { TF_CPP_MIN_LOG_LEVEL: '2' },
  });
  let answer: { readonly engine?: EngineInfo; readonly error?: ErrorData };
  try {
    answer = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof answer;
  } catch {
    return [{ fact: 'engine', value: `none: its process ended with status ${status} before it answered` }];
  }
  const rows = answer.engine
    ? Object.entries(answer.engine).map(([fact, value]) => ({ fact, value: String(value) }))
    : [
        {
          fact: 'engine',
          value: `none: ${answer.error?.message ?? 'reason unknown'} ${answer.error?.hint ?? ''}`,
        },
      ];
  return [
    ...rows,
    { fact: 'gondwana', value: packageVersion() },
    { fact: 'node', value: process.versions.node },
  ];
}

/**
 * Runs of a store by arm; for a folder of stores one row each.
 * @throws InputError STORE_MISSING, NOT_A_FOLDER, PLAN_DAMAGED
 */
export function storeRows(folder: string): object[] {
  const store = openStore(folder);
  const plan = store.readPlan();
  if (!plan) {
    const rows = storesIn(store.folder);
    if (rows.length > 0) return rows;
    throw new InputError('STORE_MISSING', 'No study was run in this folder, nor in one inside it.', {
      where: store.folder,
      hint: 'Name the folder of a study: the outcome of its run has it as `store`, its default is results/NAME.',
    });
  }
  const arms = new Map<string, Counts & { arm: string }>();
  for (const { arm, state } of statesOf(store, plan)) {
    const row = arms.get(arm) ?? { arm, ...NOTHING };
    row[state]++;
    arms.set(arm, row);
  }
  return [...arms.values()];
}

interface Counts {
  done: number;
  failed: number;
  missing: number;
}
const NOTHING: Readonly<Counts> = { done: 0, failed: 0, missing: 0 };

function statesOf(store: ResultStore, plan: StoredPlan): { arm: string; state: keyof Counts }[] {
  const finished = new Set(store.ids());
  const failed = store.failures();
  return plan.runs.map(({ id, arm }) => ({
    arm,
    state: finished.has(id) ? 'done' : failed.has(id) ? 'failed' : 'missing',
  }));
}

function storesIn(folder: string): object[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const store = openStore(path.join(folder, name));
      const plan = store.readPlan();
      if (!plan) return [];
      const row = { store: name, ...NOTHING };
      for (const { state } of statesOf(store, plan)) row[state]++;
      return [row];
    });
}
