import type { LoadReport } from '../checkpoints/load-report.js';
import type { Mode } from '../datasets/faults.js';
import { cellSignal } from '../display/kernel-link.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import type { Tensor, Tensor2D, Tensor4D, Tensor5D } from '../engine/tf.js';
import type { FetchFilesOptions } from '../io/wheel-files.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';
import { encoderSheet } from '../manifests/manifest-sheets.js';
import type { BandAdaptation, BandOptions } from './band-options.js';
import { batchOf } from './encoder-batch.js';
import type { EncoderSample } from './encoder-sample.js';
import type { EncoderInput } from './encoder.js';
import { fetchWeights } from './fetch-weights.js';
import type { OwnEncoder } from './own-encoder.js';

export type { EncoderSample } from './encoder-sample.js';

export interface OpenEncoderOptions extends FetchFilesOptions, BandOptions {
  /**
   * Weight file, or `random` for initial numbers. Default: that of the manifest, downloaded where it can be, and random
   * for encoders that have none.
   */
  readonly weights?: string;
  /** Put over those of the manifest, e.g. `{ bandCount: 4, outputLayers: [11] }`. */
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
  /** `as-published` switches every known fault of the reference on. Default: `corrected`. */
  readonly mode?: Mode;
  /** Faults switched one by one, over what `mode` says. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** Of random weights, and of filters for new bands. Default 0. */
  readonly seed?: number;
}

/** Feature map of one sample: [height, width, channel], or [time, height, width, channel]. */
export interface EncodedMap {
  readonly data: Float32Array;
  readonly shape: readonly number[];
  /** Pixels of the image per pixel of the map. */
  readonly stride: number;
}

/** An encoder with its weights in memory, until it is disposed of. In a notebook it shows itself as a table. */
export interface Encoder {
  readonly id: string;
  /** With the bands of the images that it takes. */
  readonly manifest: EncoderManifest;
  readonly mode: Mode;
  /** Every known fault of the reference, and whether it is on. */
  readonly faults: Readonly<Record<string, boolean>>;
  /** Path of the weights; null for random ones. */
  readonly weights: string | null;
  /** Where every tensor of the file went; null for random weights, and where the file is the model. */
  readonly report: LoadReport | null;
  /** How the first layer was brought to other bands than the checkpoint's, by modality; empty: it has the checkpoint's. */
  readonly bands: readonly BandAdaptation[];
  /**
   * Feature maps of samples of one size, as the benchmark takes them: [sample][feature].
   * @throws InputError for what does not fit the encoder, by name
   */
  readonly features: (samples: readonly EncoderSample[], options?: EncodeOptions) => Promise<EncodedMap[][]>;
  /** One vector a sample: the encoder's own pooling, else the mean over the last feature map. @throws like features */
  readonly embed: (samples: readonly EncoderSample[], options?: EncodeOptions) => Promise<Float32Array[]>;
  readonly dispose: () => void;
}

export interface EncodeOptions {
  /** Centre wavelength of each band in nanometres, by modality. Default: those of the manifest. */
  readonly wavelengths?: Readonly<Record<string, readonly number[]>>;
}

/**
 * Builds an encoder and loads its weights. Dispose of it when it is no longer needed.
 * @param encoder id of a manifest, or another name of it; or what `defineEncoder` makes
 * @throws InputError MANIFEST_UNKNOWN, HYPERPARAMETERS_INVALID, CHECKPOINT_KEYS, CHECKPOINT_SHAPE, WEIGHTS_BY_HAND, for
 * bands that it cannot be built for (BANDS_…, MODALITIES), and for unreadable files; UsageError FAULT_UNKNOWN
 */
export async function openEncoder(
  encoder: string | OwnEncoder,
  options: OpenEncoderOptions = {},
): Promise<Encoder> {
  const signal = cellSignal(options.signal);
  const [{ encoderManifestOf }, { adaptedEncoder }, { ParameterStore }, { tf }] = await Promise.all([
    import('./register-encoder.js'),
    import('./adapted-encoder.js'),
    import('../layers/parameters.js'),
    import('../engine/tf.js'),
    import('../engine/engine.js').then(({ startEngine }) => startEngine()),
  ]);
  const asGiven = encoderManifestOf(encoder);
  const isRandom = options.weights === 'random' || (options.weights === undefined && !asGiven.weights);
  const weightsFile = isRandom
    ? null
    : (options.weights ?? (await fetchWeights(asGiven, { ...options, ...(signal && { signal }) })));

  const store = new ParameterStore();
  const built = await adaptedEncoder(encoder, store, { ...options, weightsFile }).catch((error: unknown) => {
    store.dispose();
    throw error;
  });
  const { manifest, report, bands, faultsOn } = built;

  /** Runs `forward` on a batch in a tidy; the arrays of its results, sample by sample. */
  const run = async <T>(
    samples: readonly EncoderSample[],
    { wavelengths = manifestWavelengths(manifest) }: EncodeOptions,
    forward: (input: EncoderInput) => Tensor[],
    pick: (tensors: readonly { data: Float32Array; shape: readonly number[] }[]) => T,
  ): Promise<T> => {
    const tensors = tf.tidy(() => forward({ ...batchOf(samples, tf), wavelengths }));
    try {
      const arrays = await Promise.all(
        tensors.map(async (tensor) => ({ data: (await tensor.data()) as Float32Array, shape: tensor.shape })),
      );
      return pick(arrays);
    } finally {
      tf.dispose(tensors);
    }
  };
  const evaluation = { training: false };
  const opened: Encoder = {
    ...{ id: manifest.id, manifest, mode: options.mode ?? 'corrected', faults: faultsOn },
    ...{ weights: weightsFile, report, bands },
    features: (samples, encodeOptions = {}) =>
      run(
        samples,
        encodeOptions,
        (input) => built.forward(input, evaluation),
        (maps) =>
          samples.map((_, sample) =>
            maps.map((map, index) => mapOfSample(map, sample, built.features[index]!.stride)),
          ),
      ),
    embed: (samples, encodeOptions = {}) =>
      run(
        samples,
        encodeOptions,
        (input) => [built.embed?.(input, evaluation) ?? meanOfLast(built.forward(input, evaluation))],
        ([vectors]) => samples.map((_, sample) => mapOfSample(vectors!, sample, 1).data),
      ),
    dispose: () => {
      store.dispose();
      built.dispose?.();
    },
  };
  return showAs(opened, { bundle: () => sheetBundle(encoderSheet(manifest)) });
}

/** Mean over all positions (and dates) of the last feature map. */
function meanOfLast(maps: readonly (Tensor4D | Tensor5D)[]): Tensor2D {
  const last = maps.at(-1)!;
  return last.mean(last.shape.slice(1, -1).map((_, axis) => axis + 1)) as Tensor2D;
}

function mapOfSample(
  { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
  sample: number,
  stride: number,
): EncodedMap {
  const size = data.length / shape[0]!;
  return { data: data.slice(sample * size, (sample + 1) * size), shape: shape.slice(1), stride };
}

function manifestWavelengths({ modalities }: EncoderManifest): Record<string, readonly number[]> {
  const known = Object.entries(modalities).flatMap(([name, { wavelengths }]) =>
    wavelengths ? [[name, wavelengths] as const] : [],
  );
  return Object.fromEntries(known);
}
