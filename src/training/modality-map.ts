import { InputError, nearest } from '../errors.js';
import type { DatasetManifest, ModalityManifest } from '../manifests/dataset-manifest.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import { findBand, findSensorManifest } from '../manifests/sensor-manifest.js';

export interface ModalityChoice {
  /** Modalities of the dataset that are used, joined by `+`; `all`. */
  readonly modalities: string;
  /** `optical=s2,sar=s1`: modality of the encoder = modality of the dataset; empty: by name, then by bands. */
  readonly modalityMap: string;
}

/**
 * Which modality of a dataset goes to which of an encoder. By the map given; else equal names; else the modality that has
 * most of the encoder's bands; encoders that take any bands get radar for `sar` and anything else for `optical`. Modalities
 * that are named together go as bands of one image, `s1+s2`, into an encoder of one modality that starts at random.
 * @throws InputError MODALITIES for names that there are not, and where nothing fits
 */
export function mapModalities(
  encoder: EncoderManifest,
  dataset: DatasetManifest,
  choice: ModalityChoice & {
    /** Whether the encoder is built for the bands of the dataset. */
    readonly isRandom: boolean;
  },
): Readonly<Record<string, string>> {
  const where = `dataset ${dataset.id}, encoder ${encoder.id}`;
  const used = chosen(dataset, choice.modalities, where);
  const given = parseMap(choice.modalityMap);
  const wanted = Object.keys(encoder.modalities);
  for (const [to, from] of Object.entries(given)) {
    requireName(to, wanted, `encoder ${encoder.id}`, where);
    requireName(from, used, `dataset ${dataset.id}`, where);
  }
  const isNamed = choice.modalities !== 'all' && choice.modalityMap === '';
  if (isNamed && choice.isRandom && used.length > 1 && wanted.length === 1)
    return { [wanted[0]!]: used.join('+') };
  const map: Record<string, string> = {};
  for (const name of wanted) {
    const from =
      given[name] ??
      best(
        name,
        encoder,
        dataset,
        used.filter((one) => !Object.values(given).includes(one)),
      );
    if (from !== undefined) map[name] = from;
  }
  if (Object.keys(map).length > 0) return map;
  throw new InputError(
    'MODALITIES',
    `Of ${used.join(', ')} nothing goes into ${encoder.id}, which takes ${wanted.join(', ')}.`,
    { where, hint: `Say which is which: modalityMap "${wanted[0]}=${used[0]}", or choose other modalities.` },
  );
}

/** Modalities of a dataset by a setting such as `optical+sar`, in the manifest's order. @throws InputError MODALITIES */
function chosen({ id, modalities }: DatasetManifest, setting: string, where: string): string[] {
  const known = Object.keys(modalities);
  if (setting === 'all') return known;
  const names = setting.split('+');
  for (const name of names) requireName(name, known, `dataset ${id}`, where);
  return known.filter((name) => names.includes(name));
}

function requireName(name: string, known: readonly string[], owner: string, where: string): void {
  if (known.includes(name)) return;
  const guess = nearest(name, known);
  throw new InputError('MODALITIES', `There is no modality "${name}" in ${owner}.`, {
    where,
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}

const parseMap = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text === '' ? [] : text.split(',').map((pair) => pair.split('=') as [string, string]));

function best(
  name: string,
  encoder: EncoderManifest,
  dataset: DatasetManifest,
  used: readonly string[],
): string | undefined {
  if (used.includes(name)) return name;
  const { bands } = encoder.modalities[name]!;
  const count = (modality: string): number => fit(name, bands, dataset.modalities[modality]!);
  const ranked = used.map((modality) => [modality, count(modality)] as const).sort(([, a], [, b]) => b - a);
  const first = ranked[0];
  if (first && first[1] > 0) return first[0];
  // a single image goes into a single input: its bands are judged by the steps that match them
  return used.length === 1 && Object.keys(encoder.modalities).length === 1 ? used[0] : undefined;
}

/** How many of an encoder's bands a modality has. */
function fit(name: string, wanted: readonly string[], { sensor, bands }: ModalityManifest): number {
  const known = findSensorManifest(sensor);
  if (wanted.length === 0) return (known?.kind === 'radar') === (name === 'sar') ? bands.length : 0;
  const nameOf = (band: string): string => (known && findBand(known, band)?.name) ?? band;
  const own = bands.map(({ id }) => nameOf(id));
  return wanted.filter((band) => own.includes(nameOf(band))).length;
}
