import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { InputError } from '../errors.js';
import { parseRecord } from './record-schema.js';
import type { RunRecord } from './run-record.js';
import { namesIn, parseJson, readBytes } from './store-files.js';

/**
 * Records that `compactStore` has put together, in the folder `segments`, three files a segment, named by the hash of its
 * records and never changed:
 * - `NAME.ndjson.gz`: the records, one a line
 * - `NAME.ids`: their ids, one a line, in the same order
 * - `NAME.parquet`: one row a run with its main score, to be aggregated without parsing records
 */
export interface Segments {
  /**
   * Name of the segment that holds each run, by the lists of ids; read anew where segments have come. What a damaged list
   * had is not there.
   */
  ids(): ReadonlyMap<string, string>;
  /** @throws InputError RECORD_INVALID */
  read(id: string): RunRecord | undefined;
  /** Whether the record of a run can be read back. */
  holds(id: string): boolean;
  /** Records and what cannot be read, with its reason. */
  readAll(): { records: RunRecord[]; damaged: { file: string; reason: string }[] };
}

const SEGMENT_IDS = /^([0-9a-f]{16})\.ids$/;

export function openSegments(root: string): Segments {
  const folder = path.join(root, 'segments');
  const loaded = new Map<string, ReadonlyMap<string, string>>(); // lines of a segment, by id
  const names = (): string[] =>
    namesIn(folder)
      .flatMap((name) => SEGMENT_IDS.exec(name)?.[1] ?? [])
      .sort();
  const idsOf = (name: string): readonly string[] => {
    const file = path.join(folder, `${name}.ids`);
    try {
      return lines(readFileSync(file, 'utf8'));
    } catch (cause) {
      throw damagedSegment(file, 'The list of ids cannot be read.', cause);
    }
  };
  const listed = (name: string): readonly string[] => {
    try {
      return idsOf(name);
    } catch {
      return []; // named by readAll
    }
  };
  const load = (name: string): ReadonlyMap<string, string> => {
    const found = loaded.get(name) ?? readLines(folder, name, idsOf(name));
    loaded.set(name, found);
    return found;
  };
  const recordOf = (name: string, id: string): RunRecord => {
    const where = path.join(folder, `${name}.ndjson.gz`);
    const record = parseRecord(
      parseJson(where, load(name).get(id) ?? '', 'RECORD_INVALID'),
      `${where}, run ${id}`,
    );
    if (record.id === id) return record;
    throw damagedSegment(where, `Under run ${id} it has the record of ${record.id}.`);
  };
  let known: { readonly of: string; readonly ids: ReadonlyMap<string, string> } = { of: '', ids: new Map() };
  const ids = (): ReadonlyMap<string, string> => {
    const found = names();
    if (found.join() !== known.of)
      known = {
        of: found.join(),
        ids: new Map(found.flatMap((name) => listed(name).map((id) => [id, name] as const))),
      };
    return known.ids;
  };
  const read = (id: string): RunRecord | undefined => {
    const name = ids().get(id);
    return name === undefined ? undefined : recordOf(name, id);
  };
  return {
    ids,
    read,
    holds(id) {
      try {
        return read(id) !== undefined;
      } catch {
        return false;
      }
    },
    readAll() {
      const records = new Map<string, RunRecord>();
      const damaged: { file: string; reason: string }[] = [];
      for (const name of names()) {
        try {
          for (const id of load(name).keys()) if (!records.has(id)) records.set(id, recordOf(name, id));
        } catch (error) {
          damaged.push({
            file: path.join('segments', `${name}.ndjson.gz`),
            reason: (error as Error).message,
          });
        }
      }
      return { records: [...records.values()], damaged };
    },
  };
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

function readLines(folder: string, name: string, ids: readonly string[]): ReadonlyMap<string, string> {
  const file = path.join(folder, `${name}.ndjson.gz`);
  let found: string[];
  try {
    found = lines(gunzipSync(readBytes(file)).toString('utf8'));
  } catch (cause) {
    throw damagedSegment(file, 'The segment cannot be unpacked.', cause);
  }
  if (found.length !== ids.length)
    throw damagedSegment(file, `The segment has ${found.length} records, its list of ids ${ids.length}.`);
  return new Map(found.map((line, at) => [ids[at]!, line]));
}

const damagedSegment = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('RECORD_INVALID', message, {
    where,
    hint: 'Restore the three files of this segment from a copy, or move them away and run the study again.',
    ...(cause !== undefined && { cause }),
  });
