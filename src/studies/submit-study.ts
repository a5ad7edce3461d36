import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatSeconds } from '../display/numbers.js';
import { showAs } from '../display/showable.js';
import { nearest, RunError, UsageError } from '../errors.js';
import { makeFolder } from '../io/make-folder.js';
import { openStore, type ResultStore } from '../results/store.js';
import { forgetKills } from '../scale-out/attempts.js';
import { batchOptions, batchScript, type BatchJob } from '../scale-out/batch-script.js';
import { demandAfter, wrong, type ClusterOptions } from '../scale-out/cluster-options.js';
import { containerOf, kubernetesJob } from '../scale-out/kubernetes-job.js';
import { packRaised, raisedNotices, type RaisedChunk } from '../scale-out/raised-demand.js';
import { limitsOf, sendJob } from '../scale-out/send-job.js';
import { createSubmission, scriptName, type Submission } from '../scale-out/submission.js';
import { listSubmissions, settleOpen, takenNumbers } from '../scale-out/submissions.js';
import { loadedPlugins } from './loaded-plugins.js';
import { missingUnits } from './missing-units.js';
import { layOutStudy } from './plan-study.js';
import { prepareStore } from './prepare-store.js';
import { outcomesIn } from './replay-search.js';
import { submittedBundle } from './status-sheets.js';
import type { PlannedRun, StudyDefinition, StudyEvent } from './study.js';
import { noteCheckout } from './versions.js';

export interface SubmitOptions extends ClusterOptions {
  readonly on: 'slurm' | 'script';
  /** Folder of the study; default `results/NAME`. It lies where the nodes of the cluster see it under the same path. */
  readonly store?: string;
  readonly quick?: boolean;
  /** Also runs that failed. */
  readonly retryFailed?: boolean;
  /** Tells what would be sent; writes and sends nothing. */
  readonly isDryRun?: boolean;
  /** What an earlier submission asked for, where these options say nothing. */
  readonly earlier?: Pick<Submission, 'demand' | 'cwd' | 'format'>;
  readonly onEvent?: (event: StudyEvent) => void;
}

/** One array of tasks. */
export interface SubmittedChunk {
  /** Name of the folder in `submissions`; empty where nothing was written. */
  readonly submission: string;
  /** null where nothing was sent. */
  readonly job: string | null;
  readonly tasks: number;
  readonly runs: number;
  readonly limitMinutes: number;
}

/** What was handed to a cluster, and what was left out. */
export interface SubmittedStudy {
  readonly study: string;
  readonly store: string;
  readonly on: 'slurm' | 'script';
  readonly total: number;
  readonly done: number;
  /** At work or waiting already. */
  readonly busy: number;
  /** Left out because they failed. */
  readonly failed: number;
  /** Of these chunks. A search counts as one run. */
  readonly submitted: number;
  readonly chunks: readonly SubmittedChunk[];
  /** Of all runs that were submitted, one after another; null where some were never measured. */
  readonly expectedSeconds: number | null;
  /** Most that the limits of the tasks allow, hours × processors. */
  readonly processorHoursAtMost: number;
  /** The same of GPUs. */
  readonly gpuHoursAtMost: number;
  /** What the first chunk is started with; empty where there is none. */
  readonly script: string;
  /** Files to be submitted by hand. */
  readonly files: readonly string[];
  readonly notices: readonly string[];
}

/**
 * Hands the runs that a study lacks to a cluster and returns at once. Runs that are finished, waiting, at work or have failed
 * are left out, so that the same call again sends what is missing and nothing twice.
 * @throws UsageError OPTION_UNKNOWN, OPTION_VALUE, OPTION_MISSING, PLUGIN_MISSING; RunError SLURM_MISSING, SLURM_SILENT, SLURM_REFUSED,
 * QUEUE_UNKNOWN; InputError PATH_UNSAFE; what planning and opening the store throw
 */
export async function submitStudy(study: StudyDefinition, options: SubmitOptions): Promise<SubmittedStudy> {
  const { on, quick = false, isDryRun = false, onEvent = () => undefined } = options;
  refuseUnknown(options);
  const notices: string[] = [];
  const notice = (text: string): void => {
    notices.push(text);
    onEvent({ type: 'notice', text });
  };
  const demand = demandAfter(options.earlier?.demand, options);
  const growing = await layOutStudy(study, { quick });
  const store = openStore(options.store ?? path.join('results', growing.plan.study.name));
  const isKubernetes =
    (options.format ?? (on === 'script' ? options.earlier?.format : undefined)) === 'kubernetes';
  if (isKubernetes && on !== 'script') throw wrong('format', 'kubernetes', 'It goes with --on script.');
  const container = isKubernetes ? containerOf(options, store.folder) : undefined;
  const limits = await limitsOf(demand, { on, isDryRun, notice });
  if (isDryRun) growing.refresh(outcomesIn(store));
  else await prepareStore(growing, store, (event) => event.type === 'notice' && notice(event.text));

  const submissions = await openSubmissions(store, isDryRun);
  const { units, counts, retried } = await missingUnits(growing, store, submissions, options);
  for (const text of raisedNotices(units, limits.maximumMinutes)) notice(text);
  requirePlugins(growing.plan.runs);
  const chunks = packRaised(units, demand, limits);
  const unknown = units.filter(({ seconds }) => seconds === null).length;
  if (unknown > 0 && demand.minutes === null) {
    notice(
      `No run like ${unknown} of ${units.length} was measured: each has a task to itself and ${formatSeconds(60 * Math.min(240, limits.maximumMinutes))}.`,
    );
  }
  const base = {
    ...{ store: store.folder, demand, plugins: loadedPlugins() },
    cwd: options.earlier?.cwd ?? process.cwd(),
    command: isKubernetes ? ['gondwana'] : [process.execPath, COMMAND_LINE],
  };
  const jobOf = (chunk: RaisedChunk, name: string, folder: string): BatchJob => ({
    ...{ ...base, name, folder, tasks: chunk.tasks.length, limitMinutes: chunk.limitMinutes },
    demand: { ...demand, mem: chunk.raised.mem ?? demand.mem },
  });
  const scriptOf = (job: BatchJob): string => (container ? kubernetesJob(job, container) : batchScript(job));

  const checkout = isDryRun ? undefined : await noteCheckout();
  const sent: SubmittedChunk[] = [];
  const files: string[] = [];
  let script = '';
  if (!isDryRun && chunks.length > 0)
    for (const name of ['logs', 'attempts']) await makeFolder(path.join(store.folder, name));
  for (const chunk of chunks) {
    const beside = {
      tasks: chunk.tasks.length,
      runs: chunk.tasks.flat().length,
      limitMinutes: chunk.limitMinutes,
    };
    if (isDryRun) {
      const name = `gondwana-${growing.plan.study.name}-N`;
      script ||= scriptOf(jobOf(chunk, name, path.join(store.folder, 'submissions', 'NNNN')));
      sent.push({ submission: '', job: null, ...beside });
      continue;
    }
    const { submission, script: text } = await createSubmission(
      store.folder,
      {
        ...{ study: growing.plan.study.name, on, format: isKubernetes ? 'kubernetes' : 'slurm', demand },
        ...{ tasks: chunk.tasks, limitMinutes: chunk.limitMinutes, plugins: base.plugins, cwd: base.cwd },
        ...{ raised: chunk.raised, checkout },
        script: (name, folder) => scriptOf(jobOf(chunk, name, folder)),
      },
      takenNumbers(store.folder),
    );
    script ||= text;
    const name = path.basename(submission.folder);
    const forgiven = chunk.tasks.flat().flatMap((unit) => retried.get(unit) ?? []);
    if (on === 'script') {
      await forgetKills(store.folder, forgiven);
      files.push(path.join(submission.folder, scriptName(submission)));
      sent.push({ submission: name, job: null, ...beside });
      continue;
    }
    try {
      const job = await sendJob(
        submission,
        text,
        batchOptions(jobOf(chunk, submission.name, submission.folder)),
      );
      await forgetKills(store.folder, forgiven);
      sent.push({ submission: name, job, ...beside });
    } catch (error) {
      if (sent.length === 0 || !(error instanceof RunError)) throw error;
      notice(
        `${sent.length} of ${chunks.length} arrays were taken, then: ${error.message} \`resume\` sends the rest.`,
      );
      break;
    }
  }
  const hours = sent.reduce((sum, { tasks, limitMinutes }) => sum + (tasks * limitMinutes) / 60, 0);
  const result: SubmittedStudy = {
    ...{ study: growing.plan.study.name, store: store.folder, on, ...counts },
    submitted: sent.reduce((sum, { runs }) => sum + runs, 0),
    chunks: sent,
    expectedSeconds: unknown > 0 ? null : units.reduce((sum, { seconds }) => sum + seconds!, 0),
    processorHoursAtMost: hours * (demand.cpus ?? 1),
    gpuHoursAtMost: hours * gpusOf(demand.gres),
    ...{ script, files, notices },
  };
  return showAs(result, { bundle: submittedBundle });
}

const OPTIONS = {
  ...{ on: true, store: true, quick: true, retryFailed: true, isDryRun: true, earlier: true, onEvent: true },
  ...{ partition: true, account: true, gres: true, cpus: true, mem: true, time: true, arrayLimit: true },
  ...{ pack: true, setup: true, format: true, image: true, claim: true },
} satisfies Record<keyof SubmitOptions, true>;

/** A cell without types takes any name, and a task that did not get what it was to get waits or dies. @throws UsageError OPTION_UNKNOWN */
function refuseUnknown(options: SubmitOptions): void {
  const known = Object.keys(OPTIONS);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const guess = nearest(unknown, known);
  throw new UsageError('OPTION_UNKNOWN', `"${unknown}" is no option of a study on a cluster.`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}

/** The script of the command line, which starts a task. */
const COMMAND_LINE = fileURLToPath(new URL('../../tools/gondwana.mjs', import.meta.url));

async function openSubmissions(store: ResultStore, isDryRun: boolean): Promise<readonly Submission[]> {
  const { submissions } = listSubmissions(store.folder);
  return isDryRun ? submissions : settleOpen(submissions);
}

/** Code that was typed into a cell is in no file that a task could load. @throws UsageError PLUGIN_MISSING */
function requirePlugins(runs: readonly PlannedRun[]): void {
  const own = runs.find(({ definition }) => definition.own !== undefined)?.definition.own;
  if (own === undefined || loadedPlugins().length > 0) return;
  throw new UsageError('PLUGIN_MISSING', `The code of "${Object.keys(own)[0]}" is in no file.`, {
    hint: 'Export it from a .ts file and name that with --plugin, or export it from the file of a study that loadStudy reads: every task loads it anew.',
  });
}

const gpusOf = (gres = ''): number => {
  const gpu = gres.split(',').find((part) => part.startsWith('gpu'));
  return gpu === undefined ? 0 : Number(/:(\d+)$/.exec(gpu)?.[1] ?? 1);
};
