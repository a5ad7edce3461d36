import { formatNumber } from '../../display/numbers.js';
import { readBenchmarkManifest } from '../../manifests/benchmark-manifest.js';
import type { JsonValue } from '../../results/run-record.js';
import { armSummary } from '../../statistics/arms.js';
import type { Markup } from '../html.js';
import { mainQuery, scoreDecimals, type DatasetView } from '../view.js';
import { dataTable, exact, type TableFilter } from './table.js';

/** Main scores of every arm on every dataset and split, for a reader to choose from by capability, model and modality. */
export function allScoresTable(views: readonly DatasetView[]): Markup {
  const rows = views.flatMap((view) =>
    view.splits.flatMap(({ name: split }) =>
      view.arms.map((arm) => {
        const { mean, halfWidth, count } = armSummary(arm, mainQuery(view, split));
        const decimals = scoreDecimals(view.records, view.metric);
        return [
          arm.name,
          view.dataset,
          split,
          view.metric,
          exact(mean, decimals),
          halfWidth === null ? '–' : `± ${formatNumber(halfWidth, decimals)}`,
          count,
          arm.encoder,
          arm.decoder,
          words(arm.settings.encoderMode),
          words(arm.settings.modalities),
        ];
      }),
    ),
  );
  return dataTable({
    name: 'all scores',
    context: 'Means over seeds; ±: half the 95 % interval of the mean (Student’s t).',
    filters: [
      ...capabilityFilter(views.map(({ dataset }) => dataset)),
      { label: 'Dataset', column: 1 },
      { label: 'Split', column: 2 },
      { label: 'Model', column: 7 },
      { label: 'Decoder', column: 8 },
      { label: 'Modality', column: 10 },
    ],
    columns: [
      { title: 'arm' },
      ...['dataset', 'split', 'metric'].map((title) => ({ title, isNumeric: false })),
      { title: 'mean' },
      { title: '95 %' },
      { title: 'runs' },
      ...['encoder', 'decoder', 'encoder mode', 'modality'].map((title) => ({ title, isNumeric: false })),
    ],
    rows,
  });
}

const words = (value: JsonValue | undefined): string => (typeof value === 'string' && value ? value : '–');

/** GEO-Bench-2's capabilities that have one of the datasets. */
function capabilityFilter(datasets: readonly string[]): TableFilter[] {
  const { capabilities } = readBenchmarkManifest('geobench2');
  const known = Object.entries(capabilities).filter(([, own]) => own.some((id) => datasets.includes(id)));
  return known.length === 0 ? [] : [{ label: 'Capability', column: 1, groups: Object.fromEntries(known) }];
}
