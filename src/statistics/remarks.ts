import { groupBy } from '../collections.js';
import { listed } from '../display/words.js';
import type { RunRecord } from '../results/run-record.js';
import { repeatsOf } from './arms.js';

/** Something in a set of records that a reader should know before believing a comparison. */
export interface Remark {
  /** Stable: `EQUAL_OVER_SEEDS`, `EQUAL_INPUTS`, `MIXED_DATA`, `MIXED_ENGINE`, `MIXED_MODE`. */
  readonly code: string;
  readonly text: string;
  readonly dataset: string;
  /** Empty where it is about all arms. */
  readonly arms: readonly string[];
}

/**
 * What is odd about these records, dataset by dataset: seeds that changed nothing, arms that say they
 * normalise differently but fed equal tensors, runs on other data, engines or modes in one comparison.
 */
export function remarks(records: readonly RunRecord[]): Remark[] {
  const found: Remark[] = [];
  for (const [dataset, runs] of groupBy(repeatsOf(records), (record) => record.definition.dataset)) {
    found.push(...equalOverSeeds(dataset, runs), ...equalInputs(dataset, runs), ...mixed(dataset, runs));
  }
  return found;
}

function equalOverSeeds(dataset: string, runs: readonly RunRecord[]): Remark[] {
  const found: Remark[] = [];
  const seeded = runs.filter((run) => run.definition.seed !== null);
  for (const [arm, ofArm] of groupBy(seeded, (run) => run.arm)) {
    for (const alike of groupBy(ofArm.filter(hasScores), scoresText).values()) {
      const seeds = [...new Set(alike.map((run) => run.definition.seed!))].sort((a, b) => a - b);
      if (seeds.length < 2) continue;
      const text =
        `Seeds ${listed(seeds.map(String))} of “${arm}” gave exactly equal scores. ` +
        'Either nothing in this arm is random, or the seed is not used; its interval says nothing.';
      found.push({ code: 'EQUAL_OVER_SEEDS', text, dataset, arms: [arm] });
    }
  }
  return found;
}

const scoresText = (run: RunRecord): string =>
  run.scores
    .map((row) => [row.split, row.place, row.evaluation, row.metric, row.className, row.value].join('\t'))
    .join('\n');

/** Supports are counts of the truth: equal by design, so they alone prove nothing. */
const hasScores = (run: RunRecord): boolean =>
  run.scores.some((row) => row.metric !== 'support' && row.value !== null);

function equalInputs(dataset: string, runs: readonly RunRecord[]): Remark[] {
  const withInputs = runs.filter(
    (run) => run.inputs.length > 0 && run.definition.settings.normalization !== undefined,
  );
  const found: Remark[] = [];
  for (const alike of groupBy(withInputs, (run) => JSON.stringify(run.inputs)).values()) {
    const normalizations = new Set(alike.map((run) => JSON.stringify(run.definition.settings.normalization)));
    if (normalizations.size < 2) continue;
    const arms = [...new Set(alike.map((run) => run.arm))];
    const text = `${listed(arms.map((arm) => `“${arm}”`))} name different normalisations, but their inputs have equal mean and spread in every band.`;
    found.push({ code: 'EQUAL_INPUTS', text, dataset, arms });
  }
  return found;
}

function mixed(dataset: string, runs: readonly RunRecord[]): Remark[] {
  const found: Remark[] = [];
  const check = (code: string, what: string, of: (run: RunRecord) => string): void => {
    const kinds = new Set(runs.map(of));
    if (kinds.size < 2) return;
    const text = `These runs were made with ${kinds.size} different ${what}; their scores are not strictly comparable.`;
    found.push({ code, text, dataset, arms: [] });
  };
  check('MIXED_DATA', 'versions of the data', (run) => run.dataHash);
  check('MIXED_MODE', 'modes (corrected, as-published)', (run) => run.definition.mode);
  check('MIXED_ENGINE', 'engines, processor types or thread counts', ({ engine }) =>
    [engine.name, engine.library, engine.device, engine.threads, engine.processor].join('\t'),
  );
  return found;
}
