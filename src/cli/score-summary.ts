import { formatNumber } from '../display/numbers.js';
import type { RunRecord } from '../results/run-record.js';
import { totalSeconds } from '../results/table.js';
import { meanInterval } from '../statistics/summary.js';

/** One arm: mIoU a split and evaluation, as `0.671 ± 0.021` (95 % interval of the mean over seeds). */
export type SummaryRow = Readonly<Record<string, string | number | null>>;

/** The table that a terminal shows at the end; the tidy table with every number is in the report's CSV. */
export function summarizeScores(records: readonly RunRecord[]): SummaryRow[] {
  const arms = new Map<string, RunRecord[]>();
  for (const record of records) arms.set(record.arm, [...(arms.get(record.arm) ?? []), record]);
  const columns = new Set(records.flatMap((record) => record.scores.filter(isOverall).map(columnOf)));
  return [...arms].map(([arm, runs]) => {
    const row: Record<string, string | number | null> = { arm, runs: runs.length };
    for (const column of columns) {
      const values = runs.map(
        (run) => run.scores.find((score) => isOverall(score) && columnOf(score) === column)?.value,
      );
      const { mean, halfWidth } = meanInterval(values);
      row[column] =
        halfWidth === null
          ? formatNumber(mean, 3)
          : `${formatNumber(mean, 3)} ± ${formatNumber(halfWidth, 3)}`;
    }
    row['seconds a run'] = Math.round(meanInterval(runs.map(totalSeconds)).mean ?? 0);
    return row;
  });
}

type Score = RunRecord['scores'][number];

const isOverall = (score: Score): boolean =>
  score.metric === 'mIoU' && score.place === 'all' && score.className === null;

const columnOf = ({ split, evaluation }: Score): string =>
  evaluation === 'tiles' ? `${split} mIoU` : `${split} mIoU, sliding window`;
