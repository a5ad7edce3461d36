import { groupBy } from '../collections.js';
import type { MimeBundle } from '../display/mime.js';
import { formatSeconds } from '../display/numbers.js';
import { sheetBundle, type Fact } from '../display/sheet.js';
import { definitionFacts } from '../results/record-sheets.js';
import { summaryRows } from '../statistics/arms.js';
import type {
  FailedRun,
  PlannedRun,
  SearchProgress,
  StudyDefinition,
  StudyOutlook,
  StudyPlan,
  StudyResult,
} from './study.js';

/** A study's question and what it varies. */
export const studyBundle = (study: StudyDefinition): MimeBundle =>
  sheetBundle({
    title: study.title,
    facts: studyFacts(study),
    notes: ['plan() lists its runs; run() computes those that its store does not hold yet.'],
  });

const studyFacts = (study: StudyDefinition): Fact[] => [
  ['study', study.name],
  ['source', study.source],
  ['datasets', study.datasets],
  ['encoders', study.encoders],
  ['decoders', study.decoders.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))],
  ['protocol', study.protocol],
  ...Object.entries(study.vary ?? {}).map(([name, values]): Fact => [
    `vary ${name}`,
    values.map((value) => JSON.stringify(value)),
  ]),
  ...(study.also ?? []).map((arm): Fact => ['also', JSON.stringify(arm)]),
  ...Object.entries(study.settings ?? {}).map(([name, value]): Fact => [name, JSON.stringify(value)]),
  ['seeds', study.seeds.map(String)],
  ['search', study.search === undefined ? undefined : JSON.stringify(study.search)],
];

/** The arms of a plan with their seeds. */
export function planBundle({
  study,
  quick,
  runs,
  searches = [],
  toCome = 0,
  outlook,
}: StudyPlan): MimeBundle {
  const arms = groupBy(runs, ({ arm, definition }) => `${definition.dataset}\t${arm}`);
  const rows = [...arms.values()].map((ofArm) => {
    const { arm, definition } = ofArm[0]!;
    const seeds = ofArm.flatMap((run) => (run.definition.seed === null ? [] : [run.definition.seed]));
    return {
      dataset: definition.dataset,
      arm,
      encoder: definition.encoder,
      decoder: definition.decoder,
      seeds: seeds.join(', '),
      runs: ofArm.length,
    };
  });
  return sheetBundle({
    title: study.title,
    facts: [
      ['study', study.name],
      ['form', quick ? 'quick: few seeds and epochs' : undefined],
      ['runs', `${runs.length} in ${rows.length} ${rows.length === 1 ? 'arm' : 'arms'}`],
      ['to come', toCome > 0 ? `${toCome} further trials and repeats` : undefined],
      ['done', outlook && `${outlook.done}, ${outlook.missing} missing`],
      ['expected time', outlook && outlook.missing > 0 ? expectedTime(outlook) : undefined],
    ],
    tables: [
      { rows, columns: ['dataset', 'arm', 'encoder', 'decoder', 'seeds', 'runs'], maximumRows: 20 },
      ...(searches.length > 0
        ? [{ rows: searches.map(searchRow), caption: 'Searches', maximumRows: 20 }]
        : []),
    ],
  });
}

/** e.g. `about 12 min`. */
export const expectedTime = ({ expectedSeconds, missing, unknown }: StudyOutlook): string =>
  expectedSeconds === null
    ? `unknown: no run like ${unknown} of ${missing} was measured`
    : `about ${formatSeconds(expectedSeconds)}`;

/** How far the search of an arm is, and what it found. */
export const searchRow = (search: SearchProgress): object => ({
  ...{ dataset: search.dataset, arm: search.arm, search: search.search },
  trials: `${search.complete + search.pruned} of ${search.trials}`,
  ...{ pruned: search.pruned, failed: search.failed },
  'best setting': search.best
    ? Object.entries(search.best.parameters)
        .map(
          ([name, value]) =>
            `${name} ${typeof value === 'number' ? Number(value.toPrecision(3)) : String(value)}`,
        )
        .join(', ')
    : '–',
  'validation score': search.best?.value ?? null,
  repeats: search.repeats,
});

export const plannedRunBundle = ({ id, arm, definition }: PlannedRun): MimeBundle =>
  sheetBundle({
    title: `Planned run ${id}: ${arm}`,
    facts: [
      ...definitionFacts(definition),
      ...Object.entries(definition.settings).map(([name, value]): Fact => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ],
  });

export const plannedRunRow = ({ id, arm, definition }: PlannedRun): object => ({
  run: id,
  arm,
  dataset: definition.dataset,
  encoder: definition.encoder,
  decoder: definition.decoder,
  seed: definition.seed,
});

/** What a study's run came to: the scores of its arms, and what failed. */
export function resultBundle({ plan, store, records, failed }: StudyResult): MimeBundle {
  const failures = failed.map(failedRow);
  return sheetBundle({
    title: plan.study.title,
    facts: [
      ['study', plan.study.name],
      ['finished', `${records.length} of ${plan.runs.length} runs`],
      ['store', store],
    ],
    tables: [
      ...(records.length > 0
        ? [{ rows: summaryRows(records), caption: 'Mean over seeds ± half of the 95 % interval' }]
        : []),
      ...(failures.length > 0 ? [{ rows: failures, caption: 'Failed' }] : []),
    ],
  });
}

/** A run that failed: what was wrong, where, what to do. */
export const failedBundle = ({ run, error }: FailedRun): MimeBundle =>
  sheetBundle({
    title: `Failed: ${run.arm}, seed ${run.definition.seed ?? 'none'}`,
    facts: [
      ['error', error.code],
      ['message', error.message],
      ['where', error.where],
      ['to do', error.hint],
      ['run', run.id],
    ],
  });

export const failedRow = ({ run, error }: FailedRun): object => ({
  arm: run.arm,
  seed: run.definition.seed,
  code: error.code,
  message: error.message,
  hint: error.hint,
});
