import type { Sample, SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { findBand, findSensorManifest } from '../manifests/sensor-manifest.js';
import type { PixelArray } from '../io/raster.js';
import { wavelengthNm, type Wavelength } from '../sensors/wavelength.js';
import { badOption, mapImages, type OptionValue, type PreprocessingStep, type StepContext } from './step.js';

/** A band that is wanted: by name, by wavelength, or a number that fills a band of its own. */
export type WantedBand = string | number | ({ readonly name: string } & Wavelength);

export interface MatchBandsOptions {
  /** By modality, in the order wanted. Modalities that are not named are dropped. */
  readonly bands: Readonly<Record<string, readonly WantedBand[]>>;
  /**
   * `name`: equal, or the same band under another name of the sensor (`B02` for `B2`). `wavelength`: the band of the image
   * whose centre is nearest; wanted bands state theirs. Default `name`.
   */
  readonly by?: 'name' | 'wavelength';
  /** Greatest distance with `wavelength`, as a share of the wanted wavelength. Default 0.1. */
  readonly within?: number;
  /** A band that the image lacks: `zero` puts in a masked band of zeros, `drop` leaves it out. Default `zero`. */
  readonly missing?: 'zero' | 'drop' | 'error';
  /** Number in bands that stand for missing ones. Default 0. */
  readonly fill?: number;
}

const NAME = 'match-bands';

/**
 * Bands in the order of an encoder; they keep their names, by which statistics are found. With the fault `band-names` they
 * are matched by what the reference takes them for. Bands that stand for missing ones are masked and stay as they are when normalised
 * afterwards, which is the mean of a z-score: as PANGAEA's padding after its normalisation.
 * @throws UsageError STEP_OPTION; InputError WAVELENGTH_INVALID; when applied InputError BANDS_MISSING, WAVELENGTH_UNKNOWN
 */
export function matchBands(options: MatchBandsOptions): PreprocessingStep {
  const { bands, by = 'name', within = 0.1, missing = 'zero', fill = 0 } = options;
  if (!(within > 0)) throw badOption(NAME, 'within', within, 'a share above 0');
  for (const [modality, wanted] of Object.entries(bands)) {
    if (wanted.length === 0) throw badOption(NAME, `bands.${modality}`, [], 'a list of at least one band');
    for (const band of wanted) {
      if (typeof band === 'object') nmOf(band);
      else if (by === 'wavelength' && typeof band === 'string')
        throw badOption(
          NAME,
          `bands.${modality}`,
          band,
          `{ name: '${band}', nm: … } when bands are matched by wavelength`,
        );
    }
  }
  return {
    name: NAME,
    options: { bands: JSON.parse(JSON.stringify(bands)) as OptionValue, by, within, missing, fill },
    isRandom: false,
    apply(sample, context) {
      const chosen = keep(sample, Object.keys(bands), context);
      return mapImages(chosen, undefined, (image, modality) => {
        const places = bands[modality]!.map((band) => place(band, image, modality, { by, within }, context));
        return arrange(image, modality, bands[modality]!, places, { missing, fill }, context);
      });
    },
  };
}

function keep(sample: Sample, names: readonly string[], { dataset }: StepContext): Sample {
  const images = Object.entries(sample.images).filter(([name]) => names.includes(name));
  if (images.length > 0) return { ...sample, images: Object.fromEntries(images) as Sample['images'] };
  throw new InputError(
    'BANDS_MISSING',
    `Sample "${sample.id}" has none of the modalities ${names.join(', ')}.`,
    {
      where: `dataset ${dataset}`,
      hint: `It has ${Object.keys(sample.images).join(', ')}.`,
    },
  );
}

/** Place of a wanted band in the image; −1: it has none. */
function place(
  wanted: WantedBand,
  image: SampleImage,
  modality: string,
  { by, within }: { readonly by: 'name' | 'wavelength'; readonly within: number },
  context: StepContext,
): number {
  if (typeof wanted === 'number') return -1;
  if (by === 'name')
    return byName(typeof wanted === 'string' ? wanted : wanted.name, image, modality, context);
  const nm = nmOf(wanted as { name: string } & Wavelength);
  const known = new Map(
    context.manifest?.modalities[modality]?.bands.map((band) => [band.id, band.wavelengthNm]),
  );
  if (![...known.values()].some((value) => value !== null)) throw noWavelengths(modality, context);
  let best = -1;
  let least = within * nm;
  for (const [at, id] of image.bands.entries()) {
    const distance = Math.abs((known.get(id) ?? Infinity) - nm);
    if (distance < least || (best === -1 && distance === least)) [best, least] = [at, distance];
  }
  return best;
}

const nmOf = ({ name: _, ...wavelength }: { readonly name: string } & Wavelength): number =>
  wavelengthNm(wavelength);

function byName(
  wanted: string,
  { bands }: SampleImage,
  modality: string,
  { manifest, isOn }: StepContext,
): number {
  const known = manifest?.modalities[modality];
  const isPublished = isOn('band-names');
  const names = bands.map(
    (id) => (isPublished && known?.bands.find((band) => band.id === id)?.reference) || id,
  );
  const at = names.indexOf(wanted);
  if (at >= 0 || !known) return at;
  const sensor = findSensorManifest(known.sensor);
  const band = sensor && findBand(sensor, wanted);
  return sensor && band ? names.findIndex((name) => findBand(sensor, name) === band) : -1;
}

function noWavelengths(modality: string, { dataset }: StepContext): InputError {
  return new InputError('WAVELENGTH_UNKNOWN', `No band of ${modality} has a known wavelength.`, {
    where: `dataset ${dataset}`,
    hint: 'Match its bands by name: matchBands({ bands, by: "name" }).',
  });
}

function arrange(
  image: SampleImage,
  modality: string,
  wanted: readonly WantedBand[],
  places: readonly number[],
  { missing, fill }: Required<Pick<MatchBandsOptions, 'missing' | 'fill'>>,
  context: StepContext,
): SampleImage {
  const name = (band: WantedBand, at: number): string => {
    const own = typeof band === 'string' ? band : typeof band === 'number' ? `fill-${at}` : band.name;
    return image.bands.includes(own) ? `fill-${own}` : own; // a band of zeros is none of the image's
  };
  const lacking = wanted.filter((band, at) => typeof band !== 'number' && places[at] === -1);
  if (places.every((at) => at === -1) || (missing === 'error' && lacking.length > 0)) {
    throw new InputError(
      'BANDS_MISSING',
      `${lacking.map((band) => (typeof band === 'object' ? band.name : band)).join(', ') || 'Every band'} of ${modality} is not in the image.`,
      { where: `dataset ${context.dataset}`, hint: `It has ${image.bands.join(', ')}.` },
    );
  }
  const columns = wanted
    .map((band, at) => ({
      name: image.bands[places[at]!] ?? name(band, at),
      from: places[at]!,
      fill: typeof band === 'number' ? band : fill,
    }))
    .filter(({ from }, at) => missing !== 'drop' || from >= 0 || typeof wanted[at] === 'number');
  return pickBands(image, columns);
}

export interface BandColumn {
  readonly name: string;
  /** Place in the image; −1: a band of `fill`. */
  readonly from: number;
  readonly fill: number;
}

/** Bands by place, under the names given; those from nowhere are filled and masked. */
export function pickBands(image: SampleImage, columns: readonly BandColumn[]): SampleImage {
  const { data, valid, bands, sources } = image;
  const pixels = data.length / bands.length;
  const isFilled = columns.some(({ from }) => from === -1);
  const Maker = data.constructor as new (length: number) => PixelArray;
  const isWhole = columns.every(({ fill }) => new Maker(1).fill(fill)[0] === fill);
  const out = new (isWhole ? Maker : Float32Array)(pixels * columns.length);
  const mask = valid || isFilled ? new Uint8Array(out.length) : null;
  for (const [to, { from, fill }] of columns.entries()) {
    for (let pixel = 0; pixel < pixels; pixel++) {
      const at = pixel * columns.length + to;
      out[at] = from === -1 ? fill : data[pixel * bands.length + from]!;
      if (mask) mask[at] = from === -1 ? 0 : (valid?.[pixel * bands.length + from] ?? 1);
    }
  }
  const before = image.filledBands ?? [];
  const filled = columns
    .filter(({ from }) => from === -1 || before.includes(bands[from]!))
    .map(({ name }) => name);
  const { filledBands: _, sources: __, ...rest } = image;
  return {
    ...rest,
    data: out,
    valid: mask,
    bands: columns.map(({ name }) => name),
    ...(filled.length > 0 && { filledBands: filled }),
    ...(sources &&
      sources.length === bands.length &&
      !isFilled && { sources: columns.map(({ from }) => sources[from]!) }),
  };
}
