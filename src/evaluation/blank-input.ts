import type { BuiltEncoder, EncoderFamily, EncoderInput } from '../encoders/encoder.js';
import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { EncoderDescription } from './cost-types.js';

type Hyperparameters = Readonly<Record<string, unknown>>;

/** Bands where an encoder takes any. */
const ANY_BANDS = 3;

/** Pixels for a count. @throws InputError SIZE_MISSING, SIZE_INVALID */
export function sizeFor(
  { id, imageSize }: EncoderDescription,
  given: number | readonly [number, number] | undefined,
): readonly [number, number] {
  const size =
    given === undefined ? imageSize : typeof given === 'number' ? ([given, given] as const) : given;
  if (!size) {
    throw new InputError('SIZE_MISSING', `${id} takes images of any size, and none is given.`, {
      where: 'size',
      hint: 'Give the side in pixels, e.g. size: 256.',
    });
  }
  if (size.every((side) => Number.isInteger(side) && side > 0)) return size;
  throw new InputError('SIZE_INVALID', `An image cannot have ${size.join(' × ')} pixels.`, {
    where: 'size',
    hint: 'Give one side, or height and width, as whole numbers from 1 on.',
  });
}

/**
 * Bands by modality, and the hyperparameters for them.
 * @throws InputError BANDS_FIXED where the first modality cannot have so many
 */
export function bandsFor(
  { id, modalities, hyperparameters: shipped }: EncoderDescription,
  family: EncoderFamily,
  {
    bandCount,
    hyperparameters: changes,
  }: { bandCount?: number | undefined; hyperparameters?: Hyperparameters | undefined },
): { readonly bandCounts: Readonly<Record<string, number>>; readonly hyperparameters: Hyperparameters } {
  let hyperparameters: Hyperparameters = { ...shipped, ...changes };
  const layers = family.bandLayers?.(hyperparameters) ?? [];
  const bandCounts = Object.entries(modalities).map(([modality, { bands }], index) => {
    const wanted = (index === 0 ? bandCount : undefined) ?? (bands.length || ANY_BANDS);
    if (wanted === bands.length) return [modality, wanted] as const;
    const layer = layers.find((one) => (one.modality ?? modality) === modality);
    if (layer) hyperparameters = { ...hyperparameters, ...layer.withBands(wanted) };
    // without a layer of that width, kernels are written from wavelengths
    else if (bands.length > 0) {
      throw new InputError(
        'BANDS_FIXED',
        `${id} takes ${bands.length} bands of ${modality}, and no others.`,
        {
          where: 'bandCount',
          hint: 'Leave bandCount out.',
        },
      );
    }
    return [modality, wanted] as const;
  });
  return { bandCounts: Object.fromEntries(bandCounts), hyperparameters };
}

/** One sample without values, with all metadata that an encoder may ask for. */
export function blankInput(
  { modalities }: EncoderDescription,
  bandCounts: Readonly<Record<string, number>>,
  [height, width]: readonly [number, number],
  dateCount: number,
): EncoderInput {
  const names = Object.keys(modalities);
  const byName = <T>(make: (bands: number, name: string) => T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, make(bandCounts[name]!, name)]));
  return {
    images: byName((bands) => tf.fill([1, dateCount, height, width, bands], 0) as Tensor5D),
    // 20 nm apart from blue on, where the manifest names none
    wavelengths: byName(
      (bands, name) =>
        modalities[name]!.wavelengths ?? Array.from({ length: bands }, (_, band) => 490 + 20 * band),
    ),
    groundSamplingDistance: 10,
    times: [
      Array.from({ length: dateCount }, (_, date) => ({ year: 2020, dayOfYear: 1 + (date % 366), hour: 12 })),
    ],
    places: [{ latitude: 0, longitude: 0 }],
  };
}

/** @throws Error where features differ from those that an encoder says it has */
export function checkFeatures(
  { id }: EncoderDescription,
  { features }: BuiltEncoder,
  maps: readonly (Tensor4D | Tensor5D)[],
): void {
  for (const [index, { channels }] of features.entries()) {
    const shape = maps[index]?.shape ?? [];
    if (shape.at(-1) !== channels)
      throw new Error(
        `Feature ${index} of ${id} is [${shape.join(', ')}], declared with ${channels} channels.`,
      );
  }
}
