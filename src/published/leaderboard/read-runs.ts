import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../errors.js';
import { csvColumn, readCsv } from '../../io/csv.js';
import { readError } from '../../io/file-errors.js';
import { resolveDatasetId } from '../../manifests/dataset-ids.js';
import { listManifests, manifestNames } from '../../manifests/read-manifest.js';
import { importRuns, runColumns } from '../../results/import-runs.js';
import { emptyStore } from '../../results/empty-store.js';
import { openStore } from '../../results/store.js';
import { submissionFaults } from '../../results/submission-rules.js';
import { readSubmission } from '../../results/submission.js';
import { trialKey, type LeaderboardRun, type RunSource } from './leaderboard-run.js';
import { recordRuns } from './record-runs.js';
import { alignScores } from './align-scores.js';
import { releasedNames } from './released-runs.js';

/**
 * Reads runs for a leaderboard: the folder of a study, a table of runs (CSV), a submission to GEO-Bench-2's leaderboard
 * (its table, beside it what it says of itself), or a folder of such tables. Encoders and datasets get their ids where
 * a manifest knows the name.
 * @throws InputError FILE_MISSING (also for a link that leads nowhere), NO_PERMISSION, STORE_EMPTY, what `importRuns` and `readSubmission` throw
 */
export function readRunSources(paths: readonly string[]): RunSource[] {
  const files = paths.flatMap(tablesOf);
  const names = shortNames(files);
  return files.map((file, at) => {
    const source = isFolder(file) ? storeSource(file, names[at]!) : tableSource(file, names[at]!);
    const { runs, notes } = alignScores(source.runs, source.kind);
    const models = [...new Set(source.runs.map(({ model }) => model))];
    return { ...source, models, runs, notes: [...source.notes, ...notes] };
  });
}

/** A folder that is no study stands for its tables. */
function tablesOf(given: string): string[] {
  if (!existsSync(given)) {
    throw new InputError('FILE_MISSING', 'There is no such file or folder.', {
      where: given,
      hint: 'Name the folder of a study, e.g. results/quickstart, or a table of runs (CSV).',
    });
  }
  if (!isFolder(given) || isStore(given)) return [given];
  const tables = namesIn(given)
    .filter((name) => /\.csv$/i.test(name))
    .sort()
    .map((name) => path.join(given, name));
  if (tables.length > 0) return tables;
  throw new InputError('STORE_EMPTY', 'This folder has neither records of runs nor a table of them.', {
    where: given,
    hint: 'Name the folder of a study, e.g. results/quickstart, or put tables of runs (CSV) into it.',
  });
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (cause) {
    throw readError(cause, file); // a link that leads nowhere, or to itself
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw readError(cause, folder);
  }
}

const isStore = (folder: string): boolean =>
  ['study.json', 'records', 'segments'].some((name) => existsSync(path.join(folder, name)));

/** Last parts of the paths, longer ones where they are alike. */
function shortNames(files: readonly string[]): string[] {
  const parts = files.map((file) => path.resolve(file).split(path.sep).filter(Boolean));
  return parts.map((own, at) => {
    for (let length = 1; length <= own.length; length++) {
      const name = own.slice(-length).join('/');
      const isAlone = parts.every((other, i) => i === at || other.slice(-length).join('/') !== name);
      if (isAlone && name !== 'released') return name;
    }
    return `${files[at]!} (${at + 1})`;
  });
}

type Unaligned = Omit<RunSource, 'models'>;

function storeSource(folder: string, name: string): Unaligned {
  const { records, damaged } = openStore(folder).readAll();
  if (records.length === 0) throw emptyStore(folder, damaged, 'Run its study: `gondwana resume FOLDER`.');
  const { runs, trials, notes } = recordRuns(records, name);
  const lost = damaged.map(({ file, reason }) => `${file} is damaged and left out: ${reason}`);
  return { name, path: folder, kind: 'store', runs, trials, notes: [...notes, ...lost], faults: [] };
}

const FORM = ['decoder', 'n_trials', 'lr', 'batch_size', 'weight_decay'];

function tableSource(file: string, name: string): Unaligned {
  const table = readCsv(file);
  const has = (column: string): boolean => table.columns.includes(column);
  const isBackbone = has(runColumns.geobench2.model);
  const isForm = isBackbone && FORM.every(has);
  const columns = isBackbone
    ? { ...runColumns.geobench2, metric: has('Metric') ? 'Metric' : null, seed: has('Seed') ? 'Seed' : null }
    : has(runColumns.geobench.score)
      ? runColumns.geobench
      : undefined;
  const { runs } = importRuns(file, columns && { columns });
  const optional = (column: string): readonly (string | undefined)[] =>
    has(column) ? csvColumn(table, column) : [];
  const [decoders, modes, modalities] = [
    'decoder',
    isForm ? 'frozen_or_full_ft' : 'encoderMode',
    'modalities',
  ].map(optional);
  const submitted = isForm ? readSubmission(file).runs : [];
  const [encoders, datasets] = [encoderIds(), datasetIds(isBackbone)];
  const named = runs.map((run, at): LeaderboardRun => ({
    ...run,
    source: name,
    model: encoders(run.model),
    dataset: datasets(run.dataset),
    decoder: decoders![at] || null,
    encoderMode: MODES[modes![at] ?? ''] ?? (modes![at] || null),
    modalities: modalities![at] || null,
  }));
  return {
    name,
    path: file,
    kind: isForm ? 'submission' : 'table',
    runs: named,
    trials: new Map(
      submitted.map(({ trialCount }, at) => [trialKey(named[at]!.model, named[at]!.dataset), trialCount]),
    ),
    notes: [],
    faults: submissionFaults(
      submitted.map((run, at) => ({ ...run, model: named[at]!.model, dataset: named[at]!.dataset })),
    ),
  };
}

/** Words of the leaderboard's tables. */
const MODES: Readonly<Record<string, string>> = { full_ft: 'fine-tuned', frozen: 'frozen' };

function encoderIds(): (name: string) => string {
  const known = new Map([
    ...manifestNames('encoders').flatMap(({ id, aliases }) => aliases.map((alias) => [alias, id] as const)),
    ...releasedNames('encoder'),
  ]);
  return (name) => known.get(name) ?? name;
}

/** @param isOfBenchmark names are those of GEO-Bench-2; else an id of another benchmark is taken as it stands */
function datasetIds(isOfBenchmark: boolean): (name: string) => string {
  const ids = new Set(listManifests('datasets'));
  const released = releasedNames('dataset');
  const resolved = new Map<string, string>();
  return (name) => {
    if (!resolved.has(name)) {
      const isTaken = !isOfBenchmark && ids.has(name);
      resolved.set(name, isTaken ? name : (released.get(name) ?? resolveDatasetId(name, 'geobench2')));
    }
    return resolved.get(name)!;
  };
}
