import { formatNumber, formatSeconds } from '../../display/numbers.js';
import { validationScoreOf } from '../../results/main-score.js';
import type { JsonValue, RunRecord } from '../../results/run-record.js';
import { totalSeconds } from '../../results/total-seconds.js';
import { markup, type Markup } from '../html.js';
import { settingName, settingText } from '../view.js';
import { dataTable } from './table.js';

/** Trials of searches in their order: what was tried and what came of it on the validation split. */
export function trialsTable(trials: readonly RunRecord[]): Markup {
  const names = varying(trials);
  const score = validationScoreOf(trials[0]!);
  return dataTable({
    name: `trials, ${trials[0]!.definition.dataset}`,
    context: markup`${trials[0]!.definition.dataset}; trials look at the validation split alone and are no part
    of the means above, which are those of the best setting, trained anew with the study’s seeds.`,
    columns: [
      { title: 'trial', isNumeric: false },
      ...names.map((name) => ({ title: settingName(name) })),
      { title: 'state', isNumeric: false },
      { title: `validation ${score}` },
      { title: 'epochs' },
      { title: 'seconds' },
      { title: 'run', isNumeric: false },
    ],
    rows: trials.map((run) => [
      run.arm,
      ...names.map((name) => valueText(name, run.definition.settings[name])),
      run.trial?.state ?? '–',
      formatNumber(run.trial?.value, 3),
      run.curve.length,
      formatSeconds(totalSeconds(run)),
      markup`<span class="mono">${run.id}</span>`,
    ]),
  });
}

/** Settings that trials differ in. */
function varying(trials: readonly RunRecord[]): string[] {
  const names = [...new Set(trials.flatMap(({ definition }) => Object.keys(definition.settings)))].sort();
  return names.filter(
    (name) => new Set(trials.map(({ definition }) => JSON.stringify(definition.settings[name]))).size > 1,
  );
}

/** Rates of a search have sixteen digits, of which three tell them apart. */
const valueText = (name: string, value: JsonValue | undefined): string =>
  typeof value === 'number' && !Number.isInteger(value)
    ? value.toPrecision(3)
    : settingText(name, value ?? null);
