import { listed } from '../../display/words.js';
import { formatNumber } from '../../display/numbers.js';
import { readPublishedManifest } from '../../manifests/published-manifest.js';
import type { Leaderboard, LeaderboardRanking } from '../../published/leaderboard/leaderboard.js';
import { capabilityHeatMap } from '../charts/heat-map.js';
import { leaderboardChart } from '../charts/leaderboard.js';
import { createCharts, type ChartCollection } from '../figures.js';
import { counted, markup, type HtmlPart, type Markup } from '../html.js';
import { page } from '../page.js';
import { checkTable, datasetsTable, overviewTable, rankingTable, runsTable } from './leaderboard-tables.js';

export interface LeaderboardPageOptions {
  /** Default now. */
  readonly madeAt?: Date;
}

/**
 * A leaderboard as one page that needs no network: the ranking of each capability with intervals and ties, scores by
 * capability and by dataset, every run, what the sources of a user lack, and how it was computed.
 * @throws RunError EMBED_BUNDLE
 */
export async function leaderboardPage(
  board: Leaderboard,
  options: LeaderboardPageOptions = {},
): Promise<string> {
  const charts = createCharts();
  const [asked] = board.rankings;
  const title = `Leaderboard: ${asked!.capability}`;
  const sections: { id: string; name: string; content: HtmlPart }[] = [
    {
      id: 'ranking',
      name: 'Ranking',
      content: markup`<div data-choices="Capability">
        ${board.rankings.map(
          (ranking) =>
            markup`<div data-choice="${ranking.capability}">
              <h3>${ranking.capability}: ${counted(ranking.datasets.length, 'dataset')}</h3>
              <p class="context">${ranking.datasets.join(', ')}</p>
              ${chartOf(ranking, charts)} ${rankingTable(ranking, board)}
            </div>`,
        )}
      </div>`,
    },
    ...(board.rankings.length > 1
      ? [
          {
            id: 'capabilities',
            name: 'Capabilities',
            content: [
              isRanked(board.rankings) &&
                markup`<div class="charts">${charts.figure(capabilityHeatMap(board.rankings))}</div>`,
              overviewTable(board),
            ],
          },
        ]
      : []),
    { id: 'datasets', name: 'Datasets', content: datasetsTable(board) },
    { id: 'runs', name: 'Runs', content: runsTable(board) },
    ...(board.checks.length > 0
      ? [{ id: 'check', name: 'Check', content: board.checks.map((check) => checkTable(check)) }]
      : []),
    { id: 'methods', name: 'Methods', content: methods(board) },
  ];
  const day = (options.madeAt ?? new Date()).toISOString().slice(0, 16).replace('T', ' ');
  const body = markup` <main>
    <header>
      <h1>${title}</h1>
      <p class="meta">
        ${counted(asked!.rows.length, 'model')}, ${counted(asked!.datasets.length, 'dataset')},
        ${counted(board.runs.length, 'run')} · page made ${day} UTC
      </p>
      <div class="answer"><p class="lead">${lead(asked!, board)}</p></div>
      ${notices(board)}
      <nav aria-label="sections">${sections.map(({ id, name }) => markup`<a href="#${id}">${name}</a>`)}</nav>
    </header>
    ${sections.map(
      ({ id, name, content }) =>
        markup`<section id="${id}">
          <h2>${name}</h2>
          ${content}
        </section>`,
    )}
    <footer>Made by gondwana from the runs; nothing on this page was written by hand.</footer>
  </main>`;
  return page(title, body, charts);
}

const isRanked = (rankings: readonly LeaderboardRanking[]): boolean =>
  rankings.some(({ rows }) => rows.some(({ place }) => place !== null));

const chartOf = (ranking: LeaderboardRanking, charts: ChartCollection): HtmlPart =>
  isRanked([ranking]) &&
  markup`<div class="charts">${charts.figure(leaderboardChart(ranking.rows, { of: ranking.capability }))}</div>`;

/** Who is first, and who is not told apart from it. */
function lead({ capability, rows }: LeaderboardRanking, { level }: Leaderboard): Markup | string {
  const [first] = rows;
  if (!first || first.place === null) return `No model has runs on all datasets of ${capability}.`;
  const score = formatNumber(first.estimate, 3);
  const head = markup`<strong>${first.model}</strong> has the highest score on ${capability}, ${score}`;
  if (!first.interval || !first.tiedWith) return markup`${head}; one run a dataset gives no interval.`;
  const { low, high } = first.interval;
  const interval = `${formatNumber(level * 100, 0)} % interval ${formatNumber(low, 3)} to ${formatNumber(high, 3)}`;
  const tied =
    first.tiedWith.length === 0
      ? 'it is told apart from all others'
      : `the runs do not tell it apart from ${listed([...first.tiedWith])}`;
  return markup`${head} (${interval}); ${tied}.`;
}

function notices(board: Leaderboard): Markup[] {
  const lacking = board.checks.filter(({ isComplete }) => !isComplete);
  const texts = [
    ...board.notes,
    ...lacking.map(
      ({ source, shortfalls }) =>
        `${source} lacks something in ${counted(shortfalls.length, 'place')}: see Check.`,
    ),
  ];
  return texts.map((text) => markup`<div class="note" role="note">${text}</div>`);
}

function methods(board: Leaderboard): Markup {
  const { sources, title } = readPublishedManifest('geobench2');
  const hasReleased = board.runs.some(({ source }) => source === 'released');
  const percent = formatNumber(board.level * 100, 0);
  return markup`<p>Scores are normalised dataset by dataset,
      (score − low) / (high − low), ${hasReleased ? 'between the lowest and the highest released run' : 'between the limits of the benchmark, where there are such, else between the lowest and the highest run'},
      and not clipped. A model’s score is the interquartile mean of the normalised scores of all seeds and datasets in one pool
      (GEO-Bench-2, section 3.7). A model that lacks a dataset has no score.</p>
    <p>Intervals are percentile intervals at ${percent} % of ${board.resamples} stratified resamples: in each, every model’s runs
      on every dataset are drawn anew, with replacement (draws of seed ${board.seed}). They tell how far seeds move a score; the
      datasets are taken as given. Two models are tied where the interval of the difference of their resamples holds 0. “May
      be” is the range of places that this allows.</p>
    <p>Average rank, #Top2 (datasets on which a model is among the two best) and win rate are by means over seeds, among the
      models that have all datasets.</p>
    ${hasReleased && markup`<p>Released runs: ${title}. ${Object.values(sources).map(({ title: of, address, licence }) => `${of}, ${address}, ${licence}. `)}</p>`}
    ${
      board.warnings.length > 0 &&
      markup`<details data-print="open">
        <summary>${counted(board.warnings.length, 'remark')} on the runs</summary>
        <ul>
          ${board.warnings.map(({ text }) => markup`<li>${text}</li>`)}
        </ul>
      </details>`
    }`;
}
