import { readEncoderManifest, type EncoderWeights } from '../../manifests/encoder-manifest.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { tableText } from '../../display/table.js';
import { UsageError } from '../../errors.js';
import { textOption, type Command, type Options } from '../command.js';
import { facts } from '../facts.js';
import { fetchWithProgress } from '../fetch-with-progress.js';

/** `gondwana models list`. */
export const modelsList: Command = () => {
  const rows = listManifests('encoders').map((id) => {
    const { title, family, modalities, weights, parameters } = readEncoderManifest(id);
    return {
      id,
      title,
      family,
      takes: Object.entries(modalities)
        .map(([name, { bands }]) => `${name} (${bands.length || 'any'})`)
        .join(', '),
      parameters: parameters ? `${(parameters.count / 1e6).toFixed(1)} M` : '',
      'pre-training': weights?.preTraining ?? 'none',
      licence: weights?.source.licence ?? '',
    };
  });
  return Promise.resolve({ document: rows, text: tableText(rows) });
};

/** `gondwana models info ID`. @throws InputError MANIFEST_UNKNOWN with the nearest id */
export const modelsInfo: Command = async (_context, [id], options) => {
  const manifest = readEncoderManifest(id!);
  const { weights } = manifest;
  const { encoderSize, layerFacts } = await import('../../encoders/encoder-size.js');
  const { parameterCount, layers, features } = await encoderSize(manifest.id);
  const text = facts({
    id: manifest.id,
    title: manifest.title,
    family: manifest.family,
    reference: manifest.reference,
    aliases: manifest.aliases.length > 0 ? manifest.aliases : undefined,
    benchmarks: manifest.benchmarks.length > 0 ? manifest.benchmarks : undefined,
    ...Object.fromEntries(
      Object.entries(manifest.modalities).map(([name, { bands }]) => [name, bands.join(', ') || 'any bands']),
    ),
    'image size': manifest.imageSize?.join(' × ') ?? 'any',
    parameters:
      manifest.parameters &&
      `${manifest.parameters.count.toLocaleString('en')} (${manifest.parameters.source})`,
    features: features.map(({ channels, stride }) => `${channels} channels at 1/${stride} of the size`),
    'pre-training': weights?.preTraining ?? 'none: it starts from random numbers',
    'expects mean': weights?.input?.mean.join(', '),
    'expects spread': weights?.input?.standardDeviation.join(', '),
    ...(weights && weightFacts(weights)),
    notes: manifest.notes.length > 0 ? manifest.notes : undefined,
    manifest: `sha256 ${manifest.hash}`,
  });
  const table = tableText(layers.map(layerFacts), { maximumRows: LAYERS_SHOWN });
  const counted =
    layers.length > 0
      ? `${parameterCount.toLocaleString('en')} parameters, counted from the layers\n${table}`
      : 'The layers lie in the file, which is the model itself.';
  const cost = options.cost === true ? await costOf(manifest.id, options) : undefined;
  return {
    document: { ...manifest, parameterCount, layers, ...(cost && { cost: cost.document }) },
    text: `${text}\n\n${counted}${cost ? `\n\n${cost.text}` : ''}`,
  };
};

/** What one forward pass takes. @throws UsageError OPTION_VALUE, and what modelCost throws */
async function costOf(id: string, options: Options): Promise<{ document: object; text: string }> {
  const { modelCost, costLine, layerCostFacts } = await import('../../evaluation/model-cost.js');
  const [size, bandCount, dateCount] = (['size', 'bands', 'dates'] as const).map((name) => {
    const value = textOption(options, name);
    if (value === undefined || /^[1-9]\d*$/.test(value))
      return value === undefined ? undefined : Number(value);
    throw new UsageError('OPTION_VALUE', `--${name} takes a whole number from 1 on, not "${value}".`);
  });
  const [decoder, fusion] = [textOption(options, 'decoder'), textOption(options, 'fusion')];
  const cost = await modelCost(id, {
    ...(size !== undefined && { size }),
    ...(bandCount !== undefined && { bandCount }),
    ...(dateCount !== undefined && { dateCount }),
    ...(decoder !== undefined && { decoder }),
    ...(fusion !== undefined && { fusion }),
  });
  const table = tableText(cost.byLayers.map(layerCostFacts), { maximumRows: LAYERS_SHOWN });
  return { document: cost, text: `${costLine(cost)}\n${table}` };
}

/** Of equal blocks there is one row, so that a transformer has some twenty; `--json` has all. */
const LAYERS_SHOWN = 60;

const weightFacts = ({
  source,
  file,
  sha256,
  bytes,
}: EncoderWeights): Record<string, string | undefined> => ({
  weights:
    'wheel' in source
      ? `${source.package} ${source.version} (Python Package Index): ${file}`
      : `${file}${bytes === undefined ? '' : `, ${(bytes / 1e6).toFixed(0)} MB`}, from ${source.page}${source.isGated ? ' (asks for an account)' : ''}`,
  sha256: sha256 ?? 'not known',
  licence: source.licence,
});

/** `gondwana models get ID`: the download that a run would make, made now. @throws what fetchWeights throws */
export const modelsGet: Command = async (context, [id]) => {
  const manifest = readEncoderManifest(id!);
  const { fetchWeights } = await import('../../encoders/fetch-weights.js');
  const file = await fetchWithProgress(context, manifest.id, (options) => fetchWeights(manifest, options));
  return { document: { id: manifest.id, file, sha256: manifest.weights!.sha256 }, text: file };
};

/**
 * `gondwana models check ID FILE`: loads the weights into the encoder and says where every tensor went.
 * @throws InputError CHECKPOINT_KEYS, CHECKPOINT_SHAPE with the names that do not fit, and for unreadable files
 */
export const modelsCheck: Command = async (_context, [id, file]) => {
  const { checkWeights } = await import('../../encoders/encode-image.js');
  const { encoder, ...found } = await checkWeights(id!, { file: file! });
  const text = facts({
    used: `${found.used.length} tensors, ${found.renamed.length} of them renamed`,
    'left out by rules': firstOf(found.unused),
    'kept as initialised': firstOf(found.missing),
    sha256: `${found.sha256}, ${originOf(found.isPublished, readEncoderManifest(id!).weights)}`,
  });
  return { document: { id: encoder, ok: true, ...found }, text };
};

const originOf = (isPublished: boolean, weights: EncoderWeights | null): string => {
  if (isPublished) return 'the file of the manifest';
  return weights?.sha256 ? 'another file than the manifest names' : 'which the manifest does not state';
};

/** A long list as its first members and how many more there are; `--json` has all. */
const firstOf = (names: readonly string[]): string | readonly string[] =>
  names.length === 0
    ? 'none'
    : names.length <= 6
      ? names
      : [...names.slice(0, 5), `… and ${names.length - 5} more`];
