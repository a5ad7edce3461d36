import { startEngine } from '../engine/engine.js';
import { stridedSlice } from '../engine/ops/slice.js';
import { tf, type Tensor, type Tensor4D } from '../engine/tf.js';
import { AS_PUBLISHED } from '../encoders/define-encoder.js';
import { efficientNetLite, efficientNetLiteClassifier } from '../encoders/efficientnet-lite.js';
import { loadWeights } from '../encoders/load-weights.js';
import { sha256OfFile } from '../io/wheel.js';
import { createScope, ParameterStore } from '../layers/parameters.js';
import { readEncoderManifest, weightsOf } from '../manifests/encoder-manifest.js';
import { createRandom } from '../random.js';
import { firstDifference, readReference, type Tolerance } from './compare.js';

interface PublishedEntry {
  readonly tolerance: Tolerance;
  readonly weights: { readonly sha256: string };
}

/** The fixture stores every fourth row and column of the finer features. */
const EVERY_FOURTH = [2, 4, 8];

/**
 * Compares EfficientNet-Lite0 with published weights against the reference's features and logits on one image.
 * @param folder the fixture
 * @returns undefined where all is equal, else the first output that diverges
 * @throws what loadWeights throws
 */
export async function runPublishedParity(
  folder: string,
  entry: PublishedEntry,
  { weights }: { readonly weights: string },
): Promise<string | undefined> {
  const digest = await sha256OfFile(weights);
  if (digest !== entry.weights.sha256)
    return `the weights file has sha256 ${digest}, not ${entry.weights.sha256}`;
  await startEngine();
  const manifest = readEncoderManifest('efficientnet-lite0');
  const image = await readReference(folder, 'in_image_uint8_hwc.npy');
  const parameters = new ParameterStore();
  try {
    const scope = createScope(parameters, createRandom(0));
    const encoder = efficientNetLite.build(scope.child('encoder'), manifest.hyperparameters, AS_PUBLISHED);
    const classify = efficientNetLiteClassifier(scope.child('whole'), manifest.hyperparameters);
    const rules = efficientNetLite.weights(manifest.hyperparameters);
    await loadWeights(weights, parameters, 'encoder', rules);
    await loadWeights(weights, parameters, 'whole', {
      ...rules,
      discard: [/num_batches_tracked$/],
    });
    const [height, width, bands] = image.shape as [number, number, number];
    const { mean, standardDeviation } = weightsOf(manifest).input!;
    const pixels = image.data.map(
      (value, index) => (value - mean[index % bands]!) / standardDeviation[index % bands]!,
    );

    const outputs = tf.tidy(() => {
      const input = tf.tensor4d(pixels, [1, height, width, bands]);
      const maps = (encoder.forward({ images: { image: input } }, { training: false }) as Tensor4D[]).map(
        (map, index) => {
          const { stride } = manifest.features[index]!;
          const isThinned = EVERY_FOURTH.includes(stride);
          const file = `out_feature.${stride}${isThinned ? '_every4th' : ''}.npy`;
          return readOut(file, (isThinned ? everyFourth(map) : map).transpose([0, 3, 1, 2]));
        },
      );
      return [...maps, readOut('out_logits.npy', classify(input, { training: false }))] as never;
    }) as readonly Output[];
    for (const { file, values, shape } of outputs) {
      const expected = await readReference(folder, file);
      const difference = firstDifference(file, values, shape, expected.data, expected.shape, entry.tolerance);
      if (difference !== undefined) return difference;
    }
    return undefined;
  } finally {
    parameters.dispose();
  }
}

interface Output {
  readonly file: string;
  readonly values: Float32Array;
  readonly shape: readonly number[];
}

const readOut = (file: string, tensor: Tensor): Output => ({
  file,
  values: tensor.dataSync<'float32'>(),
  shape: tensor.shape,
});

/** Rows and columns 0, 4, 8, …: [batch, height, width, channels] → [batch, ⌈height / 4⌉, ⌈width / 4⌉, channels] */
const everyFourth = (map: Tensor4D): Tensor4D =>
  stridedSlice(map, [0, 0, 0, 0], map.shape, [1, 4, 4, 1]) as Tensor4D;
