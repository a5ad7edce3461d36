import { RunError } from '../errors.js';
import { wrong, type TaskDemand } from './cluster-options.js';
import type { Limits } from './pack-tasks.js';
import { DEFAULT_ARRAY_SIZE, maximumArraySize, partitionOf, sbatch, scancel } from './slurm.js';
import { slurmTime } from './slurm-time.js';
import { settle, type Submission } from './submission.js';

/** What the cluster allows. @throws UsageError OPTION_VALUE for a limit that would wait for ever */
export async function limitsOf(
  { partition, minutes }: TaskDemand,
  {
    on,
    isDryRun,
    notice,
  }: { readonly on: string; readonly isDryRun: boolean; notice: (text: string) => void },
): Promise<Limits> {
  const unasked = { arraySize: DEFAULT_ARRAY_SIZE, maximumMinutes: Infinity };
  if (on === 'script') return unasked;
  try {
    const [arraySize, found] = await Promise.all([
      maximumArraySize(),
      partitionOf(partition ?? (process.env.SBATCH_PARTITION || undefined)),
    ]);
    const { maximumMinutes = Infinity, name = '' } = found ?? {};
    if (minutes !== null && minutes > maximumMinutes) {
      throw wrong(
        'time',
        slurmTime(minutes),
        `Partition ${name} has ${slurmTime(maximumMinutes)} at most; a run that takes longer goes on from its checkpoint by itself.`,
      );
    }
    return { arraySize, maximumMinutes };
  } catch (error) {
    if (!isDryRun || !(error instanceof RunError)) throw error;
    notice(`${error.message} Slurm's defaults are assumed.`);
    return unasked;
  }
}

/**
 * Sends what was laid down, and lays down the number that it got.
 * @throws RunError SLURM_REFUSED, SLURM_SILENT, SLURM_MISSING, SUBMISSION_GIVEN_UP
 */
export async function sendJob(
  submission: Submission,
  script: string,
  options: readonly (readonly [string, string])[],
): Promise<string> {
  let job: string;
  try {
    job = await sbatch(script, options);
  } catch (error) {
    const isKnown = error instanceof RunError && error.code !== 'SLURM_SILENT';
    if (isKnown) await settle(submission, { job: null, reason: error.message });
    throw error;
  }
  const outcome = await settle(submission, { job });
  if (outcome.job !== null) return job;
  await scancel([submission.name]);
  throw new RunError('SUBMISSION_GIVEN_UP', 'Another client has taken this submission for a dead one.', {
    where: submission.folder,
    hint: 'Its job was cancelled; gondwana status STORE shows what the other one submitted.',
  });
}
