import { wrongOption } from './check-options.js';
import { isMissing, mean, type Score } from './summary.js';

/**
 * Training until the best validation score at each size of the training set, relative to that at a reference size
 * (GEO-Bench, section 5.4): a model's steps or samples seen divided by the mean over its seeds at the reference, then the
 * mean over models and seeds.
 * @param steps [model][seed][size]; missing ones are left out
 * @param reference position of the reference size
 * @returns one number a size; null where no model has both
 * @throws UsageError STATISTIC_OPTION
 */
export function relativeConvergence(
  steps: readonly (readonly (readonly Score[])[])[],
  reference: number,
): (number | null)[] {
  const sizes = Math.max(0, ...steps.flat().map((row) => row.length));
  if (sizes > 0 && !(Number.isInteger(reference) && reference >= 0 && reference < sizes))
    throw wrongOption('reference', reference, `a position from 0 to ${sizes - 1}`);
  const unit = steps.map((seeds) => mean(seeds.map((row) => row[reference])));
  return Array.from({ length: sizes }, (_, size) =>
    mean(
      steps.flatMap((seeds, model) =>
        seeds.map((row) => (isMissing(row[size]) || !unit[model] ? null : row[size] / unit[model])),
      ),
    ),
  );
}
