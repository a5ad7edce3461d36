import { InputError } from '../errors.js';
import type { EncoderInput } from './encoder.js';

/**
 * Metres a pixel, for encoders that need them.
 * @returns one number for the batch, or one a sample
 * @throws InputError INPUT_MISSING, METADATA_INVALID
 */
export function groundDistancesOf(
  { groundSamplingDistance: given }: EncoderInput,
  batch: number,
): readonly number[] {
  const where = 'groundSamplingDistance';
  const hint =
    'Give one positive number of metres for the batch, or one a sample; datasets say it in their manifest.';
  if (given === undefined) {
    throw new InputError(
      'INPUT_MISSING',
      'The encoder needs the metres a pixel of the images, which the batch does not bring.',
      { where, hint },
    );
  }
  const distances = typeof given === 'number' ? [given] : given;
  const arePositive = distances.every((metres) => Number.isFinite(metres) && metres > 0);
  if (arePositive && (distances.length === 1 || distances.length === batch)) return distances;
  throw new InputError(
    'METADATA_INVALID',
    `The metres a pixel are ${distances.join(', ') || 'none'}, for ${batch} images.`,
    { where, hint },
  );
}
