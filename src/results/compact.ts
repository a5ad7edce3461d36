import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { table } from 'arquero';
import { RunError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { ParquetFile } from '../io/parquet/parquet-file.js';
import { sha256 } from './canonical-json.js';
import { writeParquet } from './export.js';
import { mainScoreOf } from './main-score.js';
import { isTrial, type RunRecord } from './run-record.js';
import type { RunScore } from './run-score.js';
import { scoreOf } from './score-of.js';
import { openSegments } from './segments.js';
import { makeFolder } from './store-files.js';
import { openStore } from './store.js';
import { totalSeconds } from './total-seconds.js';

/** Records of one segment: large enough to be read in one go, small enough to be held in memory. */
const SEGMENT_RECORDS = 5_000;

export interface Compaction {
  /** Records that were moved into segments. */
  readonly compacted: number;
  readonly segments: readonly string[];
  /** Records that could not be read; they stay where they are. */
  readonly damaged: readonly string[];
}

/**
 * Puts the loose records of a store together into segments, then removes their files. Each segment's
 * records are written, read back and compared before anything is removed; a kill in between leaves records twice, which readers take once.
 * What is read from the store is the same before and after. Do not compact while runs are going.
 * @throws RunError COMPACT_VERIFY where a segment does not read back; what writing throws
 */
export async function compactStore(folder: string): Promise<Compaction> {
  const store = openStore(folder);
  const { loose, damaged } = store.readLoose();
  const segments: string[] = [];
  await makeFolder(path.join(store.folder, 'segments'));
  const there = openSegments(store.folder);
  // a record that a damaged segment lists is put into a new one
  const fresh = loose.filter(({ record }) => !there.holds(record.id));
  for (let start = 0; start < fresh.length; start += SEGMENT_RECORDS) {
    const part = fresh.slice(start, start + SEGMENT_RECORDS);
    segments.push(
      await compactRecords(
        store.folder,
        part.map(({ record }) => record),
      ),
    );
  }
  for (const { file } of loose) await rm(path.join(store.folder, file), { force: true });
  return { compacted: loose.length, segments, damaged: damaged.map(({ file }) => file) };
}

/** Writes records as one segment of the store in `root`. @returns its name; @throws RunError COMPACT_VERIFY */
export async function compactRecords(root: string, records: readonly RunRecord[]): Promise<string> {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const name = sha256(Buffer.from(lines)).slice(0, 16);
  const base = path.join(root, 'segments', name);
  await writeFileAtomic(`${base}.ndjson.gz`, gzipSync(lines));
  await writeParquet(runTable(records.filter((record) => !isTrial(record))), `${base}.parquet`);
  if (gunzipSync(readFileSync(`${base}.ndjson.gz`)).toString('utf8') !== lines)
    throw new RunError(
      'COMPACT_VERIFY',
      'A segment does not read back as it was written; no record was removed.',
      {
        where: `${base}.ndjson.gz`,
        hint: 'Check the disk, and compact again.',
      },
    );
  // the list of ids comes last: with it, the segment is there
  await writeFileAtomic(`${base}.ids`, records.map(({ id }) => `${id}\n`).join(''));
  return name;
}

/** One row a run, trials of searches left out: what it was and its main score on the test split, by its own evaluation. */
function runTable(records: readonly RunRecord[]): ReturnType<typeof table> {
  const column = (of: (record: RunRecord) => unknown): unknown[] => records.map(of);
  return table({
    run: column((record) => record.id),
    study: column((record) => record.study),
    arm: column((record) => record.arm),
    dataset: column((record) => record.definition.dataset),
    encoder: column((record) => record.definition.encoder),
    decoder: column((record) => record.definition.decoder),
    mode: column((record) => record.definition.mode),
    seed: column((record) => record.definition.seed),
    metric: column(mainScoreOf),
    value: column(testScore),
    seconds: column(totalSeconds),
  });
}

const testScore = (record: RunRecord): number | null => scoreOf(record, { split: 'test' });

/**
 * Main test scores of all runs but trials of searches, from the Parquet files of segments and from loose records, as the rows of a score matrix.
 * For stores of many thousand runs: records in segments are not parsed.
 * @param options.model column that is ranked; default `encoder`
 */
export async function readRunScores(
  folder: string,
  options: { readonly model?: 'encoder' | 'arm' | 'decoder' } = {},
): Promise<RunScore[]> {
  const { model = 'encoder' } = options;
  const store = openStore(folder);
  const rows: RunScore[] = [];
  const inSegments = openSegments(store.folder).ids();
  for (const name of new Set(inSegments.values()))
    rows.push(...(await segmentScores(path.join(store.folder, 'segments', `${name}.parquet`), model)));
  for (const { record } of store.readLoose().loose) {
    const { definition } = record;
    if (inSegments.has(record.id) || isTrial(record)) continue;
    rows.push({
      model: model === 'arm' ? record.arm : definition[model],
      dataset: definition.dataset,
      seed: definition.seed === null ? null : String(definition.seed),
      metric: mainScoreOf(record),
      score: testScore(record),
    });
  }
  return rows;
}

async function segmentScores(file: string, model: 'encoder' | 'arm' | 'decoder'): Promise<RunScore[]> {
  const parquet = await ParquetFile.open(file);
  try {
    const columns = await parquet.read({ columns: [model, 'dataset', 'seed', 'metric', 'value'] });
    const [models, datasets, seeds, metrics, values] = [...columns.values()];
    return models!.map((name, row) => ({
      model: name as string,
      dataset: datasets![row] as string,
      seed: seeds![row] === null ? null : String(seeds![row]),
      metric: metrics![row] as string,
      score: values![row] as number | null,
    }));
  } finally {
    parquet.close();
  }
}
