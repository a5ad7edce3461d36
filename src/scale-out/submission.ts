import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { GondwanaError, InputError } from '../errors.js';
import { publishExclusive, writeFileAtomic } from '../io/atomic-file.js';
import { cacheFolder } from '../io/cache-folder.js';
import { readError, systemCode, writeError } from '../io/file-errors.js';
import { makeFolder } from '../io/make-folder.js';
import { sha256 } from '../manifests/sha256.js';
import * as z from '../manifests/zod-mini.js';
import { DEMAND_WORDS, type TaskDemand } from './cluster-options.js';
import type { RaisedDemand } from './raised-demand.js';

/**
 * What was handed to a cluster at one time, in `submissions/0007` of a study's folder:
 * - `runs.txt`: ids of runs, one task a line; task `k` of the array computes line `k`, counted from 0
 * - `batch.sh` or `job.json`: what the cluster was given. Nothing ever executes these files: the cluster has its copy
 * - `intent.json`: the name of the job and what it asks for, written before the cluster hears of it
 * - `submission.json`: the number that it got, or why it got none; whoever is first writes it
 */
export interface Intent {
  readonly schema: 'gondwana-submission/1';
  readonly number: number;
  /** Of the job; no other submission has it. */
  readonly name: string;
  readonly on: 'slurm' | 'script';
  readonly format: 'slurm' | 'kubernetes';
  /** Lines of `runs.txt`. */
  readonly tasks: number;
  readonly runs: number;
  /** As asked for. */
  readonly demand: TaskDemand;
  /** What the tasks get over that: Slurm ended them for want of it before. */
  readonly raised?: RaisedDemand | undefined;
  /** Limit of a task. */
  readonly limitMinutes: number;
  /** Files with code of the user's own. */
  readonly plugins: readonly string[];
  /** Of the checkout that the command ran from; tasks that find it unchanged need not ask git. */
  readonly checkout?: CheckoutNote | undefined;
  /** Where the command was given: relative paths of the study start there. */
  readonly cwd: string;
  readonly createdAt: string;
  readonly host: string;
  readonly pid: number;
  readonly user: string;
}

/** What git said of a checkout, and by which it is known that nothing was built, committed or added since. */
export interface CheckoutNote {
  readonly state: string;
  readonly commit: string;
}

/** The job of a submission, or why it never became one. */
export type SubmissionOutcome = { readonly job: string } | { readonly job: null; readonly reason: string };

const positive = z.int().check(z.positive());
const word = (pattern: RegExp) => z.optional(z.string().check(z.regex(pattern)));
const minutes = z.number().check(z.positive());

const intentSchema: z.ZodMiniType<Intent> = z.object({
  schema: z.literal('gondwana-submission/1'),
  number: positive,
  name: z.string().check(z.regex(/^gondwana-[a-z0-9-]+-\d+-[0-9a-f]{8}$/, 'not the name of a job of ours')),
  on: z.enum(['slurm', 'script']),
  format: z.enum(['slurm', 'kubernetes']),
  tasks: positive,
  runs: positive,
  demand: z.object({
    partition: word(DEMAND_WORDS.partition),
    account: word(DEMAND_WORDS.account),
    gres: word(DEMAND_WORDS.gres),
    cpus: z.optional(positive),
    mem: word(DEMAND_WORDS.mem),
    minutes: z.nullable(minutes),
    arrayLimit: z.optional(positive),
    pack: z.nullable(positive),
    setup: z.string(),
  }),
  raised: z.optional(z.object({ mem: word(DEMAND_WORDS.mem), minutes: z.optional(minutes) })),
  limitMinutes: minutes,
  plugins: z.readonly(z.array(z.string())),
  checkout: z.optional(
    z.object({
      state: z.string(),
      commit: z.string().check(z.regex(/^[0-9a-f]{12}( \+ changes)?$/, 'no commit as records have it')),
    }),
  ),
  cwd: z.string(),
  createdAt: z.iso.datetime(),
  host: z.string(),
  pid: z.int(),
  user: z.string(),
});

const outcomeSchema: z.ZodMiniType<SubmissionOutcome> = z.union([
  z.object({ job: z.string().check(z.regex(/^[\w.-]{1,100}$/)) }),
  z.object({ job: z.null(), reason: z.string() }),
]);

export interface Submission extends Intent {
  /** Its folder. */
  readonly folder: string;
  /** undefined: not known yet. */
  readonly outcome: SubmissionOutcome | undefined;
  readonly isCancelled: boolean;
}

const RUN_ID = /^[0-9a-f]{8,64}$/;
const FOLDER = /^\d{4,}$/;

export const submissionsFolder = (store: string): string => path.join(store, 'submissions');

export interface NewSubmission extends Omit<
  Intent,
  'schema' | 'number' | 'name' | 'createdAt' | 'host' | 'pid' | 'user' | 'tasks' | 'runs'
> {
  readonly study: string;
  /** Ids of runs by task. */
  readonly tasks: readonly (readonly string[])[];
  /** What the cluster is given, once name and folder are known. */
  readonly script: (name: string, folder: string) => string;
}

/**
 * Writes a submission that no cluster has heard of yet. Its number is the next one that is free.
 * @throws what writing throws
 */
export async function createSubmission(
  store: string,
  { study, tasks, script, ...given }: NewSubmission,
  taken: readonly number[],
): Promise<{ submission: Submission; script: string }> {
  await makeFolder(submissionsFolder(store));
  for (let number = Math.max(0, ...taken) + 1; ; number++) {
    const folder = path.join(submissionsFolder(store), String(number).padStart(4, '0'));
    try {
      await mkdir(folder);
    } catch (cause) {
      if (systemCode(cause) === 'EEXIST') continue; // another client was faster
      throw writeError(cause, folder);
    }
    const intent: Intent = {
      schema: 'gondwana-submission/1',
      number,
      name: `gondwana-${study.slice(0, 40).replace(/-+$/, '')}-${number}-${randomBytes(4).toString('hex')}`,
      ...given,
      tasks: tasks.length,
      runs: tasks.flat().length,
      createdAt: new Date().toISOString(),
      ...{ host: hostname(), pid: process.pid, user: userName() },
    };
    const text = script(intent.name, folder);
    await writeFileAtomic(path.join(folder, 'runs.txt'), `${tasks.map((ids) => ids.join(' ')).join('\n')}\n`);
    await writeFileAtomic(path.join(folder, scriptName(intent)), text);
    const file = path.join(folder, 'intent.json');
    await writeFileAtomic(file, `${JSON.stringify(intent, null, 2)}\n`);
    chmodSync(file, 0o644); // whatever the umask: what others can write is not trusted
    await writeMark(folder);
    return { submission: { ...intent, folder, outcome: undefined, isCancelled: false }, script: text };
  }
}

/** Without it the options are asked for anew: nothing to stop for. */
async function writeMark(folder: string): Promise<void> {
  try {
    await makeFolder(path.join(cacheFolder(), 'submissions'));
    await writeFileAtomic(markOf(folder), '');
  } catch (error) {
    if (!(error instanceof GondwanaError)) throw error;
  }
}

export const scriptName = ({ format }: Pick<Intent, 'format'>): string =>
  format === 'slurm' ? 'batch.sh' : 'job.json';

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // a container without an entry for this user
  }
}

/** @throws InputError SUBMISSION_INVALID; FILE_MISSING and what reading throws */
export function readSubmission(given: string): Submission {
  const folder = path.resolve(given);
  if (!FOLDER.test(path.basename(folder)) || path.basename(path.dirname(folder)) !== 'submissions')
    throw invalid(folder, 'A submission lies in submissions/NNNN of a study.');
  const intent = parse(intentSchema, path.join(folder, 'intent.json'));
  if (intent.number !== Number(path.basename(folder)))
    throw invalid(path.join(folder, 'intent.json'), `It is that of submission ${intent.number}.`);
  const outcomeFile = path.join(folder, 'submission.json');
  return {
    ...{ ...intent, folder },
    outcome: isTold(outcomeFile) ? parse(outcomeSchema, outcomeFile) : undefined,
    isCancelled: existsSync(path.join(folder, 'cancelled')),
  };
}

/** Ids of runs by task. @throws InputError SUBMISSION_INVALID */
export function tasksOf({ folder, tasks, runs }: Submission): string[][] {
  const file = path.join(folder, 'runs.txt');
  const lines = read(file).replace(/\n$/, '').split('\n');
  const found = lines.map((line) => line.split(' '));
  const ids = found.flat();
  const wrong = ids.find((id) => !RUN_ID.test(id));
  if (wrong !== undefined) throw invalid(file, `${JSON.stringify(wrong.slice(0, 80))} is no id of a run.`);
  if (found.length !== tasks || ids.length !== runs)
    throw invalid(
      file,
      `It has ${ids.length} runs in ${found.length} tasks, intent.json says ${runs} in ${tasks}.`,
    );
  return found;
}

/**
 * Says for good what became of a submission: the first one that says it is right.
 * @returns what holds
 */
export async function settle(
  { folder }: Pick<Submission, 'folder'>,
  outcome: SubmissionOutcome,
): Promise<SubmissionOutcome> {
  const file = path.join(folder, 'submission.json');
  for (;;) {
    await publishExclusive(file, `${JSON.stringify(outcome)}\n`); // also in the place of a claim that is left over
    if (isTold(file)) return parse(outcomeSchema, file);
    await setTimeout(CLAIM_MS);
  }
}

/** Between two looks at a file that another process is about to fill. */
const CLAIM_MS = 250;

/** Where hard links are missing, an empty file is a claim (`publishExclusive`). */
const isTold = (file: string): boolean => existsSync(file) && statSync(file).size > 0;

/** Tasks that hear of it begin nothing and do not come back. */
export const markCancelled = ({ folder }: Submission): Promise<void> =>
  writeFileAtomic(path.join(folder, 'cancelled'), `${new Date().toISOString()}\n`);

/**
 * Whether this user wrote the submission and nobody else can have changed it: only then is what it names (code, shell lines)
 * used again. Who unpacks a folder owns its files and has written none of them: a mark outside of it tells.
 */
export const isOwn = (submission: Pick<Submission, 'folder'>): boolean => {
  const { mode } = statSync(path.join(submission.folder, 'intent.json'));
  return isMine(submission) && (mode & 0o022) === 0 && existsSync(markOf(submission.folder));
};

/** Whether its tasks are this user's; what it names is trusted only where `isOwn`. */
export const isMine = ({ folder }: Pick<Submission, 'folder'>): boolean =>
  statSync(path.join(folder, 'intent.json')).uid === process.getuid?.();

const markOf = (folder: string): string =>
  path.join(cacheFolder(), 'submissions', sha256(readFileSync(path.join(folder, 'intent.json'))));

function parse<Schema extends z.ZodMiniType>(schema: Schema, file: string): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(read(file));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw invalid(file, `It is not JSON: ${cause.message}.`, cause);
    throw cause;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(file, `${issue!.path.join('.') || 'The whole'}: ${issue!.message}.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw readError(cause, file);
  }
}

const invalid = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('SUBMISSION_INVALID', `This is no submission of a study. ${message}`, {
    where,
    hint: 'Submit the study again: gondwana resume STORE.',
    ...(cause !== undefined && { cause }),
  });
