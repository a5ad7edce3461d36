import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { showAs } from '../display/showable.js';
import { InputError, type ErrorData } from '../errors.js';
import { publishExclusive, writeFileAtomic } from '../io/atomic-file.js';
import { systemCode, writeError } from '../io/file-errors.js';
import { removeAbandoned } from '../io/temporary.js';
import { sha256 } from './canonical-json.js';
import { readPlan, writePlan, type StoredPlan } from './plan-file.js';
import { parseRecord, withoutNonFiniteScores } from './record-schema.js';
import { storeBundle, storedRecordsBundle } from './record-sheets.js';
import type { RunRecord } from './run-record.js';
import { openSegments } from './segments.js';
import { makeFolder, namesIn, parseJson, readBytes } from './store-files.js';

export type { StoredPlan, StoredStudy } from './plan-file.js';

/** A record that cannot be read, with the reason in words. */
export interface DamagedRecord {
  /** Path inside the store. */
  readonly file: string;
  readonly reason: string;
}

/** Why a run failed. */
export interface FailureNote extends ErrorData {
  /** Of the task, inside the store; absent where no cluster was asked. */
  readonly log?: string;
}

export interface StoredRecords {
  /** In the order in which they were finished. */
  readonly records: readonly RunRecord[];
  readonly damaged: readonly DamagedRecord[];
}

/**
 * A study's folder:
 * - `study.json`: definition of the study and summary of its plan
 * - `plan.ndjson`: one planned run a line
 * - `records/ab/ID.json`: one immutable record a run, in the folder of the id's first two digits
 * - `segments/`: records that `compactStore` has put together (segments.ts)
 * - `artifacts/ab/SHA256.png`: images, named by their content
 * - `failures/ID.json`: why the last attempt at a run failed
 *
 * Any number of processes on any number of machines may work on one folder: there are no locks, records are
 * published under a name that only one can take, and a kill leaves temporary names that readers pass over.
 */
export interface ResultStore {
  readonly folder: string;
  /**
   * Writes a record for good, or finds that the run has one already: that one stays.
   * NaN and ±Infinity in scores become null. A damaged file under the name is moved to `damaged/` first.
   * @throws InputError RECORD_INVALID; InputError READ_ONLY, NO_PERMISSION; RunError DISK_FULL, WRITE_FAILED
   */
  publish(record: RunRecord): Promise<'published' | 'kept-first'>;
  /** Ids of all records, from their file names alone: fast, but a damaged record counts. Sorted. */
  ids(): string[];
  /** @returns undefined where there is none; @throws InputError RECORD_INVALID */
  read(id: string): RunRecord | undefined;
  /** Loose records and those of segments, each run once. */
  readAll(): StoredRecords;
  /** Records that lie in files of their own, with the file inside the store; see `compactStore`. */
  readLoose(): {
    readonly loose: readonly { readonly record: RunRecord; readonly file: string }[];
    readonly damaged: readonly DamagedRecord[];
  };
  /** Moves damaged records to `damaged/`, so that their runs count as missing and are made again. */
  setAsideDamaged(): Promise<readonly DamagedRecord[]>;
  /**
   * @param extension without the dot, e.g. `png`
   * @returns the path inside the store, e.g. `artifacts/3f/3fa9….png`
   */
  putArtifact(bytes: Uint8Array, extension: string): Promise<string>;
  /** @throws InputError ARTIFACT_PATH, ARTIFACT_DAMAGED, FILE_MISSING */
  readArtifact(artifact: string): Uint8Array;
  writePlan(plan: StoredPlan): Promise<void>;
  /** @returns undefined where none was written; @throws InputError PLAN_DAMAGED */
  readPlan(): StoredPlan | undefined;
  /**
   * Writes and removes a file where records go, so that a folder which cannot take them is found before anything
   * is computed. @throws InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER; RunError DISK_FULL, WRITE_FAILED
   */
  tryWriting(): Promise<void>;
  /** Keeps why the last attempt at a run failed, until the run has a record. */
  noteFailure(id: string, failure: FailureNote): Promise<void>;
  /** Reasons of the failed runs that have no record, by id. */
  failures(): ReadonlyMap<string, FailureNote>;
}

const RECORD_NAME = /^([0-9a-f]{8,64})\.json$/;
const ARTIFACT = /^artifacts\/([0-9a-f]{2})\/(\1[0-9a-f]{62})\.([a-z0-9]{1,16})$/;

/**
 * Opens a study's folder; it is made by the first write. Nothing is read yet.
 * @throws InputError NOT_A_FOLDER where the path is a file
 */
export function openStore(folder: string): ResultStore {
  const root = path.resolve(folder);
  if (existsSync(root) && !statSync(root).isDirectory()) {
    throw new InputError('NOT_A_FOLDER', 'A store is a folder, and this is a file.', {
      where: root,
      hint: 'Name the folder that holds study.json and records/.',
    });
  }
  const cleaned = new Set<string>();
  const segments = openSegments(root);

  /** Makes the folder of `file` and removes what killed processes left in it, once a folder and process. */
  async function prepare(file: string): Promise<void> {
    const inside = path.dirname(file);
    if (cleaned.has(inside)) return;
    await makeFolder(inside);
    cleaned.add(inside);
    await removeAbandoned(inside);
  }

  const recordFile = (id: string): string => path.join(root, 'records', id.slice(0, 2), `${id}.json`);

  const store: ResultStore = {
    folder: root,

    async publish(given) {
      const record = withoutNonFiniteScores(given);
      parseRecord(record, `run ${given.id}`);
      if (segments.holds(record.id)) return 'kept-first';
      const file = recordFile(record.id);
      await prepare(file);
      const content = `${JSON.stringify(record)}\n`;
      for (let damaged = 0; ;) {
        await publishExclusive(file, content);
        try {
          // whatever the file system answered, the record that now stands there says who was first
          return readRecordFile(file, record.id).attempt === record.attempt ? 'published' : 'kept-first';
        } catch (error) {
          if (isFreshClaim(file)) {
            // without hard links: another process has the name and is about to fill it, or was killed
            await setTimeout(250);
          } else if (error instanceof InputError && damaged++ < 2) {
            await moveAside(file, record.id);
          } else {
            throw error;
          }
        }
      }
    },

    ids: () =>
      [...new Set([...recordNames(root).map(({ id }) => id), ...segments.ids().keys()])].sort(compare),

    read(id) {
      const file = recordFile(id);
      // a damaged segment hides no loose record; where there is none, it is named
      return !segments.holds(id) && existsSync(file) ? readRecordFile(file, id) : segments.read(id);
    },

    readAll() {
      const compacted = segments.readAll();
      const ids = new Set(compacted.records.map(({ id }) => id));
      const { loose, damaged } = store.readLoose();
      const records = [
        ...compacted.records,
        ...loose.flatMap(({ record }) => (ids.has(record.id) ? [] : [record])),
      ].sort((a, b) => compare(Date.parse(a.finishedAt), Date.parse(b.finishedAt)) || compare(a.id, b.id));
      return showAs<StoredRecords>(
        { records, damaged: [...compacted.damaged, ...damaged] },
        { bundle: storedRecordsBundle },
      );
    },

    readLoose() {
      const loose: { record: RunRecord; file: string }[] = [];
      const damaged: DamagedRecord[] = [];
      for (const { id, file } of recordNames(root)) {
        try {
          loose.push({ record: readRecordFile(file, id), file: path.relative(root, file) });
        } catch (error) {
          // an empty file is the claim of a process that is about to fill it; gone means set aside by another
          if (isFreshClaim(file) || !existsSync(file)) continue;
          damaged.push({ file: path.relative(root, file), reason: (error as Error).message });
        }
      }
      return { loose, damaged };
    },

    async setAsideDamaged() {
      const { damaged } = store.readLoose(); // a damaged segment is restored by hand: it holds thousands
      for (const { file } of damaged) await moveAside(path.join(root, file), path.basename(file, '.json'));
      return damaged;
    },

    async putArtifact(bytes, extension) {
      const digest = sha256(bytes);
      const artifact = `artifacts/${digest.slice(0, 2)}/${digest}.${extension}`;
      if (!ARTIFACT.test(artifact)) throw wrongArtifact(artifact);
      const file = path.join(root, artifact);
      if (existsSync(file) && statSync(file).size === bytes.length) return artifact;
      await prepare(file);
      // a file of another length is damaged; the name is the content's hash, so replacing it is right
      if (existsSync(file)) await writeFileAtomic(file, bytes);
      else await publishExclusive(file, bytes);
      return artifact;
    },

    readArtifact(artifact) {
      const match = ARTIFACT.exec(artifact);
      if (!match) throw wrongArtifact(artifact);
      const file = path.join(root, artifact);
      const bytes = readBytes(file);
      if (sha256(bytes) !== match[2]) {
        throw new InputError(
          'ARTIFACT_DAMAGED',
          'The content of this file does not have the hash in its name.',
          {
            where: file,
            hint: 'Delete it and the records that show it, and run the study again.',
          },
        );
      }
      return bytes;
    },

    writePlan: (plan) => writePlan(root, plan),

    readPlan: () => readPlan(root),

    async tryWriting() {
      const file = path.join(root, 'records', `try-${randomUUID().slice(0, 8)}`);
      await prepare(file);
      await writeFileAtomic(file, ' '.repeat(RECORD_BYTES));
      await rm(file, { force: true });
    },

    async noteFailure(id, error) {
      if (!RECORD_NAME.test(`${id}.json`)) throw new TypeError(`"${id}" is no id of a run.`);
      const file = path.join(root, 'failures', `${id}.json`);
      await prepare(file);
      await writeFileAtomic(file, `${JSON.stringify(error)}\n`);
    },

    failures() {
      const folder = path.join(root, 'failures');
      const compacted = segments.ids();
      const failed = new Map<string, FailureNote>();
      for (const name of namesIn(folder)) {
        const id = name.slice(0, -'.json'.length);
        if (!RECORD_NAME.test(name) || existsSync(recordFile(id)) || compacted.has(id)) continue;
        failed.set(id, readFailure(path.join(folder, name)));
      }
      return failed;
    },
  };
  return showAs(store, { bundle: storeBundle });

  /** Moves a file that is no record out of the way; one that another process has made good stays. */
  async function moveAside(file: string, id: string): Promise<void> {
    const aside = path.join(root, 'damaged', `${id}.${randomUUID().slice(0, 8)}.json`);
    await writeFileAtomic(path.join(root, 'damaged', 'README.txt'), DAMAGED_NOTE);
    try {
      await rename(file, aside);
    } catch (cause) {
      if (systemCode(cause) === 'ENOENT') return;
      throw writeError(cause, file);
    }
    try {
      readRecordFile(aside, id);
    } catch {
      return;
    }
    // in between another process had put a good record there: it goes back to its name
    await publishExclusive(file, readFileSync(aside));
  }
}

/** About the size of a record. */
const RECORD_BYTES = 16_384;

const DAMAGED_NOTE =
  'Files that stood under the name of a record but could not be read as one. Nothing reads them; delete them at will.\n';

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function recordNames(root: string): { id: string; file: string }[] {
  const folder = path.join(root, 'records');
  const found: { id: string; file: string }[] = [];
  for (const shard of namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const name of namesIn(path.join(folder, shard))) {
      const id = RECORD_NAME.exec(name)?.[1];
      if (id?.startsWith(shard)) found.push({ id, file: path.join(folder, shard, name) });
    }
  }
  return found.sort((a, b) => compare(a.id, b.id));
}

/** @throws InputError RECORD_INVALID: not JSON, not a record, or the record of another run */
function readRecordFile(file: string, id: string): RunRecord {
  const record = parseRecord(
    parseJson(file, Buffer.from(readBytes(file)).toString('utf8'), 'RECORD_INVALID'),
    file,
  );
  if (record.id !== id) {
    throw new InputError('RECORD_INVALID', `The record in this file is that of run ${record.id}.`, {
      where: file,
      hint: 'Move it to the folder and name of its own id.',
    });
  }
  return record;
}

function isFreshClaim(file: string): boolean {
  try {
    const { size, mtimeMs } = statSync(file);
    return size === 0 && Date.now() - mtimeMs < 60_000;
  } catch {
    return false;
  }
}

/** That a run failed is known from the file's name; the reason, if the file can be read. */
function readFailure(file: string): FailureNote {
  const unknown = {
    code: 'FAILURE_NOTE_DAMAGED',
    message: 'The note of the failure cannot be read.',
    where: file,
    hint: '',
    exitCode: 1,
  };
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Partial<FailureNote> | null;
    return typeof note?.code === 'string' && typeof note.message === 'string'
      ? { ...unknown, ...note }
      : unknown;
  } catch {
    return unknown;
  }
}

const wrongArtifact = (artifact: string): InputError =>
  new InputError('ARTIFACT_PATH', `"${artifact}" is not a path of an artifact.`, {
    hint: 'Artifacts lie under artifacts/ab/SHA256.ext, with an extension of small letters and digits.',
  });
