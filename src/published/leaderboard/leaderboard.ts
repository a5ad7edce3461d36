import { groupBy } from '../../collections.js';
import { showAs } from '../../display/showable.js';
import { sheetBundle } from '../../display/sheet.js';
import { listed } from '../../display/words.js';
import { createRandom } from '../../random.js';
import { bootstrap } from '../../statistics/bootstrap.js';
import { randomDraws } from '../../statistics/draws.js';
import { winRates } from '../../statistics/improvement.js';
import { normalize, scaleLimits, type ScaleLimits } from '../../statistics/normalize.js';
import { ranking, type RankingRow } from '../../statistics/ranking.js';
import { averageRanks, topCounts } from '../../statistics/ranks.js';
import {
  scoreMatrix,
  selectDatasets,
  selectModels,
  type ScoreMatrix,
  type ScoreWarning,
} from '../../statistics/score-matrix.js';
import { geobench2Limits, type Geobench2Runs } from '../geobench2.js';
import { findCapability, leaderboardCapabilities } from './capability.js';
import { checkRuns, type SourceCheck } from './check-runs.js';
import { leaderboardSheet } from './leaderboard-sheet.js';
import type { LeaderboardRun, RunSource } from './leaderboard-run.js';
import { RELEASED, releasedRuns } from './released-runs.js';

export interface LeaderboardOptions {
  /** A user's runs, as `readRunSources` reads them; default none. */
  readonly sources?: readonly RunSource[];
  /** Which released runs of GEO-Bench-2 are ranked; default `paper`, the models of its Table 1. */
  readonly released?: Geobench2Runs | 'none';
  /** What is ranked first: the name of a capability, or `NAME=dataset,dataset,…`; default `core`. */
  readonly capability?: string;
  /** Default 2,000. */
  readonly resamples?: number;
  /** Of the intervals and of the ties that follow from them; default 0.95. */
  readonly level?: number;
  /** Of the draws; default 0. */
  readonly seed?: number;
}

/** A model on the datasets of a capability. */
export interface LeaderboardRow extends RankingRow {
  readonly source: string;
  readonly encoderMode: string;
  readonly modalities: string;
  /** Of the datasets, over the models that have all of them; null for those that have not. */
  readonly averageRank: number | null;
  /** Datasets on which it is among the two best of these models. */
  readonly topTwo: number | null;
  /** Share of the comparisons with another of these models on a dataset that its mean wins. */
  readonly winRate: number | null;
  readonly runs: number;
  /** Datasets of the capability without a run. */
  readonly lacks: readonly string[];
}

export interface LeaderboardRanking {
  readonly capability: string;
  readonly datasets: readonly string[];
  /** From best to worst; models that lack a dataset come last, without a score. */
  readonly rows: readonly LeaderboardRow[];
}

/** A run as it was ranked. */
export interface RankedRun extends LeaderboardRun {
  /** 0 … 1 between the lowest and highest released run; null for a failed one, and where there are no limits. */
  readonly normalized: number | null;
}

export interface Leaderboard {
  /** What was asked for; also the first of `rankings`. */
  readonly capability: string;
  readonly rankings: readonly LeaderboardRanking[];
  readonly runs: readonly RankedRun[];
  readonly checks: readonly SourceCheck[];
  readonly warnings: readonly ScoreWarning[];
  /** How scores were brought together, and what was left out. */
  readonly notes: readonly string[];
  readonly resamples: number;
  readonly level: number;
  readonly seed: number;
}

/**
 * GEO-Bench-2's released runs and a user's own, ranked by capability: interquartile mean of the normalised scores of all
 * datasets and seeds in one pool (section 3.7), percentile interval of a stratified bootstrap over seeds, ties where the
 * interval of a difference holds 0. A user's runs on other datasets than the benchmark's are ranked among themselves, by
 * limits of their own, where there are none on the benchmark's, and where no released runs are asked for; else they are
 * left out.
 * Differs: the leaderboard prints the mean of 100 resamples with its Monte Carlo error; here it is the score itself with the
 * interval of the resamples.
 * @throws UsageError OPTION_VALUE for a capability that is not known
 */
export function leaderboard(options: LeaderboardOptions = {}): Leaderboard {
  const { sources = [], resamples = 2000, level = 0.95, seed = 0 } = options;
  const limits = geobench2Limits();
  const own = sources.flatMap(({ runs }) => runs);
  const set = options.released ?? 'paper';
  const isForeign = own.length > 0 && !own.some(({ dataset }) => Object.hasOwn(limits, dataset));
  const isOwn = isForeign || set === 'none';
  const released = isForeign || set === 'none' ? [] : releasedRuns(set);
  const counted = isOwn ? own : own.filter(({ dataset }) => Object.hasOwn(limits, dataset));
  const runs = distinctModels([...released, ...counted]);
  const all = isOwn ? [...new Set(own.map(({ dataset }) => dataset))] : Object.keys(limits);
  const capabilities = leaderboardCapabilities(all);
  const asked = findCapability(options.capability ?? (isOwn ? 'all' : 'core'), capabilities, all);
  const matrix = scoreMatrix(runs, { datasets: all });
  const used = isOwn ? { ...scaleLimits(matrix), ...limits } : limits;
  const normalized = normalize(matrix, used);
  const infos = groupBy(runs, ({ model }) => model);
  // constant datasets are left out, and named among the warnings
  const varied = new Set(normalized.datasets);
  const rankings = [asked, ...capabilities.filter(({ name }) => name !== asked.name)].map(
    ({ name, datasets: wanted }): LeaderboardRanking => {
      const datasets = wanted.filter((id) => varied.has(id));
      const rows = rankedRows(selectDatasets(normalized, datasets), infos, { resamples, level, seed });
      return { capability: name, datasets, rows };
    },
  );
  const board: Leaderboard = {
    capability: asked.name,
    rankings,
    runs: runs.map((run) => ({ ...run, normalized: normalizedScore(run, used, matrix) })),
    checks: sources.map((source) => checkRuns(source, asked.datasets)),
    warnings: normalized.warnings.filter(
      ({ model, code }) => !SHORT.has(code) || infos.get(model ?? '')?.[0]!.source !== RELEASED,
    ),
    notes: [
      ...sources.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)),
      ...(isForeign
        ? [
            'None of the runs is on a dataset of GEO-Bench-2: they are ranked among themselves, by limits of their own.',
          ]
        : []),
      ...(isOwn ? [] : leftOut(own, limits)),
    ],
    resamples,
    level,
    seed,
  };
  return showAs(board, { bundle: (shown) => sheetBundle(leaderboardSheet(shown)) });
}

/** Released models have other numbers of runs by design. */
const SHORT: ReadonlySet<string> = new Set(['CELL_MISSING', 'RUN_MISSING']);

function leftOut(own: readonly LeaderboardRun[], limits: ScaleLimits): string[] {
  const others = own.filter(({ dataset }) => !Object.hasOwn(limits, dataset));
  if (others.length === 0) return [];
  const datasets = [...new Set(others.map(({ dataset }) => dataset))];
  const runs = `${others.length} ${others.length === 1 ? 'run' : 'runs'}`;
  return [
    `${runs} on datasets that GEO-Bench-2 does not have (${listed(datasets)}) left out; without released runs all are ranked.`,
  ];
}

/**
 * The same model from two places is two models: a user's carries its source, and a number where a model is called so
 * already.
 */
function distinctModels(runs: readonly LeaderboardRun[]): LeaderboardRun[] {
  const byModel = groupBy(runs, ({ model }) => model);
  const taken = new Set(byModel.keys());
  const names = new Map<string, string>();
  for (const [model, own] of byModel) {
    const sources = new Set(own.map(({ source }) => source));
    if (sources.size === 1) continue;
    for (const source of sources) {
      if (source === RELEASED) continue;
      let name = `${model} (${source})`;
      for (let number = 2; taken.has(name); number++) name = `${model} (${source}, ${number})`;
      taken.add(name);
      names.set(JSON.stringify([source, model]), name);
    }
  }
  return runs.map((run) => ({
    ...run,
    model: names.get(JSON.stringify([run.source, run.model])) ?? run.model,
  }));
}

const normalizedScore = (
  { score, dataset }: LeaderboardRun,
  limits: ScaleLimits,
  { datasets, higherIsBetter }: ScoreMatrix,
): number | null => {
  const own = limits[dataset];
  if (score === null || !own || own.high === own.low) return null;
  const share = (score - own.low) / (own.high - own.low);
  return higherIsBetter[datasets.indexOf(dataset)]! ? share : 1 - share;
};

function rankedRows(
  matrix: ScoreMatrix,
  infos: ReadonlyMap<string, readonly LeaderboardRun[]>,
  { resamples, level, seed }: { readonly resamples: number; readonly level: number; readonly seed: number },
): LeaderboardRow[] {
  const isComplete = matrix.cells.map(
    (row) => row.length > 0 && row.every(({ values }) => values.length > 0),
  );
  const ranked = selectModels(
    matrix,
    matrix.models.filter((_, row) => isComplete[row]),
  );
  const [means, tops, wins] = [averageRanks(ranked), topCounts(ranked, 2), winRates(ranked)];
  const drawn = bootstrap(ranked, 'pooled-iqm', {
    resamples,
    draws: randomDraws(createRandom(seed, 'leaderboard')),
  });
  const rows = ranking(drawn, { level }).map((row): LeaderboardRow => {
    const at = ranked.models.indexOf(row.model);
    return {
      ...row,
      ...infoOf(infos.get(row.model)!, matrix.datasets),
      averageRank: means[at]!,
      topTwo: tops[at]!,
      winRate: wins[at]!,
      lacks: [],
    };
  });
  const others = matrix.models.flatMap((model, at): LeaderboardRow[] => {
    if (isComplete[at]) return [];
    const lacks = matrix.datasets.filter((_, column) => matrix.cells[at]![column]!.values.length === 0);
    const info = infoOf(infos.get(model)!, matrix.datasets);
    return [{ ...NO_RANK, model, ...info, level, lacks }];
  });
  // who lacks least comes first
  return [...rows, ...others.toSorted((a, b) => a.lacks.length - b.lacks.length)];
}

const NO_RANK = {
  estimate: null,
  mean: null,
  standardDeviation: null,
  monteCarloError: null,
  interval: null,
  place: null,
  tiedWith: null,
  places: null,
  averageRank: null,
  topTwo: null,
  winRate: null,
} as const;

/** What the runs of a model on these datasets say of it. */
function infoOf(all: readonly LeaderboardRun[], datasets: readonly string[]) {
  const runs = all.filter(({ dataset }) => datasets.includes(dataset));
  const of = (key: 'encoderMode' | 'modalities'): string =>
    [...new Set((runs.length > 0 ? runs : all).flatMap((run) => run[key] ?? []))].join(', ');
  return {
    source: all[0]!.source,
    encoderMode: of('encoderMode'),
    modalities: of('modalities'),
    runs: runs.filter(({ score }) => score !== null).length,
  };
}
