import { tableText } from '../../display/table.js';
import type { Command } from '../command.js';
import { openPlannedStore } from '../store-argument.js';

/**
 * `gondwana status STORE`: counts from the plan and the records. Runs of this machine that are at work leave no
 * trace in the store until they are finished, so they count as missing.
 * @throws InputError STORE_EMPTY, NOT_A_FOLDER, PLAN_DAMAGED
 */
export const status: Command = async (_context, [folder]) => {
  const { store, plan } = await openPlannedStore(folder!);
  const { records, damaged } = store.readAll();
  const finished = new Set(records.map((record) => record.id));
  const failures = store.failures();
  const stateOf = (id: string): 'done' | 'failed' | 'missing' => {
    if (finished.has(id)) return 'done';
    return failures.has(id) ? 'failed' : 'missing';
  };
  const hasDatasets = new Set(plan.runs.map(({ definition }) => definition.dataset)).size > 1;
  const runs = plan.runs.map(({ id, arm, definition }) => ({
    ...(hasDatasets && { dataset: definition.dataset }),
    arm,
    seed: definition.seed,
    state: stateOf(id),
    id,
  }));
  // runs of searches that are not known yet
  const { toCome = 0 } = plan;
  const count = (state: string): number => runs.filter((run) => run.state === state).length;
  const done = count('done');
  const document = {
    study: plan.study.name,
    store: store.folder,
    quick: plan.quick,
    done,
    running: 0,
    queued: 0,
    failed: count('failed'),
    missing: count('missing') + toCome,
    runs,
    failures: Object.fromEntries(failures),
    damaged,
  };
  const lines = [
    `${plan.study.title}`,
    `${done} of ${runs.length + toCome} runs are done.`,
    '',
    tableText(runs),
  ];
  for (const [id, error] of failures) lines.push(`failed: ${id}: ${error.code}: ${error.message}`);
  for (const { file, reason } of damaged) lines.push(`damaged: ${file}: ${reason}`);
  if (done < runs.length + toCome) {
    lines.push('', 'Runs that are at work right now count as missing until they finish.');
    lines.push(`npx gondwana resume ${folder} runs what is missing.`);
  }
  return { document, text: lines.join('\n') };
};
