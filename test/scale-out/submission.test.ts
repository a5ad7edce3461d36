import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { taskDemand } from '../../src/scale-out/cluster-options.js';
import {
  createSubmission,
  isMine,
  isOwn,
  readSubmission,
  settle,
  tasksOf,
  type Intent,
  type Submission,
} from '../../src/scale-out/submission.js';
import { isSubmitting, listSubmissions, takenNumbers } from '../../src/scale-out/submissions.js';
import { runTask } from '../../src/studies/run-task.js';
import { tempFolder } from '../support/temp-folder.js';

const TASKS = [['00000001', '00000002'], ['00000003']];

async function create(store: string): Promise<Submission> {
  const { submission } = await createSubmission(
    store,
    {
      ...{ study: 's', on: 'slurm', format: 'slurm', demand: taskDemand({ mem: '2G' }), tasks: TASKS },
      ...{ limitMinutes: 10, plugins: [], cwd: store, script: (name) => `# ${name}\n` },
    },
    takenNumbers(store),
  );
  return submission;
}

const change = (submission: Submission, members: Partial<Record<keyof Intent, unknown>>): void => {
  const file = path.join(submission.folder, 'intent.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...members }));
};

describe('a submission', () => {
  it('is read as it was written, under the next number, and no other has its name', async () => {
    const store = tempFolder();
    mkdirSync(path.join(store, 'submissions/0003'), { recursive: true }); // of a client that was killed
    const [first, second] = [await create(store), await create(store)];
    expect([first.number, second.number]).toEqual([4, 5]);
    expect(first.name).not.toBe(second.name);
    expect(tasksOf(readSubmission(first.folder))).toEqual(TASKS);
    expect(readFileSync(path.join(first.folder, 'batch.sh'), 'utf8')).toBe(`# ${first.name}\n`);
    expect(listSubmissions(store).submissions.map(({ number }) => number)).toEqual([4, 5]);
  });

  it('has one outcome: the first', async () => {
    const submission = await create(tempFolder());
    expect(await settle(submission, { job: null, reason: 'no client' })).toMatchObject({ job: null });
    expect(await settle(submission, { job: '12' })).toMatchObject({ job: null });
    expect(readSubmission(submission.folder).outcome).toMatchObject({ job: null });
  });

  it('whose list of runs was cut is named, and hides no other', async () => {
    const store = tempFolder();
    const [first, second] = [await create(store), await create(store)];
    writeFileSync(path.join(first.folder, 'runs.txt'), '00000001\n');
    const { submissions, damaged } = listSubmissions(store);
    expect(submissions.map(({ number }) => number)).toEqual([second.number]);
    expect(damaged).toMatchObject([{ file: 'submissions/0001' }]);
  });

  it('has no outcome while its file is a claim of a process that is writing', async () => {
    const submission = await create(tempFolder());
    const file = path.join(submission.folder, 'submission.json');
    writeFileSync(file, '');
    expect(readSubmission(submission.folder).outcome).toBeUndefined();
    setTimeout(() => writeFileSync(file, '{"job":"7"}\n'), 300);
    expect(await settle(submission, { job: '8' })).toEqual({ job: '7' });
  });

  it.each([
    ['that is to come', '9999-01-01T00:00:00.000Z'],
    ['long ago', '2020-01-01T00:00:00.000Z'],
  ])('of a process that is there and a time %s is not about to be submitted', async (_when, createdAt) => {
    const submission = await create(tempFolder());
    change(submission, { createdAt, pid: 1 });
    expect(isSubmitting(readSubmission(submission.folder))).toBe(false);
    change(submission, { createdAt: new Date().toISOString() });
    expect(isSubmitting(readSubmission(submission.folder))).toBe(true);
  });

  it('with a commit that git never tells is refused', async () => {
    const submission = await create(tempFolder());
    change(submission, { checkout: { state: 'a', commit: '<script>' } });
    expect(() => readSubmission(submission.folder)).toThrow(
      expect.objectContaining({
        code: 'SUBMISSION_INVALID',
        message: expect.stringContaining('checkout.commit'),
      }),
    );
  });

  it('that somebody else wrote is not trusted, though its files are the user’s now', async () => {
    const submission = await create(tempFolder());
    change(submission, { plugins: ['evil.mjs'] }); // as by an archive that was unpacked
    expect(isMine(submission)).toBe(true);
    expect(isOwn(submission)).toBe(false);
  });

  it('of which others can have changed a word is not trusted', async () => {
    const submission = await create(tempFolder());
    expect(isOwn(submission)).toBe(true);
    chmodSync(path.join(submission.folder, 'intent.json'), 0o664);
    expect(isOwn(submission)).toBe(false);
  });

  it.each([
    ['a name for other jobs', { name: 'all,my,jobs' }],
    ['a name that is an option', { name: '--user=root' }],
    [
      'a partition with a shell in it',
      { demand: { partition: 'a;b', minutes: null, pack: null, setup: '' } },
    ],
    ['the number of another', { number: 77 }],
    ['another form', { schema: 'gondwana-submission/9' }],
    ['tasks that are not there', { tasks: 5 }],
  ])('from elsewhere with %s is refused', async (_what, members) => {
    const store = tempFolder();
    const submission = await create(store);
    change(submission, members);
    expect(() => tasksOf(readSubmission(submission.folder))).toThrow(
      expect.objectContaining({ code: 'SUBMISSION_INVALID', exitCode: 3 }),
    );
  });

  it.each([
    '../../etc/passwd\n00000003\n',
    '00000001 00000002\n00000003\n00000004\n',
    '',
    '\n\n',
    '{"a": 1}',
  ])('whose list of runs is %j is refused', async (text) => {
    const submission = await create(tempFolder());
    writeFileSync(path.join(submission.folder, 'runs.txt'), text);
    expect(() => tasksOf(submission)).toThrow(expect.objectContaining({ code: 'SUBMISSION_INVALID' }));
  });
});

describe('a task', () => {
  const start = (
    submission: string,
    env: Record<string, string>,
    index?: number,
  ): ReturnType<typeof runTask> =>
    runTask({ submission, index, env, signal: new AbortController().signal, say: () => undefined });

  it.each([
    ['SLURM_ARRAY_TASK_ID', '2'],
    ['JOB_COMPLETION_INDEX', '2'],
    ['PBS_ARRAY_INDEX', '2'],
    ['SGE_TASK_ID', '3'],
    ['LSB_JOBINDEX', '3'],
  ])('learns its number from %s', async (name, value) => {
    const { folder } = await create(tempFolder());
    await expect(start(folder, { [name]: value })).rejects.toThrow('has no task 2');
  });

  it('needs a number and a plan', async () => {
    const { folder } = await create(tempFolder());
    await expect(start(folder, { SGE_TASK_ID: 'undefined' })).rejects.toMatchObject({ code: 'TASK_INDEX' });
    await expect(start(folder, {}, 0)).rejects.toMatchObject({ code: 'STORE_EMPTY' });
  });

  it('of a submission that was given up begins nothing', async () => {
    const store = tempFolder();
    const submission = await create(store);
    await settle(submission, { job: null, reason: 'no client' });
    const env = { SLURM_ARRAY_JOB_ID: '7', SLURM_ARRAY_TASK_ID: '0' };
    expect(await start(submission.folder, env)).toMatchObject({ skipped: 2, exitCode: 0 });
    expect(existsSync(path.join(store, 'attempts'))).toBe(false);
  });

  it('refuses a folder that is no submission', async () => {
    await expect(start(tempFolder(), {}, 0)).rejects.toMatchObject({ code: 'SUBMISSION_INVALID' });
  });
});
