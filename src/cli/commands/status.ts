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
  const runs = plan.runs.map(({ id, arm, definition }) => ({
    arm,
    seed: definition.seed,
    state: finished.has(id) ? 'done' : 'missing',
    id,
  }));
  const done = runs.filter((run) => run.state === 'done').length;
  const document = {
    study: plan.study.name,
    store: store.folder,
    quick: plan.quick,
    done,
    running: 0,
    queued: 0,
    failed: damaged.length,
    missing: runs.length - done,
    runs,
    damaged,
  };
  const lines = [`${plan.study.title}`, `${done} of ${runs.length} runs are done.`, '', tableText(runs)];
  for (const { file, reason } of damaged) lines.push(`damaged: ${file}: ${reason}`);
  if (done < runs.length) lines.push('', `gondwana resume ${folder} runs what is missing.`);
  return { document, text: lines.join('\n') };
};
