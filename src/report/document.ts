import { isTrial, type RunRecord } from '../results/run-record.js';
import type { DamagedRecord, StoredPlan } from '../results/store.js';
import { repeatsOf } from '../statistics/arms.js';
import { answerInWords } from './answer.js';
import { paddedDomain } from './charts/chart.js';
import { convergenceChart } from './charts/convergence.js';
import { scoresChart } from './charts/scores.js';
import { detectionSection } from './detections/detection-section.js';
import { exampleSection, type ArtifactReader } from './examples.js';
import { createCharts, type ChartCollection } from './figures.js';
import { counted, markup, type HtmlPart, type Markup } from './html.js';
import { methodsSection } from './methods.js';
import { notices, type FailedRun } from './notices.js';
import { page } from './page.js';
import { allScoresTable } from './tables/all-scores.js';
import { classesTable, hasClasses } from './tables/classes.js';
import {
  costsTable,
  inputsTable,
  provenanceTable,
  runsTable,
  settingsTable,
  splitsTable,
} from './tables/runs.js';
import { differencesTable, meansTable, placesTable } from './tables/scores.js';
import { tidyTable } from './tables/tidy.js';
import { trialsTable } from './tables/trials.js';
import { datasetViews, type DatasetView } from './view.js';

export interface ReportInput {
  readonly records: readonly RunRecord[];
  /** Names the question and says which runs are missing; without it, the records speak for themselves. */
  readonly plan?: StoredPlan | undefined;
  readonly damaged?: readonly DamagedRecord[];
  readonly options?: ReportOptions;
}

export interface ReportOptions {
  /** Reads the images that records name; without it the page has none. */
  readonly artifact?: ArtifactReader;
  readonly failed?: readonly FailedRun[];
  /** Default now. */
  readonly madeAt?: Date;
}

/**
 * A study's outcome as one HTML page that needs no network: the answer in words, tables, charts with
 * intervals, images, and all that must be known to believe them. It makes sense with any number of runs.
 * @throws RunError EMBED_BUNDLE where the script that draws charts is missing and cannot be built
 */
export async function renderReport({
  records,
  plan,
  damaged = [],
  options = {},
}: ReportInput): Promise<string> {
  const rank = plan && new Map(plan.runs.map((run, i) => [run.id, i]));
  const shown = rank
    ? records.filter((record) => rank.has(record.id)).toSorted((a, b) => rank.get(a.id)! - rank.get(b.id)!)
    : records;
  const repeats = repeatsOf(shown);
  const views = datasetViews(repeats);
  const charts = createCharts();
  const inputs = views.map((view) => inputsTable(view));
  const faults = inputs.flatMap((input) => input?.faults ?? []);
  const foreign = records.length - shown.length;
  const { blocks } = notices({
    records: shown,
    foreign,
    plan,
    damaged,
    failed: options.failed ?? [],
    faults,
  });

  const title = plan?.study.title ?? `Results of ${shown[0]?.study ?? 'a study'}`;
  const sections =
    views.length === 0
      ? []
      : reportSections(
          views,
          { repeats, trials: shown.filter(isTrial) },
          inputs.map((input) => input?.table),
          charts,
          options,
          plan,
        );
  const body = markup` <main>
    <header>
      <h1>${title}</h1>
      <p class="meta">${metaLine(plan, shown, options.madeAt ?? new Date())}</p>
      <div class="answer">${answer(views, plan)}</div>
      ${blocks}
      ${sections.length > 0 && markup`<nav aria-label="sections">${sections.map(({ id, name }) => markup`<a href="#${id}">${name}</a>`)}</nav>`}
    </header>
    ${sections.map(
      ({ id, name, content }) =>
        markup`<section id="${id}">
          <h2>${name}</h2>
          ${content}
        </section>`,
    )}
    <footer>
      Made by gondwana from the records of the study; nothing on this page was written by hand. Means are over
      seeds; intervals are 95 % intervals of the mean by Student’s t, which take runs as independent draws.
    </footer>
  </main>`;
  return page(title, body, charts);
}

interface Section {
  readonly id: string;
  readonly name: string;
  readonly content: HtmlPart;
}

function reportSections(
  views: readonly DatasetView[],
  { repeats, trials }: { readonly repeats: readonly RunRecord[]; readonly trials: readonly RunRecord[] },
  inputs: readonly (Markup | undefined)[],
  charts: ChartCollection,
  options: ReportOptions,
  plan: StoredPlan | undefined,
): Section[] {
  /** The content of a section for each dataset that has any, under its name where there are several. */
  const each = (id: string, name: string, of: (view: DatasetView, i: number) => HtmlPart): Section[] => {
    const parts = views.map((view, i) => ({ view, part: of(view, i) })).filter(({ part }) => !!part);
    const content = parts.map(({ view, part }) =>
      views.length > 1
        ? markup`<h3>${view.dataset}</h3>
            ${part}`
        : part,
    );
    return parts.length === 0 ? [] : [{ id, name, content }];
  };
  const scored = views.filter((view) => view.splits.length > 0);
  const withScores =
    (of: (view: DatasetView) => HtmlPart) =>
    (view: DatasetView): HtmlPart =>
      scored.includes(view) && of(view);
  return [
    ...each(
      'scores',
      'Scores',
      withScores(
        (view) =>
          markup`${meansTable(view)}${view.trained.length > 0 && markup`<div class="charts">${scoreCharts(view).map((spec) => charts.figure(spec))}</div>`}`,
      ),
    ),
    ...(scored.length > 1 ? [{ id: 'all-scores', name: 'All scores', content: allScoresTable(scored) }] : []),
    ...each(
      'differences',
      'Differences',
      withScores((view) => differencesTable(view)),
    ),
    ...each(
      'places',
      'Places',
      withScores((view) => placeParts(view, charts)),
    ),
    ...each(
      'convergence',
      'Convergence',
      (view) =>
        hasCurves(view) &&
        markup`<div class="charts">
          ${(['validationScore', 'trainLoss'] as const).map((measure) => charts.figure(convergenceChart(view.records, { dataset: view.dataset, measure })))}
        </div>`,
    ),
    ...each('images', 'Images', (view) => exampleSection(view, options.artifact)),
    ...each('detections', 'Detections', (view) => detectionSection(view, options.artifact, charts)),
    ...each(
      'classes',
      'Classes',
      withScores((view) => hasClasses(view) && otherScores(view)),
    ),
    ...each(
      'other-scores',
      'Other scores',
      withScores((view) => !hasClasses(view) && otherScores(view)),
    ),
    ...each('methods', 'Methods', (view) =>
      methodsSection(
        view,
        trials.filter(({ definition }) => definition.dataset === view.dataset),
        plan,
      ),
    ),
    ...each('searches', 'Searches', ({ dataset }) => {
      const own = trials.filter(({ definition }) => definition.dataset === dataset);
      return own.length > 0 && trialsTable(own);
    }),
    ...each('inputs', 'Inputs', (_view, i) => inputs[i]),
    ...each('cost', 'Cost', (view) => costsTable(view)),
    {
      id: 'runs',
      name: 'What was run',
      content: [
        views.map(
          (view) =>
            markup`${views.length > 1 && markup`<h3>${view.dataset}</h3>`}${settingsTable(view)}
              <h3>Splits</h3>
              ${splitsTable(view)}
              <h3>Provenance</h3>
              ${provenanceTable(view)}
              <details data-print="open">
                <summary>${counted(view.records.length, 'run')}</summary>
                ${runsTable(view)}
              </details>`,
        ),
        markup`<details>
          <summary>The tidy table</summary>
          ${tidyTable(repeats)}
        </details>`,
      ],
    },
  ];
}

/** Every score but the main one, split by split. */
function otherScores(view: DatasetView): HtmlPart {
  const tables = view.splits.flatMap(({ name }) => {
    const table = classesTable(view, name);
    return table
      ? [
          markup`<h3>${name}</h3>
            ${table}`,
        ]
      : [];
  });
  return tables.length > 0 && tables;
}

/** One chart a split, on one common axis. */
function scoreCharts(view: DatasetView) {
  const domains = view.splits.map(({ name }) =>
    domainOf(scoresChart(view.records, { dataset: view.dataset, split: name })),
  );
  const domain = paddedRange(domains);
  return view.splits.map(({ name }) =>
    scoresChart(view.records, { dataset: view.dataset, split: name, domain }),
  );
}

/** The score axis of a chart as `scoresChart` made it. */
function domainOf(spec: Readonly<Record<string, unknown>>): readonly [number, number] {
  const layers = spec.layer as { encoding: { x: { scale: { domain: [number, number] } } } }[];
  return layers[0]!.encoding.x.scale.domain;
}

const paddedRange = (domains: readonly (readonly [number, number])[]): [number, number] =>
  domains.length === 0
    ? paddedDomain([])
    : [Math.min(...domains.map(([low]) => low)), Math.max(...domains.map(([, high]) => high))];

function placeParts(view: DatasetView, charts: ChartCollection): HtmlPart {
  const splits = view.splits.filter(({ places }) => places.length > 1);
  return (
    splits.length > 0 &&
    splits.map(({ name, places }) => [
      markup`<h3>${name}</h3>`,
      placesTable(view, name, places),
      view.trained.length > 0 &&
        markup`<div class="charts">
          ${charts.figure(scoresChart(view.records, { dataset: view.dataset, split: name, by: 'place' }))}
        </div>`,
    ])
  );
}

const hasCurves = (view: DatasetView): boolean =>
  view.trained.some((arm) => arm.runs.some((run) => run.curve.length > 0));

function answer(views: readonly DatasetView[], plan: StoredPlan | undefined): HtmlPart {
  if (views.length === 0) {
    return markup`<p class="lead">
      No run has finished yet${plan && `, of ${plan.runs.length} planned`}. There is nothing to answer the
      question with.
    </p>`;
  }
  return views.map((view) => {
    const [lead, ...others] = answerInWords(view);
    return markup`<p class="lead">${lead}</p>
      ${others.map((paragraph) => markup`<p>${paragraph}</p>`)}`;
  });
}

function metaLine(plan: StoredPlan | undefined, records: readonly RunRecord[], madeAt: Date): string {
  const name = plan?.study.name ?? records[0]?.study;
  const counts = plan
    ? `${records.length} of ${counted(plan.runs.length, 'run')} finished`
    : `${counted(records.length, 'run')} finished`;
  const mode = [...new Set(records.map((record) => record.definition.mode))].join(' and ');
  const day = madeAt.toISOString().slice(0, 16).replace('T', ' ');
  return [
    name && `Study ${name}`,
    plan?.study.source,
    plan?.quick === true && 'quick version: few seeds and epochs',
    counts,
    mode && `mode ${mode}`,
    `page made ${day} UTC`,
  ]
    .filter(Boolean)
    .join(' · ');
}
