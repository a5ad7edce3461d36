import { groupBy } from '../../collections.js';
import { formatNumber } from '../../display/numbers.js';
import type { Sheet, SheetTable } from '../../display/sheet.js';
import type { Shortfall, SourceCheck } from './check-runs.js';
import type { Leaderboard, LeaderboardRanking, LeaderboardRow } from './leaderboard.js';

/** The asked ranking, scores by capability, and what each of the user's sources lacks. */
export function leaderboardSheet(board: Leaderboard): Sheet {
  const [asked, ...others] = board.rankings;
  const percent = formatNumber(board.level * 100, 0);
  const hasSources = board.checks.length > 0;
  return {
    title: `Leaderboard, ${asked!.capability}: ${asked!.datasets.length} ${asked!.datasets.length === 1 ? 'dataset' : 'datasets'}`,
    tables: [
      {
        rows: asked!.rows.map((row) => rankRow(row, asked!.rows, hasSources)),
        maximumRows: asked!.rows.length,
        digits: 3,
        caption: `IQM of normalised scores; ${percent} % interval of ${board.resamples} resamples; = : not told apart from the first`,
      },
      ...(others.length > 0 ? [overview(board.rankings)] : []),
      ...board.checks.map(checkTable),
    ],
    notes: [
      ...board.notes,
      // what is missing stands in the checks
      ...board.warnings.filter(({ code }) => !CHECKED.has(code)).map(({ text }) => text),
    ],
  };
}

const CHECKED: ReadonlySet<string> = new Set(['CELL_MISSING', 'RUN_MISSING', 'RUN_FAILED', 'ONE_RUN']);

function rankRow(row: LeaderboardRow, rows: readonly LeaderboardRow[], hasSources: boolean) {
  const { places, interval } = row;
  const isTied = row.place !== null && row.place > 1 && row.tiedWith?.includes(rows[0]!.model) === true;
  return {
    place: row.place === null ? null : `${row.place}${isTied ? ' =' : ''}`,
    'may be':
      places && (places.best === places.worst ? String(places.best) : `${places.best}–${places.worst}`),
    model: row.model,
    score: row.estimate,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    'average rank': row.averageRank === null ? null : formatNumber(row.averageRank, 2),
    '#Top2': row.topTwo,
    'win rate': row.winRate,
    runs: row.runs,
    ...(hasSources && { source: row.source }),
    ...(rows.some(({ lacks }) => lacks.length > 0) && { lacks: lacksText(row.lacks) }),
  };
}

/** Datasets that a model lacks; more than two are counted. */
export const lacksText = (lacks: readonly string[]): string =>
  lacks.length <= 2 ? lacks.join(', ') : `${lacks.length} datasets`;

/** Scores of each model by capability. */
function overview(rankings: readonly LeaderboardRanking[]): SheetTable {
  const models = rankings[0]!.rows
    .map(({ model }) => model)
    .filter((model) =>
      rankings.some(({ rows }) => rows.some((row) => row.model === model && row.place !== null)),
    );
  return {
    rows: models.map((model) => ({
      model,
      ...Object.fromEntries(
        rankings.map(({ capability, rows }) => [
          capability,
          rows.find((row) => row.model === model)?.estimate ?? null,
        ]),
      ),
    })),
    maximumRows: models.length,
    digits: 3,
    caption: 'Score by capability; –: a dataset is lacking',
  };
}

/** Models that lack the same share a line. */
function checkTable(check: SourceCheck): SheetTable {
  const byModel = groupBy(check.shortfalls, ({ code, model }) => JSON.stringify([code, model]));
  const lines = [...byModel.values()].map((own) => ({
    model: own[0]!.model ?? 'all',
    lacks: shortfallWords(own[0]!.code),
    what: own.map(shortfallText).join(', '),
  }));
  const alike = groupBy(lines, ({ lacks, what }) => JSON.stringify([lacks, what]));
  const rows = [...alike.values()].map((own) => ({
    model: own.map(({ model }) => model).join(', '),
    lacks: own[0]!.lacks,
    what: own[0]!.what,
  }));
  const models = `${check.models} ${check.models === 1 ? 'model' : 'models'}`;
  return {
    rows: rows.length > 0 ? rows : [{ model: 'all', lacks: 'nothing', what: '' }],
    maximumRows: 200,
    caption: `Check of ${check.source}: ${models}, ${check.isComplete ? 'complete' : 'not complete'}`,
  };
}

function shortfallText({ code, model, dataset, text, have, due }: Shortfall): string {
  if (dataset === null || model === null) return text;
  if (code === 'SEEDS_MISSING') return `${dataset} (${have} of ${due})`;
  if (code === 'REPEATS') return text.replace(`${model} on `, '');
  return WORDS[code] ? dataset : text.replace(`${model} on `, '');
}

/** What is lacking, by the code of a shortfall; other codes are those of warnings. */
export const shortfallWords = (code: Shortfall['code']): string => WORDS[code] ?? code;

const WORDS: Readonly<Record<string, string>> = {
  RUNS_MISSING: 'runs',
  DATASET_MISSING: 'datasets',
  SEEDS_MISSING: 'seeds',
  REPEATS: 'repeats, five of each',
  RUN_FAILED: 'scores of failed runs',
  TRIALS_MISSING: 'trials of a search',
  TRIALS_UNKNOWN: 'number of trials',
};
