import type { MimeBundle } from '../display/mime.js';
import { formatCount, formatSeconds } from '../display/numbers.js';
import { sheetBundle, type Fact } from '../display/sheet.js';
import { mainScoreOf, ownEvaluation, validationScoreOf } from './main-score.js';
import type { RunDefinition, RunRecord, ScoreRow } from './run-record.js';
import type { ResultStore, StoredRecords } from './store.js';
import { totalSeconds } from './total-seconds.js';

/** A run: what it was, what it scored, how it was trained. */
export function recordBundle(record: RunRecord): MimeBundle {
  const { definition, cost, engine, curve } = record;
  const epochs = curve.map(({ epoch, trainLoss, validationScore, seconds }) => ({
    epoch,
    'train loss': trainLoss,
    [`validation ${validationScoreOf(record)}`]: validationScore,
    seconds,
  }));
  return sheetBundle({
    title: `Run ${record.id}: ${record.arm}`,
    facts: [
      ['study', record.study],
      ...definitionFacts(definition),
      ['selected epoch', record.selectedEpoch],
      ['parameters', `${formatCount(cost.parameters)}, ${formatCount(cost.trainableParameters)} trained`],
      [
        'multiply–adds',
        cost.multiplyAdds &&
          `${billions(cost.multiplyAdds.encoder)} · 10⁹ encoder, ${billions(cost.multiplyAdds.decoder)} · 10⁹ decoder, an input`,
      ],
      ['time', formatSeconds(totalSeconds(record))],
      ['engine', `${engine.name} ${engine.library}, ${engine.device}, threads: ${engine.threads}`],
      ['finished', record.finishedAt],
    ],
    tables: [
      { rows: scoreRows(record.scores), caption: 'Scores' },
      ...(epochs.length > 0 ? [{ rows: epochs, caption: 'Training' }] : []),
    ],
  });
}

/** With three digits. */
const billions = (count: number): string => String(Number((count / 1e9).toPrecision(3)));

export const definitionFacts = ({ dataset, encoder, decoder, seed, mode }: RunDefinition): Fact[] => [
  ['dataset', dataset],
  ['encoder', encoder],
  ['decoder', decoder],
  ['seed', seed],
  ['mode', mode],
];

/** Means over classes of whole splits: a row a split and evaluation, a column a metric. */
function scoreRows(scores: readonly ScoreRow[]): Record<string, unknown>[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const { split, place, evaluation, metric, className, value } of scores) {
    if (className !== null || place !== 'all') continue;
    const key = `${split}\t${evaluation}`;
    const row = rows.get(key) ?? { split, evaluation };
    row[metric] = value;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** A run in a list of runs. */
export function recordRow(record: RunRecord): object {
  const { dataset, encoder, seed } = record.definition;
  const [metric, evaluation] = [mainScoreOf(record), ownEvaluation(record)];
  const scores = record.scores.filter(
    (row) =>
      row.metric === metric && row.className === null && row.place === 'all' && row.evaluation === evaluation,
  );
  return {
    run: record.id,
    arm: record.arm,
    dataset,
    encoder,
    seed,
    ...(Object.fromEntries(scores.map(({ split, value }) => [`${metric} ${split}`, value])) as object),
    seconds: totalSeconds(record),
  };
}

/** The folder of a study: what it holds, without reading every record. */
export function storeBundle(store: ResultStore): MimeBundle {
  const ids = store.ids();
  const failures = [...store.failures()].map(([run, { code, message }]) => ({ run, code, message }));
  const plan = planOf(store);
  const wanted = new Set(plan?.runs.map(({ id }) => id));
  const done = ids.filter((id) => wanted.has(id)).length;
  return sheetBundle({
    title: plan ? plan.study.title : 'Store of a study',
    facts: [
      ['folder', store.folder],
      ['study', plan?.study.name],
      ['finished', plan ? `${done} of ${wanted.size} planned runs` : `${ids.length} runs`],
      ['other records', plan && ids.length > done ? ids.length - done : undefined],
    ],
    tables: failures.length > 0 ? [{ rows: failures, caption: 'Failed at the last attempt' }] : [],
    notes: ids.length === 0 ? ['No run is finished yet.'] : [],
  });
}

/** A plan that cannot be read must not hide the store. */
function planOf(store: ResultStore): ReturnType<ResultStore['readPlan']> {
  try {
    return store.readPlan();
  } catch {
    return undefined;
  }
}

export const storedRecordsBundle = ({ records, damaged }: StoredRecords): MimeBundle =>
  sheetBundle({
    title: `${records.length} ${records.length === 1 ? 'run' : 'runs'}`,
    tables: [
      ...(records.length > 0 ? [{ rows: records.map(recordRow) }] : []),
      ...(damaged.length > 0 ? [{ rows: damaged, caption: 'Damaged files' }] : []),
    ],
  });
