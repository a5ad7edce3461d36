import { groupBy } from '../collections.js';
import type { MimeBundle } from '../display/mime.js';
import { formatCount, formatSeconds } from '../display/numbers.js';
import { sheetBundle, type Fact } from '../display/sheet.js';
import type { StudyStatus } from './study-status.js';
import type { SubmittedStudy } from './submit-study.js';

const STATES = ['done', 'running', 'queued', 'failed', 'missing', 'unknown'] as const;

/** Counts of every arm, and nothing in columns that no arm needs. */
export function statusRows({ runs }: Pick<StudyStatus, 'runs'>): object[] {
  const datasets = new Set(runs.map(({ dataset }) => dataset));
  const states = STATES.filter((state) => state === 'done' || runs.some((run) => run.state === state));
  const arms = groupBy(runs, ({ dataset, arm }) => `${dataset}\t${arm}`);
  return [...arms.values()].map((ofArm) => ({
    ...(datasets.size > 1 && { dataset: ofArm[0]!.dataset }),
    arm: ofArm[0]!.arm,
    runs: ofArm.length,
    ...Object.fromEntries(states.map((state) => [state, ofArm.filter((run) => run.state === state).length])),
  }));
}

/** `12 of 40 runs are done, 8 running, 20 queued.` */
export function statusSentence(status: StudyStatus): string {
  const others = STATES.filter((state) => state !== 'done' && status[state] > 0).map(
    (state) => `${formatCount(status[state])} ${state}`,
  );
  const head = `${formatCount(status.done)} of ${formatCount(status.total)} runs are done`;
  return `${[head, ...others].join(', ')}.`;
}

/** What is to be said beside the counts, a sentence each. */
export function statusRemarks(status: StudyStatus): string[] {
  const { queueUnknown, secondsLeft, submissions } = status;
  return [
    ...(queueUnknown === null
      ? []
      : [`Queue unknown: ${queueUnknown} Records count whatever it says; nothing is lost.`]),
    ...(secondsLeft === null ? [] : [`About ${formatSeconds(secondsLeft)} left.`]),
    ...endRemarks(status),
    ...submissions
      .filter(({ pending }) => pending > 0)
      .map(
        ({ submission, job, pending, reasons }) =>
          `${formatCount(pending)} ${pending === 1 ? 'task' : 'tasks'} of submission ${submission} (job ${job ?? '–'}) ${pending === 1 ? 'waits' : 'wait'}: ${reasons.join(', ') || 'no reason given'}.`,
      ),
  ];
}

const ENDS = {
  memory:
    'ended by Slurm for want of memory: `resume` gives them twice as much, once, where it is known how much they had; else give --mem',
  time: 'ended by Slurm for want of time: `resume` gives them twice as much, once, as far as the partition goes',
  unknown: 'killed without a word',
  itself: 'in tasks that ended before they began one: look for what their set-up lines say',
} as const;

/** Why runs are missing that a task was to compute. */
function endRemarks({ runs }: StudyStatus): string[] {
  const ended = groupBy(
    runs.filter(({ state, endedBy }) => state === 'missing' && endedBy !== undefined),
    ({ endedBy }) => endedBy!,
  );
  return [...ended].map(([by, some]) => {
    const [count, log] = [formatCount(some.length), some.at(-1)!.log ?? ''];
    return `${count} of the missing ${some.length === 1 ? 'runs was' : 'runs were'} ${ENDS[by]} (the last of them: ${log}).`;
  });
}

/** Hours that are not exceeded. */
const hoursAtMost = (hours: number): string => {
  const steps = hours < 1 ? 100 : 10;
  return String(Math.ceil(hours * steps - 1e-9) / steps);
};

/** Failed runs with their reason and log. */
export const failureRows = ({ runs, failures }: StudyStatus): object[] =>
  runs
    .filter(({ state }) => state === 'failed')
    .map(({ id, arm, seed, log }) => ({
      run: id,
      arm,
      seed,
      code: failures[id]?.code ?? '',
      message: failures[id]?.message ?? '',
      log: log ?? '',
    }));

export function statusBundle(status: StudyStatus): MimeBundle {
  const failures = failureRows(status);
  return sheetBundle({
    title: status.title,
    facts: [
      ['study', status.study],
      ['store', status.store],
      ['state', statusSentence(status)],
    ],
    tables: [
      { rows: statusRows(status), caption: 'Runs by arm' },
      ...(failures.length > 0 ? [{ rows: failures, caption: 'Failed' }] : []),
    ],
    notes: statusRemarks(status),
  });
}

/** What was sent, a row an array. */
export const chunkRows = ({ chunks }: SubmittedStudy): object[] =>
  chunks.map(({ submission, job, tasks, runs, limitMinutes }) => ({
    ...(submission && { submission }),
    ...(job !== null && { job }),
    tasks,
    runs,
    'limit of a task': formatSeconds(limitMinutes * 60),
  }));

/** What it comes to, as facts. */
export const submittedFacts = (submitted: SubmittedStudy): Fact[] => [
  ['study', submitted.study],
  ['store', submitted.store],
  [
    'runs',
    [
      `${formatCount(submitted.submitted)} of ${formatCount(submitted.total)}`,
      ...(submitted.done > 0 ? [`${formatCount(submitted.done)} done`] : []),
      ...(submitted.busy > 0 ? [`${formatCount(submitted.busy)} on their way`] : []),
      ...(submitted.failed > 0 ? [`${formatCount(submitted.failed)} failed before and left out`] : []),
    ].join(', '),
  ],
  [
    'expected time of these runs, one after another',
    submitted.expectedSeconds === null
      ? 'unknown: some were never measured'
      : formatSeconds(submitted.expectedSeconds),
  ],
  ['processor hours at most', hoursAtMost(submitted.processorHoursAtMost)],
  ['GPU hours at most', submitted.gpuHoursAtMost > 0 ? hoursAtMost(submitted.gpuHoursAtMost) : undefined],
];

export const submittedBundle = (submitted: SubmittedStudy): MimeBundle =>
  sheetBundle({
    title: submitted.submitted > 0 ? 'Submitted' : 'Nothing to submit',
    facts: submittedFacts(submitted),
    tables: submitted.chunks.length > 0 ? [{ rows: chunkRows(submitted) }] : [],
    notes: [
      ...submitted.notices,
      'The tasks go on without this process; study.status() tells how far they are.',
    ],
  });
