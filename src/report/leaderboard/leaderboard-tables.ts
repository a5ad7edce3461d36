import { groupBy } from '../../collections.js';
import { formatNumber } from '../../display/numbers.js';
import type { SourceCheck } from '../../published/leaderboard/check-runs.js';
import type { Leaderboard, LeaderboardRanking, RankedRun } from '../../published/leaderboard/leaderboard.js';
import { lacksText, shortfallWords } from '../../published/leaderboard/leaderboard-sheet.js';
import { interquartileMean } from '../../statistics/aggregate.js';
import { mean, standardDeviation } from '../../statistics/summary.js';
import { counted, markup, type HtmlPart, type Markup } from '../html.js';
import { dataTable, exact, type TableFilter } from '../tables/table.js';

const DECIMALS = 3;

export function rankingTable({ capability, rows }: LeaderboardRanking, { level }: Leaderboard): Markup {
  const first = rows[0]?.model;
  const percent = formatNumber(level * 100, 0);
  return dataTable({
    name: `ranking, ${capability}`,
    context: markup`${capability}; interquartile mean of normalised scores with its ${percent} % interval; = : not told apart from
    the first; – : lacks a dataset.`,
    filters: [
      { label: 'Modality', column: 9 },
      { label: 'Encoder mode', column: 10 },
      { label: 'Source', column: 11 },
    ],
    columns: [
      { title: 'model' },
      { title: 'place', isRising: true },
      { title: 'may be', isRising: true },
      { title: 'score' },
      { title: 'interval' },
      { title: 'average rank', isRising: true },
      { title: '#Top2' },
      { title: 'win rate' },
      { title: 'runs' },
      ...['modality', 'encoder mode', 'source', 'lacks'].map((title) => ({ title, isNumeric: false })),
    ],
    rows: rows.map((row): HtmlPart[] => {
      const { place, places, interval, tiedWith, estimate } = row;
      const isTied = first !== undefined && tiedWith?.includes(first) === true;
      const score = exact(estimate, DECIMALS);
      return [
        row.model,
        place === null ? '–' : `${place}${isTied ? ' =' : ''}`,
        placesText(places),
        place === 1 || isTied ? markup`<strong>${score}</strong>` : score,
        interval ? `${formatNumber(interval.low, DECIMALS)} … ${formatNumber(interval.high, DECIMALS)}` : '–',
        exact(row.averageRank, 2),
        row.topTwo ?? '–',
        exact(row.winRate, DECIMALS),
        row.runs,
        row.modalities || '–',
        row.encoderMode || '–',
        row.source,
        lacksText(row.lacks),
      ];
    }),
    ruleBefore: rows.filter(({ place }) => place !== null).length,
  });
}

function placesText(places: LeaderboardRanking['rows'][number]['places']): string {
  if (!places) return '–';
  return places.best === places.worst ? String(places.best) : `${places.best}–${places.worst}`;
}

/** Scores by capability. */
export function overviewTable({ rankings }: Leaderboard): Markup {
  const models = rankings[0]!.rows.map(({ model }) => model);
  return dataTable({
    name: 'scores by capability',
    context:
      'Interquartile mean of normalised scores; bold: the best of its column and those not told apart from it; – : lacks a dataset.',
    columns: [{ title: 'model' }, ...rankings.map(({ capability }) => ({ title: capability }))],
    rows: models.map((model) => [
      model,
      ...rankings.map(({ rows }) => {
        const row = rows.find((candidate) => candidate.model === model)!;
        const score = exact(row.estimate, DECIMALS);
        const isBest = row.place === 1 || row.tiedWith?.includes(rows[0]!.model) === true;
        return isBest ? markup`<strong>${score}</strong>` : score;
      }),
    ]),
  });
}

/** Means of each model on each dataset. */
export function datasetsTable({ runs, rankings }: Leaderboard): Markup {
  const cells = [...groupBy(runs, ({ model, dataset }) => JSON.stringify([model, dataset])).values()];
  return dataTable({
    name: 'scores by dataset',
    context: 'Mean and deviation over seeds as scored; normalised: interquartile mean.',
    filters: [
      capabilityFilter(rankings),
      { label: 'Dataset', column: 1 },
      { label: 'Model', column: 0 },
      { label: 'Modality', column: 7 },
    ],
    columns: [
      { title: 'model' },
      { title: 'dataset', isNumeric: false },
      { title: 'metric', isNumeric: false },
      { title: 'mean' },
      { title: 'deviation' },
      { title: 'normalised' },
      { title: 'runs' },
      { title: 'modality', isNumeric: false },
      { title: 'source', isNumeric: false },
    ],
    rows: cells.map((own) => {
      const [run] = own;
      const scores = own.flatMap(({ score }) => score ?? []);
      const shares = own.flatMap(({ normalized }) => normalized ?? []);
      return [
        run!.model,
        run!.dataset,
        run!.metric ?? '–',
        exact(mean(scores), 4),
        exact(standardDeviation(scores), 4),
        exact(interquartileMean(shares), 4),
        scores.length,
        run!.modalities ?? '–',
        run!.source,
      ];
    }),
  });
}

/** Every run. */
export function runsTable({ runs, rankings }: Leaderboard): Markup {
  return dataTable({
    name: 'runs',
    context: markup`${counted(runs.length, 'run')}; – : failed, or not said.`,
    filters: [
      capabilityFilter(rankings),
      { label: 'Dataset', column: 1 },
      { label: 'Model', column: 0 },
      { label: 'Modality', column: 7 },
      { label: 'Encoder mode', column: 8 },
      { label: 'Source', column: 9 },
    ],
    columns: [
      { title: 'model' },
      { title: 'dataset', isNumeric: false },
      { title: 'seed', isRising: true },
      { title: 'metric', isNumeric: false },
      { title: 'score' },
      { title: 'normalised' },
      ...['decoder', 'modality', 'encoder mode', 'source'].map((title) => ({ title, isNumeric: false })),
    ],
    rows: runs.map((run: RankedRun) => [
      run.model,
      run.dataset,
      run.seed ?? '–',
      run.metric ?? '–',
      exact(run.score, 4),
      exact(run.normalized, 4),
      run.decoder ?? '–',
      run.modalities ?? '–',
      run.encoderMode ?? '–',
      run.source,
    ]),
  });
}

const capabilityFilter = (rankings: readonly LeaderboardRanking[]): TableFilter => ({
  label: 'Capability',
  column: 1,
  groups: Object.fromEntries(rankings.map(({ capability, datasets }) => [capability, datasets])),
});

/** What a source lacks, one line each. */
export function checkTable({ source, datasets, isComplete, models, shortfalls }: SourceCheck): Markup {
  const head = `${source}: ${counted(models, 'model')} on ${counted(datasets.length, 'dataset')}`;
  if (isComplete) return markup`<p>${head}: nothing is lacking.</p>`;
  return markup`<h3>${head}</h3>${dataTable({
    name: `check of ${source}`,
    context: 'By the rules of GEO-Bench-2: all datasets, five seeds, at most 16 trials of one search space.',
    filters: [
      { label: 'Model', column: 0 },
      { label: 'What', column: 2 },
    ],
    columns: [
      { title: 'model' },
      { title: 'dataset', isNumeric: false },
      { title: 'what', isNumeric: false },
      { title: 'there' },
      { title: 'due' },
      { title: 'in words', isNumeric: false, isFree: true },
    ],
    rows: shortfalls.map(({ model, dataset, code, have, due, text }) => [
      model ?? 'all',
      dataset ?? 'all',
      shortfallWords(code),
      have ?? '–',
      due ?? '–',
      text,
    ]),
  })}`;
}
