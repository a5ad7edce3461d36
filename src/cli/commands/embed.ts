import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Dataset, Entry } from '../../datasets/dataset.js';
import type { Sample } from '../../datasets/sample.js';
import { InputError, UsageError } from '../../errors.js';
import type { GeoRaster } from '../../io/geotiff.js';
import type { RasterArray } from '../../io/raster.js';
import { bandsOf, readEncoderManifest } from '../../manifests/encoder-manifest.js';
import { textOption, type Command, type Options } from '../command.js';
import { countOf, openNamed, valuesOf, wrongValue } from '../dataset-options.js';
import { facts } from '../facts.js';
import { withProgress } from '../fetch-with-progress.js';

/**
 * `gondwana embed ID --weights FILE --input PATH --out FILE`: one vector a sample, of a dataset's folder (`--dataset ID`) or of
 * rasters. The encoder may be the path of an ONNX file.
 * @throws UsageError OPTION_MISSING, OPTION_VALUE; RunError PRECISION_UNSUPPORTED; InputError for what cannot be read; StoppedError
 */
export const embed: Command = async (context, [id], options) => {
  const input = required(options, 'input');
  const out = path.resolve(required(options, 'out'));
  if (!/\.(npy|parquet)$/.test(out)) {
    throw wrongValue('--out', out, 'a file whose name ends in .npy or .parquet');
  }
  const manifest = readEncoderManifest(id!);
  const modalities = modalitiesOf(valuesOf(options, 'modality'), Object.keys(manifest.modalities));
  const size = sizeOf(options);
  const gsdM = positiveOf('--gsd', textOption(options, 'gsd'));
  const date = dateOf(textOption(options, 'date'));
  const encoderBands = bandsNamed('--encoder-bands', textOption(options, 'encoderBands'));
  const precision = precisionOf(textOption(options, 'precision') ?? 'float32');
  const [modality = 'image'] = Object.keys(manifest.modalities);
  const raster = { modality, ofEncoder: encoderBands ?? bandsOf(manifest), date };
  const source = await samplesOf(path.resolve(input), raster, options);
  const ofRasters = manifest.weights?.input ? 'model' : 'none';
  const normalization = normalizationOf(
    textOption(options, 'normalize') ?? (source.dataset ? 'dataset' : ofRasters),
  );
  // weights are loaded last: whatever was mistyped is told at once
  const [{ openEncoder }, { embedSamples }, { writeEmbeddings }] = await Promise.all([
    import('../../encoders/open-encoder.js'),
    import('../../evaluation/embed-samples.js'),
    import('../../evaluation/embeddings-file.js'),
  ]);
  const weights = textOption(options, 'weights');
  const encoder = await openEncoder(id!, {
    ...(weights !== undefined && { weights: weights === 'random' ? weights : path.resolve(weights) }),
    ...(encoderBands && { bands: encoderBands }),
    precision,
    signal: context.signal,
  });
  try {
    const found = await withProgress(context, `embedding by ${encoder.id}`, (onProgress) =>
      embedSamples(encoder, source.samples(), {
        ...(source.dataset && { dataset: source.dataset }),
        ...(size !== undefined && { size }),
        ...(gsdM !== undefined && { gsdM }),
        normalization,
        modalities,
        signal: context.signal,
        onProgress: (done) => onProgress(done / source.count, `${done} of ${source.count} samples`),
        onWarning: ({ message }) => context.notices.say(`warning: ${message}`),
      }),
    );
    const files = await writeEmbeddings(found, out);
    const { sha256OfFile } = await import('../../io/wheel.js');
    const document = {
      encoder: encoder.id,
      weights: encoder.weights,
      sha256: encoder.weights === null ? null : await sha256OfFile(encoder.weights),
      normalization,
      precision,
      samples: found.ids.length,
      width: found.vectors[0]?.length ?? 0,
      files,
    };
    return {
      document,
      text: facts({
        ...document,
        weights: document.weights ?? 'random',
        sha256: document.sha256 ?? undefined,
      }),
    };
  } finally {
    encoder.dispose();
  }
};

function required(options: Options, name: 'input' | 'out'): string {
  const value = textOption(options, name);
  if (value !== undefined) return value;
  throw new UsageError('OPTION_MISSING', `--${name} is missing.`, {
    hint: 'gondwana embed ID --weights FILE --input PATH --out FILE.npy',
  });
}

function normalizationOf(value: string): 'dataset' | 'model' | 'none' {
  if (value === 'dataset' || value === 'model' || value === 'none') return value;
  throw wrongValue('--normalize', value, 'dataset, model or none');
}

function precisionOf(value: string): 'float32' | 'bfloat16' {
  if (value === 'float32' || value === 'bfloat16') return value;
  throw wrongValue('--precision', value, 'float32 or bfloat16');
}

function positiveOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw wrongValue(name, text, 'a finite number above 0');
}

function dateOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^\d{4}-\d{2}(-\d{2})?$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw wrongValue('--date', text, 'a date such as 2021-09-17 or 2021-09');
}

function sizeOf(options: Options): number | 'keep' | undefined {
  const value = textOption(options, 'size');
  return value === undefined || value === 'keep' ? value : countOf('--size', value);
}

/** `['optical=s2']` → `{ optical: 's2' }`; only modalities of the encoder, each once. @throws UsageError OPTION_VALUE */
function modalitiesOf(texts: readonly string[], known: readonly string[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const [, name, from] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
    if (name === undefined || from === undefined)
      throw wrongValue('--modality', text, "the encoder's name, =, the dataset's name, e.g. optical=s2");
    if (!known.includes(name))
      throw wrongValue('--modality', text, `NAME=FROM, NAME one of the encoder's: ${known.join(', ')}`);
    if (found.has(name)) throw wrongValue('--modality', text, `given once for ${name}`);
    found.set(name, from);
  }
  return Object.fromEntries(found);
}

/** @throws UsageError OPTION_VALUE where a name is empty or comes twice */
function bandsNamed(option: string, text: string | undefined): string[] | undefined {
  const names = text?.split(',');
  if (!names || (new Set(names).size === names.length && !names.includes(''))) return names;
  throw wrongValue(option, text!, 'names of bands with commas between them, each once');
}

interface Source {
  readonly dataset?: Dataset;
  readonly count: number;
  readonly samples: () => AsyncIterable<Sample>;
}

async function samplesOf(input: string, raster: RasterFacts, options: Options): Promise<Source> {
  const id = textOption(options, 'dataset');
  const text = textOption(options, 'limit');
  const limit = text === undefined ? undefined : countOf('--limit', text);
  if (id !== undefined) {
    const dataset = await openNamed(id, input, options);
    const chosen = textOption(options, 'split');
    const splits = chosen === undefined ? Object.keys(dataset.manifest.splits) : [chosen];
    const entries: [string, Entry][] = [];
    for (const split of splits)
      for (const entry of (await dataset.entries(split)).slice(0, limit)) entries.push([split, entry]);
    return {
      dataset,
      count: entries.length,
      async *samples() {
        for (const [split, entry] of entries) yield await dataset.read(split, entry);
      },
    };
  }
  const files = rasterFiles(input).slice(0, limit);
  const bands = bandsNamed('--bands', textOption(options, 'bands'));
  return {
    count: files.length,
    async *samples() {
      for (const file of files) yield await rasterSample(file, { ...raster, bands });
    },
  };
}

/** What is known of rasters before they are read. */
interface RasterFacts {
  /** Of the encoder: its first. */
  readonly modality: string;
  /** Its bands. */
  readonly ofEncoder: readonly string[];
  readonly date: string | null;
}

const RASTER = /\.(tiff?|png|jpe?g)$/i;

/** The file, or all rasters of a folder in the order of their names. @throws InputError FILE_MISSING, FOLDER_EMPTY */
function rasterFiles(input: string): string[] {
  const found = statSync(input, { throwIfNoEntry: false });
  if (!found) throw new InputError('FILE_MISSING', 'There is no such file or folder.', { where: input });
  if (!found.isDirectory()) return [input];
  const names = readdirSync(input).filter((name) => RASTER.test(name));
  if (names.length === 0) {
    throw new InputError('FOLDER_EMPTY', 'The folder holds no rasters.', {
      where: input,
      hint: 'Give a folder of .tif, .png or .jpg files; or name the dataset it is: --dataset ID.',
    });
  }
  return names.sort().map((name) => path.join(input, name));
}

/** Bands without names are the encoder's where there are as many. */
async function rasterSample(
  file: string,
  { modality, ofEncoder, date, bands }: RasterFacts & { readonly bands: readonly string[] | undefined },
): Promise<Sample> {
  const [{ readRaster }, { readGeoTiff }, { sampleImage }] = await Promise.all([
    import('../../io/read-raster.js'),
    import('../../io/geotiff.js'),
    import('../../datasets/image.js'),
  ]);
  const read: RasterArray & Partial<Pick<GeoRaster, 'epsg' | 'transform'>> = /\.tiff?$/i.test(file)
    ? await readGeoTiff(file)
    : await readRaster(file);
  const { data, height, width, bandCount, epsg = null, transform = null } = read;
  const numbered = Array.from({ length: bandCount }, (_, band) => `band ${band + 1}`);
  const names = bands ?? (ofEncoder.length === bandCount ? ofEncoder : numbered);
  if (names.length !== bandCount) {
    throw new InputError(
      'SHAPE_MISMATCH',
      `The raster has ${bandCount} bands, and --bands names ${names.length}.`,
      {
        where: file,
        hint: 'Name them all, in the order of the file, e.g. --bands B4,B3,B2.',
      },
    );
  }
  const place = epsg === null ? {} : { crs: `EPSG:${epsg}`, transform };
  const image = sampleImage({ data, height, width, bands: names, dates: [date], ...place }, file);
  return {
    id: path.basename(file),
    split: 'all',
    images: { [modality]: image },
    target: { kind: 'values', values: new Float32Array(0), height: 0, width: 0, valid: null },
    facts: {},
  };
}
