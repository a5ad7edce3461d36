import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import type { RankGroups } from '../../statistics/rank-groups.js';
import { toSpec } from './chart.js';
import {
  labelledRows,
  MAXIMUM_MODELS,
  models,
  requireSome,
  rowEncoding,
  rowLabels,
  rowsHeight,
  someOf,
} from './rows.js';

/**
 * Critical-difference diagram, a row a model: a dot for the average rank, and beside the dots a line over every set of models
 * that are not told apart.
 * @throws InputError CHART_INPUT where no model has every dataset
 */
export function criticalDifferenceChart(
  groups: RankGroups,
  options: { readonly of?: string } = {},
): ChartSpec {
  const { of = `${groups.datasets} ${groups.datasets === 1 ? 'dataset' : 'datasets'}` } = options;
  requireSome(groups.models, 'no model has every dataset', 'Pass what rankGroups() gives.');
  const drawn = groups.models.slice(0, MAXIMUM_MODELS);
  const first = drawn[0]!.model;
  const groupsText = (model: string): string =>
    groups.groups.flatMap((group, i) => (group.includes(model) ? [`${i + 1}`] : [])).join(', ') || 'none';
  return toSpec({
    title: titleOf(groups, first, of),
    context: `Average rank of ${models(groups.models.length)} over ${groups.datasets} datasets, 1 is best. Line: not told apart (signed-rank tests, Holm, ${groups.alpha})`,
    notes: [
      ...(groups.leftOut.length > 0
        ? [
            `${models(groups.leftOut.length, ['lacks a dataset and is', 'lack a dataset and are'])} left out: ${someOf(groups.leftOut)}.`,
          ]
        : []),
      ...(groups.models.length > 1 && !groups.canTell
        ? ['So few datasets cannot tell any two of so many models apart.']
        : []),
      ...(groups.models.length > drawn.length
        ? [`The first ${drawn.length} of ${models(groups.models.length)} are drawn.`]
        : []),
    ],
    description: `Average ranks of ${models(groups.models.length)} on ${of} and which of them are not told apart.`,
    rows: groups.models.map(({ model, averageRank }) => ({ model, averageRank, groups: groupsText(model) })),
    body: body(drawn, groups.groups, groupsText),
  });
}

function titleOf({ models: ranked, groups }: RankGroups, first: string, of: string): string {
  if (ranked.length === 1) return `${first} alone is ranked on ${of}`;
  const alike = groups.find((group) => group.includes(first))?.filter((model) => model !== first) ?? [];
  if (alike.length === ranked.length - 1) return `Average ranks on ${of} tell no model apart from ${first}`;
  const tie = alike.length === 0 ? 'apart from all others' : `not told apart from ${someOf(alike, 1)}`;
  return `${first} has the best average rank on ${of}, ${tie}`;
}

function body(
  ranked: RankGroups['models'],
  groups: RankGroups['groups'],
  groupsText: (model: string) => string,
): ChartSpec {
  const names = ranked.map(({ model }) => model);
  const labels = rowLabels(names);
  const y = rowEncoding('model', names, labelledRows(labels));
  const worst = Math.max(2, Math.ceil(Math.max(...ranked.map(({ averageRank }) => averageRank))));
  const lane = (worst - 1) * 0.05;
  const lines = inLanes(groups, names).map((line) => ({ ...line, at: worst + lane * (line.lane + 1.5) }));
  const end = Math.max(worst, ...lines.map(({ at }) => at)) + lane;
  const step = Math.ceil(worst / 8);
  const x = {
    type: 'quantitative',
    title: 'average rank',
    scale: { domain: [1 - lane, end], nice: false, zero: false },
    axis: {
      grid: false,
      format: 'd',
      values: Array.from({ length: worst }, (_, i) => i + 1).filter((rank) => (rank - 1) % step === 0),
    },
  };
  return {
    height: rowsHeight(labels, 20),
    layer: [
      {
        data: {
          values: ranked.map(({ model, averageRank }) => ({
            model,
            averageRank,
            text: formatNumber(averageRank, 3),
            groups: groupsText(model),
          })),
        },
        mark: { type: 'point', style: 'strong', filled: true, size: 50, opacity: 1 },
        encoding: {
          x: { ...x, field: 'averageRank' },
          y,
          tooltip: [{ field: 'model' }, { field: 'text', title: 'average rank' }, { field: 'groups' }],
        },
      },
      ...(lines.length === 0
        ? []
        : [
            {
              data: { values: lines },
              mark: { type: 'rule', style: 'on-faint', strokeWidth: 4, strokeCap: 'round' },
              encoding: {
                x: { ...x, field: 'at' },
                y: { ...y, field: 'from' },
                y2: { field: 'to' },
                tooltip: [{ field: 'text', title: 'not told apart' }],
              },
            },
          ]),
    ],
  };
}

/** Lines over groups, those that share a row beside each other. */
function inLanes(groups: RankGroups['groups'], names: readonly string[]) {
  const ends: number[] = [];
  return groups.flatMap((group) => {
    const rows = group.map((model) => names.indexOf(model)).filter((row) => row >= 0);
    if (rows.length < 2) return [];
    const [from, to] = [rows[0]!, rows.at(-1)!];
    const free = ends.findIndex((end) => end < from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = to;
    return [{ from: names[from]!, to: names[to]!, lane, text: someOf(group, 6) }];
  });
}
