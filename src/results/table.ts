import { table, type ColumnTable } from 'arquero';
import { canonicalJson } from './canonical-json.js';
import { isTrial, type JsonValue, type RunRecord } from './run-record.js';
import { totalSeconds } from './total-seconds.js';

/** Columns before the settings. */
const LEADING = ['study', 'run', 'arm', 'dataset', 'encoder', 'decoder'] as const;
/** Columns after the settings. */
const TRAILING = [
  'seed',
  'mode',
  'split',
  'place',
  'evaluation',
  'metric',
  'class',
  'value',
  'selectedEpoch',
  'seconds',
] as const;

/**
 * All scores of the records as a tidy table: one row a number, everything it depends on beside it. Trials of searches are
 * left out: they are no repeats.
 *
 * | column | holds |
 * | --- | --- |
 * | `study`, `run` | name of the study, id of the run |
 * | `arm` | short name of the arm |
 * | `dataset`, `encoder`, `decoder` | ids |
 * | one column a setting | in alphabetical order; null where the run has no such setting; lists and objects as JSON text |
 * | `seed` | whole number, null for a trivial predictor |
 * | `mode` | `corrected` or `as-published` |
 * | `split`, `place` | place `all`: the whole split |
 * | `evaluation` | `tiles` or `sliding-window` |
 * | `metric`, `class` | class null: mean over classes |
 * | `value` | null where it is undefined; `support` in pixels, the others 0 … 1 |
 * | `selectedEpoch` | epoch whose weights were scored, null for a trivial predictor |
 * | `seconds` | seconds of the whole run, the same in all its rows |
 *
 * A setting named like one of the other columns appears as `setting.NAME`. Text is never turned into
 * numbers: `007` stays `007`.
 */
export function toTable(records: readonly RunRecord[]): ColumnTable {
  const settings = [...new Set(records.flatMap((record) => Object.keys(record.definition.settings)))].sort();
  const columns = new Map<string, unknown[]>();
  for (const name of [...LEADING, ...settings.map(settingColumn), ...TRAILING]) columns.set(name, []);
  const push = (name: string, value: unknown): void => void columns.get(name)!.push(value);

  for (const record of records.filter((one) => !isTrial(one))) {
    const { definition } = record;
    const seconds = totalSeconds(record);
    for (const row of record.scores) {
      push('study', record.study);
      push('run', record.id);
      push('arm', record.arm);
      push('dataset', definition.dataset);
      push('encoder', definition.encoder);
      push('decoder', definition.decoder);
      for (const name of settings) push(settingColumn(name), settingValue(definition.settings[name]));
      push('seed', definition.seed);
      push('mode', definition.mode);
      push('split', row.split);
      push('place', row.place);
      push('evaluation', row.evaluation);
      push('metric', row.metric);
      push('class', row.className);
      push('value', row.value !== null && Number.isFinite(row.value) ? row.value : null);
      push('selectedEpoch', record.selectedEpoch);
      push('seconds', seconds);
    }
  }
  return table(Object.fromEntries(columns));
}

const settingColumn = (name: string): string =>
  ([...LEADING, ...TRAILING] as readonly string[]).includes(name) ? `setting.${name}` : name;

function settingValue(value: JsonValue | undefined): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? canonicalJson(value) : value;
}
