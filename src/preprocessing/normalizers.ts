import { changeValues, statisticsJson, type Change, type Linear } from './band-values.js';
import { bandNumbers, type StatisticsOptions } from './statistics.js';
import { badOption, mapImages, type PreprocessingStep } from './step.js';

export interface NormalizerOptions extends StatisticsOptions {
  /** Which modalities. Default all. */
  readonly modalities?: readonly string[];
}

export interface ZScoreOptions extends NormalizerOptions {
  /** Added to the spread. Default 0. */
  readonly epsilon?: number;
}

/**
 * (x − mean) / (spread + epsilon) of each band, the same at every date unless the statistics have dates. A band of spread
 * 0 is only shifted.
 * @throws UsageError STEP_OPTION; when applied InputError STATISTICS_MISSING
 */
export function zScore(options: ZScoreOptions = {}): PreprocessingStep {
  const name = 'z-score';
  const { epsilon = 0, modalities } = options;
  if (!(epsilon >= 0)) throw badOption(name, 'epsilon', epsilon, 'a number from 0 on');
  const scale = (spread: number): number => spread + epsilon || 1;
  return {
    name,
    options: { ...statisticsJson(options), epsilon, modalities: modalities ?? null },
    isRandom: false,
    normalizes: true,
    apply: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const mean = bandNumbers(image, modality, 'mean', options, context);
        const spread = bandNumbers(image, modality, 'std', options, context);
        const change = (time: number, band: number): Linear => ({
          shift: mean(time, band),
          scale: scale(spread(time, band)),
        });
        return changeValues(image, change, { by: name, expects: 'standard' });
      }),
    inverse: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const mean = bandNumbers(image, modality, 'mean', options, context);
        const spread = bandNumbers(image, modality, 'std', options, context);
        return changeValues(image, (time, band) => {
          const [shift, factor] = [mean(time, band), scale(spread(time, band))];
          return (value) => value * factor + shift;
        });
      }),
  };
}

export interface MinMaxOptions extends NormalizerOptions {
  /** What the least and the greatest become. Default 0 … 1. Values beyond them are not clipped. */
  readonly range?: readonly [number, number];
}

/**
 * (x − min) / (max − min) of each band, onto a range. A band with one value only is shifted.
 * @throws UsageError STEP_OPTION; when applied InputError STATISTICS_MISSING
 */
export function minMax(options: MinMaxOptions = {}): PreprocessingStep {
  const name = 'min-max';
  const { range = [0, 1], modalities } = options;
  const [low, high] = range;
  if (!(low < high)) throw badOption(name, 'range', range, 'two numbers, least first');
  return {
    name,
    options: { ...statisticsJson(options), range, modalities: modalities ?? null },
    isRandom: false,
    normalizes: true,
    apply: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const min = bandNumbers(image, modality, 'min', options, context);
        const max = bandNumbers(image, modality, 'max', options, context);
        const change = (time: number, band: number): Change | Linear => {
          const shift = min(time, band);
          const width = max(time, band) - shift || 1;
          if (low === 0 && high === 1) return { shift, scale: width };
          return (value) => ((value - shift) / width) * (high - low) + low;
        };
        return changeValues(image, change, { by: name, expects: range });
      }),
    inverse: (sample, context) =>
      mapImages(sample, modalities, (image, modality) => {
        const min = bandNumbers(image, modality, 'min', options, context);
        const max = bandNumbers(image, modality, 'max', options, context);
        return changeValues(image, (time, band) => {
          const shift = min(time, band);
          const width = max(time, band) - shift || 1;
          return (value) => ((value - low) / (high - low)) * width + shift;
        });
      }),
  };
}

/** Says that images stay as they are on purpose, so that no normalisation is missed. */
export function noNormalization({
  modalities,
}: { readonly modalities?: readonly string[] } = {}): PreprocessingStep {
  const name = 'none';
  return {
    name,
    options: { modalities: modalities ?? null },
    isRandom: false,
    normalizes: true,
    apply: (sample) =>
      mapImages(sample, modalities, (image) => ({ ...image, normalization: { by: name, expects: null } })),
    inverse: (sample) => mapImages(sample, modalities, ({ normalization: _, ...image }) => image),
  };
}
