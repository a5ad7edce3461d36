import type { RunRecord } from '../results/run-record.js';
import type { DamagedRecord, StoredPlan } from '../results/store.js';
import { remarks } from '../statistics/remarks.js';
import { counted, markup, type Markup } from './html.js';

/** A run that ended with an error. */
export interface FailedRun {
  /** Id of the run. */
  readonly id: string;
  readonly arm: string;
  readonly seed: number | null;
  readonly message: string;
}

/** What a reader must know before the numbers: runs that are missing, failed, damaged or foreign, and remarks. */
export interface Notices {
  readonly planned: number | undefined;
  readonly blocks: readonly Markup[];
}

export interface NoticeInput {
  /** Records that the page shows. */
  readonly records: readonly RunRecord[];
  /** Records of the store that belong to no run of the plan. */
  readonly foreign: number;
  readonly plan: StoredPlan | undefined;
  readonly damaged: readonly DamagedRecord[];
  readonly failed: readonly FailedRun[];
  /** Faults of the inputs and other sentences. */
  readonly faults: readonly string[];
}

export function notices({ records, foreign, plan, damaged, failed, faults }: NoticeInput): Notices {
  const blocks: Markup[] = [];
  const finished = new Set(records.map((record) => record.id));
  const hasFailed = new Set(failed.map((run) => run.id));
  const datasets = new Map(plan?.runs.map((run) => [run.id, run.definition.dataset]));
  /** The arm, after its dataset where there are several. */
  const nameOf = ({ id, arm }: { readonly id: string; readonly arm: string }): string =>
    new Set(datasets.values()).size > 1 && datasets.has(id) ? `${datasets.get(id)!}, ${arm}` : arm;
  const missing = plan?.runs.filter((run) => !finished.has(run.id) && !hasFailed.has(run.id)) ?? [];
  if (missing.length > 0) {
    const byArm = new Map<string, (number | null)[]>();
    for (const run of missing)
      byArm.set(nameOf(run), [...(byArm.get(nameOf(run)) ?? []), run.definition.seed]);
    const lines = [...byArm].map(([arm, seeds]) => {
      const known = seeds.filter((seed) => seed !== null);
      return known.length === 0
        ? arm
        : `${arm}: ${known.length === 1 ? 'seed' : 'seeds'} ${known.join(', ')}`;
    });
    blocks.push(
      note(
        `${counted(missing.length, 'run')} of ${plan!.runs.length} ${missing.length === 1 ? 'is' : 'are'} missing${records.length > 0 ? '; the numbers below are of the others' : ''}. The command that ran the study, or gondwana resume, completes it.`,
        lines,
      ),
    );
  }
  if (failed.length > 0) {
    blocks.push(
      note(
        `${counted(failed.length, 'run')} failed.`,
        failed.map((run) => `${nameOf(run)}${run.seed === null ? '' : `, seed ${run.seed}`}: ${run.message}`),
      ),
    );
  }
  if (damaged.length > 0) {
    blocks.push(
      note(
        `${counted(damaged.length, 'file')} of the store cannot be read and ${damaged.length === 1 ? 'is' : 'are'} left out.`,
        damaged.map(({ file, reason }) => `${file}: ${reason}`),
      ),
    );
  }
  if (foreign > 0) {
    blocks.push(
      note(
        `${counted(foreign, 'record')} in the store ${foreign === 1 ? 'belongs' : 'belong'} to no run of the present plan (another number of epochs, other data, an earlier version) and ${foreign === 1 ? 'is' : 'are'} left out.`,
        [],
      ),
    );
  }
  const found = remarks(records);
  for (const text of [...faults, ...found.map((remark) => `${remark.dataset}: ${remark.text}`)])
    blocks.push(note(text, []));
  return { planned: plan?.runs.length, blocks };
}

const note = (text: string, lines: readonly string[]): Markup =>
  markup`<div class="note" role="note">
    ${text}${
      lines.length > 0 &&
      markup`<ul>
        ${lines.map((line) => markup`<li>${line}</li>`)}
      </ul>`
    }
  </div>`;
