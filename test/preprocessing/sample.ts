import { sampleImage, type ImageParts } from '../../src/datasets/image.js';
import type { Sample, SampleImage, Target } from '../../src/datasets/sample.js';
import { readDatasetManifest, type DatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { stepContext, type PreprocessOptions, type StepContext } from '../../src/preprocessing/step.js';

/** [time, height, width, band] of numbers, with what is given beside them. */
export const image = (parts: Omit<ImageParts, 'data'> & { readonly data: readonly number[] }): SampleImage =>
  sampleImage({ ...parts, data: Float32Array.from(parts.data) });

export const sample = (
  images: Readonly<Record<string, SampleImage>>,
  target: Target = { kind: 'class', label: 0 },
  facts: Sample['facts'] = {},
): Sample => ({ id: 'a', split: 'train', facts, images, target });

/** A mask of rows. */
export function mask(rows: readonly (readonly number[])[]): Extract<Target, { kind: 'mask' }> {
  const labels = { data: Int16Array.from(rows.flat()), height: rows.length, width: rows[0]!.length };
  return { kind: 'mask', labels, stored: labels };
}

export function values(rows: readonly (readonly number[])[]): Extract<Target, { kind: 'values' }> {
  return {
    kind: 'values',
    values: Float32Array.from(rows.flat()),
    height: rows.length,
    width: rows[0]!.length,
    valid: null,
  };
}

/** Numbers 0, 1, 2, … of one band. */
export const ramp = (height: number, width: number, more: Partial<ImageParts> = {}): SampleImage =>
  image({
    height,
    width,
    bands: ['B4'],
    ...more,
    data: Array.from({ length: height * width }, (_, at) => at),
  });

export const context = (options: PreprocessOptions = {}): StepContext => stepContext(options);

/** An opened dataset as far as preprocessing asks for it. */
export function dataset(
  id: string,
  faults: Readonly<Record<string, boolean>> = {},
  change: (manifest: DatasetManifest) => DatasetManifest = (manifest) => manifest,
): NonNullable<PreprocessOptions['dataset']> {
  return { id, manifest: change(readDatasetManifest(id)), mode: 'corrected', faults };
}

export const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'nothing was thrown';
};
