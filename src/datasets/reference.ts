import type { Dataset } from './dataset.js';
import { fillInvalid } from './image.js';
import type { SampleImage } from './sample.js';

/** Whether a fault that a manifest may list is on; one it does not list is off. */
const isOn = ({ faults }: Dataset, id: string): boolean => faults[id] ?? false;

/**
 * Names by which a modality's bands are matched with an encoder's: what they hold, or with the fault `band-names`
 * what the reference takes them for. In the order of the image's bands.
 */
export function bandNames(dataset: Dataset, modality: string): readonly string[] {
  const bands = dataset.manifest.modalities[modality]?.bands ?? [];
  return bands.map(({ id, reference }) => (isOn(dataset, 'band-names') ? reference : id));
}

/** The image as the reference feeds it on: with the fault `invalid-filled` its value stands where none is. */
export function asFed(dataset: Dataset, modality: string, image: SampleImage): SampleImage {
  const fill = dataset.manifest.modalities[modality]?.referenceFill ?? null;
  return fill !== null && isOn(dataset, 'invalid-filled') ? fillInvalid(image, fill) : image;
}

/** Values of the target that losses and metrics leave out: those without a label, and void classes unless `void-scored` is on. */
export function ignoredLabels(dataset: Dataset): readonly number[] {
  const { ignoreIndex, voidClasses } = dataset.manifest.labels;
  const ignored = isOn(dataset, 'void-scored') ? [] : [...voidClasses];
  return ignoreIndex === null ? ignored : [...new Set([ignoreIndex, ...ignored])];
}
