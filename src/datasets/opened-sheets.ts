import { sheetBundle, type Fact } from '../display/sheet.js';
import type { MimeBundle } from '../display/mime.js';
import { datasetSheet } from '../manifests/dataset-sheet.js';
import type { Dataset } from './dataset.js';
import type { Sample, SampleImage, Target } from './sample.js';

/** An open dataset: what its manifest says, its folder, its mode, and which faults are on. */
export function openedBundle({ manifest, root, mode, faults }: Dataset): MimeBundle {
  const sheet = datasetSheet(manifest);
  const isOn = Object.keys(faults).filter((id) => faults[id]);
  const facts: Fact[] = [
    ['folder', root],
    ['mode', mode],
    ['faults that are on', isOn.length > 0 ? isOn : 'none'],
  ];
  return sheetBundle({ ...sheet, facts: [...facts, ...(sheet.facts ?? [])] });
}

/** A sample: its images as they were read, and its truth in a line. */
export const openedSampleBundle = (sample: Sample): MimeBundle =>
  sheetBundle({
    title: sample.id,
    facts: [
      ['split', sample.split],
      ['target', describeTarget(sample.target)],
    ],
    tables: [{ rows: Object.entries(sample.images).map(([modality, image]) => imageRow(modality, image)) }],
  });

export const openedSampleRow = ({ id, split, images, target }: Sample): object => ({
  id,
  split,
  images: Object.keys(images).join(', '),
  target: describeTarget(target),
});

function imageRow(modality: string, image: SampleImage): object {
  const { timeCount, height, width, bands, storedType, valid, crs, dates } = image;
  const known = dates.filter((date) => date !== null);
  return {
    modality,
    times: timeCount,
    height,
    width,
    bands: bands.length,
    stored: storedType,
    'without value %': valid ? (100 * valid.filter((one) => one === 0).length) / valid.length : 0,
    from: known[0] ?? null,
    to: known.at(-1) ?? null,
    crs: crs === null || crs.startsWith('EPSG:') ? crs : 'as text',
  };
}

function describeTarget(target: Target): string {
  switch (target.kind) {
    case 'class':
      return `class ${target.label}`;
    case 'classes':
      return `classes ${target.labels.join(', ')}`;
    case 'mask':
      return `mask of ${target.labels.height} × ${target.labels.width} px, ${new Set(target.labels.data).size} labels`;
    case 'values':
      return `values of ${target.height} × ${target.width} px`;
    case 'boxes':
      return `${target.objects.length} boxes`;
    case 'instances':
      return `${target.objects.length} objects`;
  }
}
