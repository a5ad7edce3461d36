import type { LoadReport } from '../checkpoints/load-report.js';
import { cellSignal } from '../display/kernel-link.js';
import { InputError } from '../errors.js';
import type { Tensor4D } from '../engine/tf.js';
import type { RasterArray } from '../io/raster.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import {
  bandsOf,
  readEncoderManifest,
  weightsOf,
  type EncoderManifest,
} from '../manifests/encoder-manifest.js';
import { CORRECTED } from './define-encoder.js';
import type { BuiltEncoder } from './encoder.js';
import { fetchWeights } from './fetch-weights.js';

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
  options: EncoderWeightsOptions = {},
): Promise<WeightsCheck> {
  const manifest = readEncoderManifest(encoder);
  const { sha256OfFile } = await import('../io/wheel.js');
  return withEncoder(manifest, options, async (_built, report, file) => {
    const sha256 = await sha256OfFile(file);
    return { encoder, file, sha256, isPublished: sha256 === manifest.weights?.sha256, ...report };
  });
}

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
  const { tf } = await import('../engine/tf.js');
  return withEncoder(manifest, options, async (built) => {
    const maps = tf.tidy(() =>
      built.forward(
        { images: { image: tf.tensor4d(normalised(image, manifest), [1, height, width, bandCount]) } },
        { training: false },
      ),
    );
    try {
      return await Promise.all(
        (maps as Tensor4D[]).map(async (map, i) => ({
          data: (await map.data()) as Float32Array,
          height: map.shape[1],
          width: map.shape[2],
          bandCount: map.shape[3],
          stride: manifest.features[i]!.stride,
        })),
      );
    } finally {
      tf.dispose(maps);
    }
  });
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

/** Builds an encoder with its weights for the time of `use`; nothing of it stays allocated. */
async function withEncoder<T>(
  manifest: EncoderManifest,
  { file, ...options }: EncoderWeightsOptions,
  use: (built: BuiltEncoder, report: LoadReport, file: string) => Promise<T>,
): Promise<T> {
  const signal = cellSignal(options.signal);
  const [{ getEncoderFamily }, { loadWeights }, { createScope, ParameterStore }, { createRandom }] =
    await Promise.all([
      import('./registry.js'),
      import('./load-weights.js'),
      import('../layers/parameters.js'),
      import('../random.js'),
      import('../engine/engine.js').then(({ startEngine }) => startEngine()),
    ]);
  const weightsFile = file ?? (await fetchWeights(manifest, { ...options, ...(signal && { signal }) }));
  const family = await getEncoderFamily(manifest.family);
  const parameters = new ParameterStore();
  try {
    const scope = createScope(parameters, createRandom(0)).child('encoder');
    const hyperparameters = { ...manifest.hyperparameters, bandCount: bandsOf(manifest).length };
    const built = family.build(scope, hyperparameters, CORRECTED);
    const report = await loadWeights(weightsFile, parameters, 'encoder', family.weights(hyperparameters));
    return await use(built, report, weightsFile);
  } finally {
    parameters.dispose();
  }
}
