import { table } from 'arquero';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { csvColumn, csvNumbers, readCsv, type CsvTable } from '../io/csv.js';
import { toCsv } from './export.js';
import { importRuns, runColumns } from './import-runs.js';
import type { RunScore } from './run-score.js';
import { parseJson, readBytes } from './store-files.js';
import { submissionFaults } from './submission-rules.js';

/** One run as GEO-Bench-2's leaderboard asks for it. */
export interface SubmissionRun extends RunScore {
  readonly seed: string;
  readonly metric: string;
  readonly decoder: string;
  readonly experiment: string;
  /** Trials of the search that chose the settings. */
  readonly trialCount: number;
  readonly learningRate: number;
  readonly batchSize: number;
  readonly weightDecay: number;
  /** Epochs without gain before training stops; null where it is not stopped early. */
  readonly earlyStopPatience: number | null;
  /** Percent of the training set. */
  readonly dataPercent: number;
}

/** What a submission says of itself. */
export interface SubmissionInfo {
  readonly paper: string;
  readonly code: string;
  readonly license: string;
  readonly about: string;
  readonly newModels: readonly { readonly name: string; readonly size: string; readonly backbone: string }[];
}

export interface Submission {
  readonly runs: readonly SubmissionRun[];
  readonly info: SubmissionInfo;
}

const NUMBERS = {
  trialCount: 'n_trials',
  learningRate: 'lr',
  batchSize: 'batch_size',
  weightDecay: 'weight_decay',
} as const;

const text = z.string().default('');
const infoForm = z.object({
  'Paper Link': text,
  'Code Repository Link ': text, // so spelled, with its blank
  License: text,
  'Additional information about submission': text,
  'New model info': z
    .array(z.object({ model_display_name: text, model_size: text, unique_backbone_key: text }))
    .default([]),
});

/**
 * Reads a submission to GEO-Bench-2's leaderboard: a table of runs, and beside it what it says of itself. Its rules are
 * not checked: `submissionFaults` names what breaks them.
 * @param infoFile default: the JSON file named like the table (`NAME.json`, `NAME.info.json`), if it is there
 * @throws InputError what `importRuns` throws; SUBMISSION_INFO where the second file is none
 */
export function readSubmission(file: string, infoFile: string | undefined = infoBeside(file)): Submission {
  const csv = readCsv(file, { required: ['decoder', ...Object.values(NUMBERS)] });
  const { runs } = importRuns(file, { columns: runColumns.geobench2 });
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, column]) => [name, csvNumbers(csv, column)]),
  ) as Record<keyof typeof NUMBERS, number[]>;
  const patience = csvNumbers(csv, 'early_stop_patience', ['']);
  const [decoders, experiments] = [csvColumn(csv, 'decoder'), optionalColumn(csv, 'experiment_name')];
  const percents = optionalColumn(csv, 'data_percentages');
  return {
    runs: runs.map((run, row) => ({
      ...run,
      seed: run.seed!,
      metric: run.metric!,
      decoder: decoders[row]!,
      experiment: experiments[row] ?? '',
      trialCount: numbers.trialCount[row]!,
      learningRate: numbers.learningRate[row]!,
      batchSize: numbers.batchSize[row]!,
      weightDecay: numbers.weightDecay[row]!,
      earlyStopPatience: Number.isNaN(patience[row]!) ? null : patience[row]!,
      dataPercent: Number((percents[row] ?? '100').replace(/%$/, '')),
    })),
    info: infoFile === undefined ? NO_INFO : readInfo(infoFile),
  };
}

const NO_INFO: SubmissionInfo = { paper: '', code: '', license: '', about: '', newModels: [] };

const optionalColumn = (csv: CsvTable, name: string): readonly (string | undefined)[] =>
  csv.columns.includes(name) ? csvColumn(csv, name) : [];

function infoBeside(file: string): string | undefined {
  const stem = file.slice(0, file.length - path.extname(file).length);
  return [`${stem}.json`, `${stem}.info.json`].find((name) => existsSync(name));
}

function readInfo(file: string): SubmissionInfo {
  const value = parseJson(file, Buffer.from(readBytes(file)).toString('utf8'), 'SUBMISSION_INFO');
  const parsed = infoForm.safeParse(value);
  if (!parsed.success) {
    const { path: member, message } = parsed.error.issues[0]!;
    throw new InputError('SUBMISSION_INFO', `"${member.join('.')}" is wrong: ${message}.`, {
      where: file,
      hint: 'Take the form that writeSubmission writes.',
    });
  }
  const info = parsed.data;
  return {
    paper: info['Paper Link'],
    code: info['Code Repository Link '],
    license: info.License,
    about: info['Additional information about submission'],
    newModels: info['New model info'].map((model) => ({
      name: model.model_display_name,
      size: model.model_size,
      backbone: model.unique_backbone_key,
    })),
  };
}

/**
 * Writes `results.csv` and `results.json`, the form of GEO-Bench-2's leaderboard.
 * @throws InputError SUBMISSION_RULES where it has no run or breaks a rule, with the first three; SUBMISSION_INFO; what
 *   writing throws
 */
export async function writeSubmission(submission: Submission, folder: string): Promise<void> {
  requireWhole(submission, folder);
  const { runs, info } = submission;
  const faults = submissionFaults(runs);
  if (faults.length > 0) {
    const more = faults.length > 3 ? ` And ${faults.length - 3} more.` : '';
    const told = faults
      .slice(0, 3)
      .map((fault) => fault.text)
      .join(' ');
    throw new InputError('SUBMISSION_RULES', `The runs break rules of the leaderboard. ${told}${more}`, {
      where: folder,
      hint: 'Run what is lacking; submissionFaults lists everything.',
    });
  }
  const column = (of: (run: SubmissionRun) => unknown): unknown[] => runs.map(of);
  const rows = table({
    dataset: column((run) => run.dataset),
    Metric: column((run) => run.metric),
    experiment_name: column((run) => run.experiment),
    'partition name': column((run) => `${(run.dataPercent / 100).toFixed(2)}x train`),
    backbone: column((run) => run.model),
    decoder: column((run) => run.decoder),
    batch_size_selection: column(() => 'HPO'),
    early_stop_patience: column((run) => run.earlyStopPatience),
    n_trials: column((run) => run.trialCount),
    Seed: column((run) => run.seed),
    data_percentages: column((run) => `${run.dataPercent}%`),
    batch_size: column((run) => run.batchSize),
    weight_decay: column((run) => run.weightDecay),
    lr: column((run) => run.learningRate),
    'test metric': column((run) => run.score),
  });
  const about = {
    'Paper Link': info.paper,
    'Code Repository Link ': info.code,
    License: info.license,
    'Number of HPO trials': String(runs.reduce((most, run) => Math.max(most, run.trialCount), 0)),
    'Additional information about submission': info.about,
    'New model info': info.newModels.map(({ name, size, backbone }) => ({
      model_display_name: name,
      model_size: size,
      unique_backbone_key: backbone,
    })),
  };
  await writeFileAtomic(path.join(folder, 'results.csv'), toCsv(rows));
  await writeFileAtomic(path.join(folder, 'results.json'), `${JSON.stringify(about, null, 2)}\n`);
}

const aboutForm = z.object({
  ...{ paper: z.string(), code: z.string(), license: z.string(), about: z.string() },
  newModels: z.array(z.object({ name: z.string(), size: z.string(), backbone: z.string() })),
});

/** Notebooks hand over what no compiler has seen. */
function requireWhole({ runs, info }: Partial<Submission>, folder: string): void {
  if (!Array.isArray(runs) || runs.length === 0) {
    throw new InputError('SUBMISSION_RULES', 'There is no run to submit.', {
      where: folder,
      hint: 'Five runs of each model on each dataset are due.',
    });
  }
  const issue = aboutForm.safeParse(info).error?.issues[0];
  if (!issue) return;
  const member = ['info', ...issue.path].join('.');
  throw new InputError('SUBMISSION_INFO', `"${member}" of the submission is wrong: ${issue.message}.`, {
    where: folder,
    hint: 'Say paper, code, license, about and newModels; a text that you have not is empty.',
  });
}
