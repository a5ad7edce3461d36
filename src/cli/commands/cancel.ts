import { InputError } from '../../errors.js';
import { formatCount } from '../../display/numbers.js';
import type { Submission } from '../../scale-out/submission.js';
import type { Command } from '../command.js';
import { openPlannedStore } from '../store-argument.js';

/**
 * `gondwana cancel STORE`: tasks that wait are taken out of the queue, those at work keep their state and end.
 * @throws InputError STORE_EMPTY, NOT_YOURS; RunError SLURM_SILENT, SLURM_MISSING
 */
export const cancel: Command = async (_context, [folder]) => {
  const { store } = await openPlannedStore(folder!);
  const { listSubmissions, settleOpen, viewQueue } = await import('../../scale-out/submissions.js');
  const { isMine, markCancelled } = await import('../../scale-out/submission.js');
  const { isLive, scancel } = await import('../../scale-out/slurm.js');
  const open = (await settleOpen(listSubmissions(store.folder).submissions)).filter(
    ({ format, outcome }) => format === 'slurm' && outcome?.job !== null,
  );
  const done = new Set(store.ids());
  const queue = await viewQueue(open, (run) => done.has(run));
  const isUnderWay = (submission: Submission): boolean =>
    queue.silence !== undefined || [...(queue.tasks.get(submission)?.values() ?? [])].some(isLive);
  const underWay = open.filter(isUnderWay);
  const live = underWay.filter((submission) => isMine(submission));
  const foreign = underWay.filter((submission) => !isMine(submission));
  if (foreign[0] && live.length === 0) {
    throw new InputError('NOT_YOURS', `Submission ${foreign[0].number} is that of ${foreign[0].user}.`, {
      where: foreign[0].folder,
      hint: 'Only who has submitted it can cancel it; nothing was cancelled.',
    });
  }
  // first the word, then the deed: a task that is asked to stop must not put itself back into the queue
  for (const submission of live) await markCancelled(submission);
  await scancel(live.map(({ name }) => name));
  const tasks = live
    .flatMap((submission) => [...(queue.tasks.get(submission)?.values() ?? [])])
    .filter(isLive);
  const cancelled = live.map(({ number, name }) => ({ submission: number, name }));
  return {
    document: { store: store.folder, cancelled, tasks: tasks.length, done: done.size },
    text:
      live.length === 0
        ? 'Nothing is on its way.'
        : `${formatCount(tasks.length)} tasks were cancelled; those at work keep their state. ${formatCount(done.size)} runs are finished and kept.`,
  };
};
