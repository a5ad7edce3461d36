import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { submissionFaults } from '../../src/results/submission-rules.js';
import {
  readSubmission,
  writeSubmission,
  type Submission,
  type SubmissionRun,
} from '../../src/results/submission.js';
import { tempFolder } from '../support/temp-folder.js';

const run = (
  model: string,
  dataset: string,
  seed: number,
  changed: Partial<SubmissionRun> = {},
): SubmissionRun => ({
  model,
  dataset,
  seed: String(seed),
  metric: 'Multiclass_Jaccard_Index',
  score: 0.5 + seed / 100,
  decoder: 'UNet',
  experiment: `final ${model}`,
  trialCount: 16,
  learningRate: 1e-4,
  batchSize: 8,
  weightDecay: 0.01,
  earlyStopPatience: 10,
  dataPercent: 100,
  ...changed,
});

const grid = (changed: Partial<SubmissionRun> = {}): SubmissionRun[] =>
  ['a', 'b'].flatMap((model) =>
    ['x', 'y'].flatMap((dataset) => [1, 2, 3, 4, 5].map((seed) => run(model, dataset, seed, changed))),
  );

const info = {
  paper: 'N/A',
  code: 'https://example.org',
  license: 'MIT',
  about: 'A "test", with commas.',
  newModels: [{ name: 'A', size: '3M', backbone: 'a' }],
};

const codes = (runs: readonly SubmissionRun[]): string[] => submissionFaults(runs).map(({ code }) => code);

test('a submission that keeps the rules is written and read back as it was', async () => {
  const folder = tempFolder();
  const submission = { runs: grid({ earlyStopPatience: null }), info };
  await writeSubmission(submission, folder);
  expect(readSubmission(path.join(folder, 'results.csv'))).toEqual(submission);
  const [header] = readFileSync(path.join(folder, 'results.csv'), 'utf8').split('\n');
  expect(header).toContain('dataset,Metric,experiment_name,partition name,backbone,decoder');
});

test('every broken rule is named with model and dataset', () => {
  const one = (changed: Partial<SubmissionRun>): SubmissionRun[] =>
    grid().map((row) => (row.model === 'b' && row.dataset === 'y' ? { ...row, ...changed } : row));
  expect(codes(grid())).toEqual([]);
  const [trials] = submissionFaults(one({ trialCount: 17 }));
  expect(trials).toEqual({
    code: 'TRIALS',
    text: 'b on y: 17 trials, 1 to 16 are allowed.',
    model: 'b',
    dataset: 'y',
  });
  expect(codes(grid().slice(1))).toEqual(['REPEATS']);
  expect(codes([...grid().slice(1), run('a', 'x', 2)])).toEqual(['REPEATS']);
  expect(codes(one({ score: null }))).toEqual(['FAILED']);
  expect(codes(one({ learningRate: 0.002 }))).toEqual(['SEARCH_SPACE']);
  expect(codes(one({ batchSize: 4 }))).toEqual(['SEARCH_SPACE']);
  expect(codes(one({ weightDecay: 0.1 }))).toEqual(['SEARCH_SPACE']);
  expect(submissionFaults(one({ earlyStopPatience: null }))[0]!.text).toBe(
    'Models on y differ in their patience: 10 and none.',
  );
  expect(codes(one({ dataPercent: 50 }))).toEqual(['SUBSET']);
  const uneven = grid().map((row, i) => (i === 0 ? { ...row, learningRate: 2e-4 } : row));
  expect(submissionFaults(uneven)[0]!.text).toBe(
    'a on x: its repeats have the learning rate 0.0002 and 0.0001.',
  );
});

test('runs that break a rule are not written', async () => {
  const folder = tempFolder();
  await expect(writeSubmission({ runs: grid({ trialCount: 20 }), info }, folder)).rejects.toMatchObject({
    code: 'SUBMISSION_RULES',
    message: expect.stringMatching(/20 trials.* And 1 more\./) as string,
  });
});

test('the second file must be the form', async () => {
  const folder = tempFolder();
  await writeSubmission({ runs: grid(), info }, folder);
  writeFileSync(path.join(folder, 'results.json'), '{"License": 3}');
  expect(() => readSubmission(path.join(folder, 'results.csv'))).toThrow(
    expect.objectContaining({
      code: 'SUBMISSION_INFO',
      message: expect.stringContaining('"License"') as string,
    }),
  );
});

test('a submission without runs, or that does not say what it is, is not written', async () => {
  const folder = tempFolder();
  await expect(writeSubmission({ runs: [], info }, folder)).rejects.toMatchObject({
    code: 'SUBMISSION_RULES',
  });
  const { paper: _, ...short } = info;
  for (const wrong of [undefined, short, { ...info, newModels: 'none' }]) {
    const submission = { runs: grid(), info: wrong } as unknown as Submission;
    await expect(writeSubmission(submission, folder)).rejects.toMatchObject({ code: 'SUBMISSION_INFO' });
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('a cell of very many rows is judged', () => {
  const many = Array.from({ length: 130_000 }, () => run('a', 'x', 1));
  expect(codes(many)).toEqual(['REPEATS']);
});
