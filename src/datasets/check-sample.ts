import { GondwanaError, InputError } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { LabelArray } from '../io/raster.js';
import type { SampleParts } from './sample.js';

/**
 * What a user's own dataset returns, whose code no compiler may have seen: arrays are as long as they say.
 * @throws InputError SAMPLE_INVALID with the member and both lengths
 */
export function checkSample(
  parts: SampleParts,
  { id, modalities }: Pick<DatasetManifest, 'id' | 'modalities'>,
  sample: string,
): void {
  const refuse = (member: string, what: string): never => {
    throw new InputError('SAMPLE_INVALID', `${member} of the sample ${sample} ${what}.`, {
      where: `dataset ${id}, what \`read\` returns`,
      hint: 'docs/guide/datasets.md shows the form of a sample.',
    });
  };
  const requireLength = (member: string, array: unknown, due: number, axes: string): void => {
    const length = (array as ArrayLike<number> | null | undefined)?.length;
    if (length === undefined) refuse(member, `is no array of ${due} numbers, ${axes}`);
    if (length !== due) refuse(member, `has ${length} numbers, and ${due} are due, ${axes}`);
  };
  if (typeof parts !== 'object' || parts === null) refuse('The whole', 'is no object with images and target');
  const { images, target } = parts;
  if (typeof images !== 'object' || images === null) refuse('images', 'is no object of images by modality');
  for (const [name, image] of Object.entries(images)) {
    if (!Object.hasOwn(modalities, name))
      refuse(
        `images.${name}`,
        `is no modality of the manifest, which has ${Object.keys(modalities).join(', ')}`,
      );
    const { timeCount, height, width, bands, data, valid } = image;
    const count = timeCount * height * width * bands.length;
    const axes = `[time ${timeCount}, height ${height}, width ${width}, band ${bands.length}]`;
    requireLength(`images.${name}.data`, data, count, axes);
    if (valid !== null && valid !== undefined) requireLength(`images.${name}.valid`, valid, count, axes);
  }
  const requireMap = (member: string, { data, height, width }: LabelArray): void =>
    requireLength(member, data, height * width, `[height ${height}, width ${width}]`);
  if (target?.kind === 'mask') requireMap('target.labels', target.labels);
  else if (target?.kind === 'values')
    requireLength(
      'target.values',
      target.values,
      target.height * target.width,
      `[height ${target.height}, width ${target.width}]`,
    );
}

/**
 * An error of a user's own code says that it is theirs, and where it came from.
 * @throws InputError OWN_CODE_FAILED with its cause; errors of ours as they are
 */
export function ownCodeFailed(error: unknown, where: string): never {
  if (error instanceof GondwanaError || (error as Error | null)?.name === 'AbortError') throw error;
  const message = error instanceof Error ? error.message : String(error);
  throw new InputError('OWN_CODE_FAILED', `Its code fails: ${message}`, {
    where,
    hint: 'This is code of the study or plugin, not of Gondwana: the cause has its stack.',
    cause: error,
  });
}
