import { fileURLToPath } from 'node:url';
import type { EngineInfo } from '../../engine/engine.js';
import type { ErrorData } from '../../errors.js';
import { runProcess } from '../../io/process.js';
import { openStore } from '../../results/store.js';
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
 * Runs of a store by arm.
 * @throws InputError NOT_A_FOLDER, PLAN_DAMAGED
 */
export function storeRows(folder: string): object[] {
  const store = openStore(folder);
  const plan = store.readPlan();
  const finished = new Set(store.ids());
  const failed = store.failures();
  if (!plan) return [{ store: store.folder, records: finished.size, plan: 'none' }];
  const arms = new Map<string, { arm: string; done: number; failed: number; missing: number }>();
  for (const { id, arm } of plan.runs) {
    const row = arms.get(arm) ?? { arm, done: 0, failed: 0, missing: 0 };
    row[finished.has(id) ? 'done' : failed.has(id) ? 'failed' : 'missing']++;
    arms.set(arm, row);
  }
  return [...arms.values()];
}
