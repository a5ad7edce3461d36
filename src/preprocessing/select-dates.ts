import { evenPlaces } from '../datasets/even-places.js';
import type { Sample } from '../datasets/sample.js';
import { takeSteps } from '../datasets/take-steps.js';
import { badOption, mapImages, type PreprocessingStep } from './step.js';

export interface SelectDatesOptions {
  /** Dates of each modality; not needed for `all`. */
  readonly count?: number;
  /**
   * `even`: spread from the first to the last, fractions cut off. `first`: from the first on. `last`: up to the last.
   * `all`: as they are, or filled up to `count`. Default `even`.
   */
  readonly rule?: 'even' | 'first' | 'last' | 'all';
  /** Series with fewer dates: `repeat` some, or `pad` with masked zeros at the end. Default `pad`; `even` repeats. */
  readonly short?: 'repeat' | 'pad';
  readonly modalities?: readonly string[];
}

/** Names of series in the facts of samples, by modality. */
const SERIES: Readonly<Record<string, string>> = { optical: 's2', sar: 's1a' };

/**
 * Takes dates of the series of a sample, each modality by itself. With the fault `shuffled-dates`, a long series of
 * PASTIS-R gives the six dates that were drawn for it, in the order drawn.
 * @throws UsageError STEP_OPTION, MODALITY_UNKNOWN
 */
export function selectDates(options: SelectDatesOptions): PreprocessingStep {
  const name = 'select-dates';
  const { count, rule = 'even', modalities } = options;
  const short = options.short ?? (rule === 'even' ? 'repeat' : 'pad');
  if (count === undefined ? rule !== 'all' : !(Number.isInteger(count) && count >= 1))
    throw badOption(name, 'count', count ?? null, 'a whole number from 1 on');
  return {
    name,
    options: { count: count ?? null, rule, short, modalities: modalities ?? null },
    isRandom: false,
    apply: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const drawn =
          rule === 'even' && context.isOn('shuffled-dates') ? drawnDates(sample, modality) : undefined;
        if (drawn && drawn.length === count) return takeSteps(image, drawn);
        return takeSteps(image, places(image.timeCount, count ?? image.timeCount, rule, short));
      }),
  };
}

function places(
  there: number,
  wanted: number,
  rule: 'even' | 'first' | 'last' | 'all',
  short: 'repeat' | 'pad',
): (number | null)[] {
  if (there < wanted && short === 'pad')
    return Array.from({ length: wanted }, (_, at) => (at < there ? at : null));
  if (rule === 'even') return evenPlaces(there, wanted);
  if (rule === 'all' && there > wanted) return Array.from({ length: there }, (_, at) => at);
  const start = rule === 'last' ? Math.max(0, there - wanted) : 0;
  return Array.from({ length: wanted }, (_, at) => Math.min(there - 1, start + at));
}

function drawnDates({ facts }: Sample, modality: string): readonly number[] | undefined {
  const drawn = facts['drawn6'] as Readonly<Record<string, readonly number[]>> | undefined;
  return drawn?.[modality] ?? drawn?.[SERIES[modality] ?? ''];
}

/**
 * Samples of one batch with series of equal length: every modality is filled with masked zeros at the end, up to the
 * longest series of any modality of any sample (PANGAEA). To be used after normalising, where zero is the mean.
 */
export function padDates(samples: readonly Sample[]): Sample[] {
  const longest = Math.max(
    0,
    ...samples.flatMap(({ images }) => Object.values(images).map(({ timeCount }) => timeCount)),
  );
  return samples.map((sample) =>
    mapImages(sample, undefined, (image) => takeSteps(image, places(image.timeCount, longest, 'all', 'pad'))),
  );
}
