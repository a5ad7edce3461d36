import { formatCount, formatNumber, formatSeconds } from '../../display/numbers.js';
import { listed } from '../../display/words.js';
import type { InputCheck, RunRecord } from '../../results/run-record.js';
import { totalSeconds } from '../../results/total-seconds.js';
import type { Arm } from '../../statistics/arms.js';
import { mean } from '../../statistics/summary.js';
import { markup, type HtmlPart, type Markup } from '../html.js';
import { runCount, settingName, settingText, type DatasetView } from '../view.js';
import { dataTable } from './table.js';

const PHASES = ['prepare', 'features', 'train', 'validate', 'evaluate'];

/** Parameters, multiply–adds, seconds by phase and memory of each arm. */
export function costsTable(view: DatasetView): Markup {
  const phases = [
    ...new Set([...PHASES, ...view.records.flatMap((record) => Object.keys(record.cost.seconds))]),
  ].filter((phase) => view.records.some((record) => record.cost.seconds[phase] !== undefined));
  const isCounted = view.records.some(({ cost }) => cost.multiplyAdds);
  const average = (arm: Arm, of: (run: RunRecord) => number | undefined): number | null =>
    mean(arm.runs.map(of));
  return dataTable({
    name: `costs, ${view.dataset}`,
    context: markup`${view.dataset}; ${runCount(view.arms)}. Seconds are means over the runs of an arm; memory
    is the largest that the process held during any of them.`,
    groups: [
      { title: '', span: 1 },
      { title: 'parameters', span: 2 },
      ...(isCounted ? [{ title: '10⁹ multiply–adds an input', span: 2 }] : []),
      { title: 'seconds a run', span: phases.length + 1 },
      { title: '', span: 1 },
    ],
    columns: [
      { title: 'arm' },
      { title: 'all' },
      { title: 'trained' },
      ...(isCounted ? [{ title: 'encoder' }, { title: 'decoder' }] : []),
      ...phases.map((title) => ({ title })),
      { title: 'total' },
      { title: 'memory' },
    ],
    rows: view.arms.map((arm) => {
      const { parameters, trainableParameters, multiplyAdds } = arm.runs[0]!.cost;
      const memory = Math.max(...arm.runs.map((run) => run.cost.peakResidentBytes));
      return [
        arm.name,
        formatCount(parameters),
        formatCount(trainableParameters),
        ...(isCounted ? [billions(multiplyAdds?.encoder), billions(multiplyAdds?.decoder)] : []),
        ...phases.map((phase) =>
          formatNumber(hasPhase(arm, phase) ? average(arm, (run) => run.cost.seconds[phase]) : null, 1),
        ),
        formatNumber(average(arm, totalSeconds), 1),
        `${formatCount(Math.round(memory / 2 ** 20))} MiB`,
      ];
    }),
    ruleBefore: view.trained.length,
  });
}

const billions = (count: number | undefined): string =>
  count === undefined ? '–' : String(Number((count / 1e9).toPrecision(3)));

/** Only a frozen encoder gives features once, to be kept. */
const hasPhase = (arm: Arm, phase: string): boolean =>
  phase !== 'features' || arm.settings.encoderMode === undefined || arm.settings.encoderMode === 'frozen';

/** A z-scored band is taken as right when its mean and its spread are this near to 0 and 1. */
const TOLERANCE = 0.05;

/** Mean and spread of every band as the encoder of each arm received them. */
export function inputsTable(view: DatasetView): { table: Markup; faults: readonly string[] } | undefined {
  const arms = view.trained.filter((arm) => arm.runs.some((run) => run.inputs.length > 0));
  if (arms.length === 0) return undefined;
  const bands = [
    ...new Set(arms.flatMap((arm) => arm.runs.flatMap((run) => run.inputs.map((input) => input.band)))),
  ];
  const faults: string[] = [];
  const rows = arms.map((arm): HtmlPart[] => {
    const inputs = bands.map((band) => averaged(arm, band));
    const isScaled = arm.settings.normalization === 'z-score';
    const wrong = isScaled ? inputs.filter((input) => input && isOff(input)) : [];
    if (wrong.length > 0) {
      faults.push(
        `The inputs of “${arm.name}” are said to be z-scored, but ${listed(wrong.map((input) => `${input!.band} has mean ${formatNumber(input!.mean, 3)} and spread ${formatNumber(input!.standardDeviation, 3)}`))}, not 0 and 1.`,
      );
    }
    const verdict = !isScaled
      ? 'not z-scored'
      : wrong.length > 0
        ? markup`<strong>not near 0 and 1</strong>`
        : 'near 0 and 1';
    const cells = inputs.flatMap((input) => [
      formatNumber(input?.mean, 3),
      formatNumber(input?.standardDeviation, 3),
    ]);
    return [arm.name, ...cells, verdict];
  });
  const table = dataTable({
    name: `inputs, ${view.dataset}`,
    context: markup`${view.dataset}, train split, as the encoder received it after normalisation;
    ${runCount(arms)}. Near 0 and 1: within ${TOLERANCE}.`,
    groups: [{ title: '', span: 1 }, ...bands.map((title) => ({ title, span: 2 })), { title: '', span: 1 }],
    columns: [
      { title: 'arm' },
      ...bands.flatMap(() => [{ title: 'mean' }, { title: 'spread' }]),
      { title: 'check', isNumeric: false },
    ],
    rows,
  });
  return { table, faults };
}

const isOff = (input: InputCheck): boolean =>
  !(Math.abs(input.mean) <= TOLERANCE && Math.abs(input.standardDeviation - 1) <= TOLERANCE);

function averaged(arm: Arm, band: string): InputCheck | undefined {
  const inputs = arm.runs.flatMap((run) => run.inputs.filter((input) => input.band === band));
  if (inputs.length === 0) return undefined;
  const of = (key: 'mean' | 'standardDeviation'): number =>
    mean(inputs.map((input) => input[key])) ?? Number.NaN;
  return { band, mean: of('mean'), standardDeviation: of('standardDeviation') };
}

/** Samples that the runs counted in each split, and pixels where each has an answer. */
export function splitsTable(view: DatasetView): Markup {
  const splits = [...new Set(view.records.flatMap((record) => Object.keys(record.counts)))];
  const isDense = view.answerNoun !== 'image';
  const range = (split: string, key: 'samples' | 'pixels'): string => {
    const values = [...new Set(view.records.flatMap((record) => record.counts[split]?.[key] ?? []))].sort(
      (a, b) => a - b,
    );
    return values.length > 2
      ? `${formatCount(values[0]!)} to ${formatCount(values.at(-1)!)}`
      : values.map(formatCount).join(' or ') || '–';
  };
  return dataTable({
    name: `splits, ${view.dataset}`,
    context: markup`${view.dataset}; counted by ${runCount(view.arms)}, not copied from the manifest. More than
    one number: runs counted differently.`,
    columns: [{ title: 'split' }, { title: 'samples' }, ...(isDense ? [{ title: 'pixels' }] : [])],
    rows: splits.map((split) => [
      split,
      range(split, 'samples'),
      ...(isDense ? [range(split, 'pixels')] : []),
    ]),
  });
}

/** Settings of every arm; those that no two arms differ in stand once, above. */
export function settingsTable(view: DatasetView): Markup {
  const names = [...new Set(view.trained.flatMap((arm) => Object.keys(arm.settings)))].sort();
  const valueOf = (arm: Arm, name: string): string => {
    const value = arm.settings[name];
    return value === undefined ? '–' : settingText(name, value);
  };
  const differs = (name: string): boolean => new Set(view.trained.map((arm) => valueOf(arm, name))).size > 1;
  const columns = names.filter(differs);
  const same = names.filter((name) => !differs(name));
  return markup` ${view.trained.length > 0 && same.length > 0 && markup`<p>In every learned arm: ${listed(same.map((name) => sameText(settingName(name), valueOf(view.trained[0]!, name))))}.</p>`}
  ${dataTable({
    name: `settings, ${view.dataset}`,
    context: markup`${view.dataset}; ${runCount(view.arms)}. Trivial predictors have no such settings.`,
    columns: [
      { title: 'arm' },
      ...['encoder', 'decoder', ...columns.map(settingName)].map((title) => ({ title, isNumeric: false })),
    ],
    rows: view.arms.map((arm) => [
      arm.name,
      arm.encoder,
      arm.decoder,
      ...columns.map((name) => valueOf(arm, name)),
    ]),
    ruleBefore: view.trained.length,
  })}`;
}

/** `epochs 6`, but `no normalisation` alone. */
const sameText = (name: string, value: string): string => (value.endsWith(name) ? value : `${name} ${value}`);

/** Everything that must be known to make the runs again; equal values stand once. */
export function provenanceTable(view: DatasetView): Markup {
  const facts: [string, (record: RunRecord) => string | number | null | undefined][] = [
    ['data (sha256)', (record) => record.dataHash],
    ['data manifest (sha256)', (record) => record.definition.datasetManifest],
    ['weights (sha256)', (record) => record.definition.weights],
    ['encoder', (record) => record.definition.encoder],
    ['decoder', (record) => record.definition.decoder],
    ['mode', (record) => record.definition.mode],
    ['seeds', (record) => record.definition.seed],
    ['numerics revision', (record) => record.definition.revision],
    ['engine', ({ engine }) => `${engine.name}, ${engine.library}, ${engine.api}`],
    ['device', ({ engine }) => engine.device],
    ['threads', ({ engine }) => engine.threads],
    ['processor', ({ engine }) => engine.processor],
    ['engine notices', ({ engine }) => engine.notices.join(' ') || undefined],
    ...versionNames(view).map((name): [string, (record: RunRecord) => string | undefined] => [
      name,
      (record) => record.versions[name],
    ]),
    ['made', (record) => record.finishedAt.slice(0, 10)],
  ];
  return dataTable({
    name: `provenance, ${view.dataset}`,
    context: markup`${view.dataset}; ${runCount(view.arms)}.`,
    columns: [{ title: 'what' }, { title: 'value', isNumeric: false }],
    rows: facts.flatMap(([what, of]) => {
      const values = [...new Set(view.records.map(of))].filter(
        (value) => value !== null && value !== undefined,
      );
      const learned = view.records.filter(({ definition }) => definition.seed !== null).map(of);
      const isOfArms = what === 'encoder' || what === 'decoder';
      const text = values.filter((value) => !isOfArms || learned.includes(value)).join(', ');
      const trivial = values.filter((value) => isOfArms && !learned.includes(value)).join(', ');
      const note =
        trivial && (text ? ` (${trivial}: trivial predictors)` : `${trivial} (trivial predictors)`);
      return values.length === 0 ? [] : [[what, markup`<span class="mono">${text}${note}</span>`]];
    }),
  });
}

const versionNames = (view: DatasetView): string[] => [
  ...new Set(view.records.flatMap((record) => Object.keys(record.versions))),
];

/** Every run: seed, chosen epoch, seconds, attempt. */
export function runsTable(view: DatasetView): Markup {
  return dataTable({
    name: `runs, ${view.dataset}`,
    filters: [{ label: 'Arm', column: 0 }],
    context: markup`${view.dataset}; ${runCount(view.arms)}.`,
    columns: [
      { title: 'arm' },
      { title: 'seed', isRising: true },
      { title: 'chosen epoch' },
      { title: 'epochs' },
      { title: 'seconds' },
      { title: 'finished', isNumeric: false },
      { title: 'run', isNumeric: false },
    ],
    rows: view.arms.flatMap((arm) =>
      arm.runs.map((run) => [
        arm.name,
        run.definition.seed ?? '–',
        run.selectedEpoch ?? '–',
        run.curve.length || '–',
        formatSeconds(totalSeconds(run)),
        run.finishedAt.replace('T', ' ').slice(0, 19),
        markup`<span class="mono">${run.id}</span>`,
      ]),
    ),
  });
}
