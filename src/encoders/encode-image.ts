import type { LoadReport } from '../checkpoints/load-report.js';
import { InputError } from '../errors.js';
import type { RasterArray } from '../io/raster.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import {
  bandsOf,
  readEncoderManifest,
  weightsOf,
  type EncoderManifest,
} from '../manifests/encoder-manifest.js';
import { fetchWeights } from './fetch-weights.js';
import { openEncoder } from './open-encoder.js';

export interface EncoderWeightsOptions extends FetchFilesOptions {
  /** Weight file; default the manifest's, downloaded where it is not there. */
  readonly file?: string;
}

/** What came of loading a weight file into an encoder. */
export interface WeightsCheck extends LoadReport {
  readonly encoder: string;
  readonly file: string;
  readonly sha256: string;
  /** True where it is the very file that the manifest names. */
  readonly isPublished: boolean;
}

/** One feature map of an image, which shows itself as one: `data` is [height, width, channel]. */
export interface FeatureMap extends RasterArray {
  readonly data: Float32Array;
  /** Channels. */
  readonly bandCount: number;
  /** Pixels of the image per pixel of the map. */
  readonly stride: number;
}

/**
 * Loads weights into an encoder and says where every tensor went.
 * @throws InputError MANIFEST_UNKNOWN, CHECKPOINT_KEYS, CHECKPOINT_SHAPE with the names that do not fit, and for
 * unreadable files; what the download throws
 */
export async function checkWeights(
  encoder: string,
  { file, ...options }: EncoderWeightsOptions = {},
): Promise<WeightsCheck> {
  const opened = await openEncoder(encoder, {
    ...options,
    weights: file ?? (await weightsFile(encoder, options)),
  });
  try {
    const { sha256OfFile } = await import('../io/wheel.js');
    const sha256 = await sha256OfFile(opened.weights!);
    const isPublished = sha256 === opened.manifest.weights?.sha256;
    return {
      encoder: opened.id,
      file: opened.weights!,
      sha256,
      isPublished,
      ...(opened.report ?? NO_TENSORS),
    };
  } finally {
    opened.dispose();
  }
}

/** Of a file that is the model itself. */
const NO_TENSORS: LoadReport = { used: [], renamed: [], unused: [], missing: [] };

/** @throws InputError WEIGHTS_NONE for an encoder without a checkpoint; what the download throws */
const weightsFile = (encoder: string, options: FetchFilesOptions): Promise<string> =>
  fetchWeights(readEncoderManifest(encoder), options);

/**
 * Feature maps of one image, finest first, by the weights of the manifest or of a file. Pixels are normalised as the
 * checkpoint was trained: (pixel − mean) / standard deviation, pixels 0 … 255.
 * @param image [height, width, band], with the bands of the manifest in its order
 * @throws InputError SHAPE_MISMATCH for another count of bands, and what checkWeights throws
 */
export async function encodeImage(
  encoder: string,
  image: RasterArray,
  options: EncoderWeightsOptions = {},
): Promise<FeatureMap[]> {
  const manifest = readEncoderManifest(encoder);
  const bands = bandsOf(manifest);
  const { height, width, bandCount } = image;
  if (bandCount !== bands.length) {
    throw new InputError(
      'SHAPE_MISMATCH',
      `The image has ${bandCount} bands, and ${encoder} takes ${bands.length}: ${bands.join(', ')}.`,
      { where: 'image.bandCount', hint: 'Give the bands that the encoder takes, in its order.' },
    );
  }
  const { file, ...others } = options;
  const weights = file ?? (await weightsFile(encoder, others));
  const opened = await openEncoder(encoder, { ...others, weights });
  try {
    const data = normalised(image, manifest);
    const modality = Object.keys(manifest.modalities)[0]!;
    const [maps] = await opened.features([
      { images: { [modality]: { data, timeCount: 1, height, width, bands } } },
    ]);
    return maps!.map(({ data: values, shape, stride }) => {
      const [mapHeight, mapWidth, channels] = shape.slice(-3) as [number, number, number];
      return { data: values, height: mapHeight, width: mapWidth, bandCount: channels, stride };
    });
  } finally {
    opened.dispose();
  }
}

/** As the checkpoint was trained; as it is where that is not known. */
function normalised({ data }: RasterArray, manifest: EncoderManifest): Float32Array {
  const { input } = weightsOf(manifest);
  if (!input) return Float32Array.from(data);
  const { mean, standardDeviation } = input;
  const bands = bandsOf(manifest);
  const values = new Float32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const band = i % bands.length;
    values[i] = (data[i]! - mean[band]!) / standardDeviation[band]!;
  }
  return values;
}
