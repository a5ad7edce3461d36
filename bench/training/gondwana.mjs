// Training steps: a process that answers one JSON line for each it gets, as peer.py does.
// {"load": NAME, "folder": FOLDER, "precision": "float32" | "bfloat16", "checkpoints": false}: the peer's weights, inputs and
// labels, and how far the gradients of the first step are from the peer's, √(Σ difference² / Σ gradient²);
// {"step": NAME}, {"memory": true}
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { upernet } from '../../dist/decoders/upernet.js';
import { CORRECTED } from '../../dist/encoders/define-encoder.js';
import { loadWeights } from '../../dist/encoders/load-weights.js';
import { getEncoderFamily } from '../../dist/encoders/registry.js';
import { startEngine } from '../../dist/engine/engine.js';
import { withCheckpoints } from '../../dist/engine/ops/checkpoint.js';
import { crossEntropy } from '../../dist/engine/ops/cross-entropy.js';
import { inPrecision } from '../../dist/engine/ops/precision.js';
import { tf } from '../../dist/engine/tf.js';
import { dense } from '../../dist/layers/dense.js';
import { createDeferredScope, ParameterStore } from '../../dist/layers/parameters.js';
import { segmentationCrossEntropy } from '../../dist/losses/cross-entropy.js';
import { readEncoderManifest } from '../../dist/manifests/encoder-manifest.js';
import { createRandom } from '../../dist/random.js';
import { createOptimizer } from '../../dist/training/optimizers/create-optimizer.js';
import { serve } from '../serve.mjs';

const [BATCH, SIDE, CLASSES] = [8, 224, 7];
const STRIDES = [4, 8, 16, 32];
const TRAINING = { training: true };
const scopeOf = (store) => createDeferredScope(store, createRandom(0));
const COUNTERS = /num_batches_tracked$/;

/** Parameters from a file of the peer's, shapes of the inputs and labels, and the loss. */
const MODELS = {
  upernet: {
    inputs: STRIDES.map((stride) => [BATCH, SIDE / stride, SIDE / stride, 768]),
    labels: [BATCH, SIDE, SIDE],
    async build(store, file) {
      const features = STRIDES.map((stride) => ({ channels: 768, stride }));
      const run = upernet.build(scopeOf(store).child('decoder'), {
        ...{ features, classCount: CLASSES, hyperparameters: { dropout: 0 } },
      });
      await loadWeights(file, store, 'decoder', {
        ...{ rename: [], discard: [COUNTERS], optional: [/running_(mean|var)$/] },
      });
      return (maps, labels) =>
        segmentationCrossEntropy(run(maps, { height: SIDE, width: SIDE }, TRAINING), labels, {
          ignoreIndex: null,
        });
    },
  },
  'vit-s16': {
    inputs: [[BATCH, SIDE, SIDE, 3]],
    labels: [BATCH],
    async build(store, file) {
      const { family: id, hyperparameters } = readEncoderManifest('vit-small-timm');
      const family = await getEncoderFamily(id);
      const encoder = family.build(scopeOf(store).child('encoder'), hyperparameters, CORRECTED);
      const classify = dense(scopeOf(store).child('head'), hyperparameters.width, CLASSES);
      await loadWeights(file, store, 'encoder', family.weights(hyperparameters));
      await loadWeights(file, store, 'head', { rename: [[/^head\./, '']], discard: [/^(?!head\.)/] });
      return ([images], labels) =>
        crossEntropy(classify(encoder.embed({ images: { optical: images } }, TRAINING)), labels);
    },
  },
};
const tasks = new Map();

async function load({ load: name, folder, precision, checkpoints = false }) {
  const { inputs: shapes, labels: labelShape, build } = MODELS[name];
  const file = (suffix) => path.join(folder, `${name}.${suffix}`);
  const store = new ParameterStore();
  const loss = await build(store, file('pth'));
  const bytes = (suffix) => new Uint8Array(readFileSync(file(suffix))).buffer; // small files share one
  // one op on each, so that the memory is the engine's own
  const inputs = shapes.map((shape, index) =>
    tf.tidy(() => tf.mul(tf.tensor(new Float32Array(bytes(`${index}.raw`)), shape), 1)),
  );
  const labels = tf.tidy(() =>
    tf.add(tf.tensor(new Int32Array(bytes('labels.raw')), labelShape, 'int32'), tf.scalar(0, 'int32')),
  );
  const trained = store.all.filter(({ variable }) => variable.trainable);
  const variables = trained.map(({ variable }) => variable);
  const groups = [{ parameters: trained, learningRate: 1e-4, weightDecay: 0.05 }];
  const optimizer = createOptimizer({ name: 'adamw', groups });
  const around = (f) => inPrecision(precision, () => (checkpoints ? withCheckpoints(f) : f()));
  const gradients = () => around(() => tf.variableGrads(() => loss(inputs, labels), variables));
  const kept = store.snapshot(); // running statistics move
  const theirs = new ParameterStore();
  await build(theirs, file('gradients.pth'));
  const expected = new Map(theirs.all.map(({ name: parameter, variable }) => [parameter, variable]));
  const first = gradients();
  const gradientError = tf.tidy(() => {
    const sum = (f) => tf.addN(trained.map(f)).dataSync()[0];
    const square = (t) => tf.sum(tf.square(t));
    const difference = sum(({ name: parameter, variable }) =>
      square(tf.sub(first.grads[variable.name], expected.get(parameter))),
    );
    return Math.sqrt(difference / sum(({ name: parameter }) => square(expected.get(parameter))));
  });
  tf.dispose(first);
  theirs.dispose();
  store.restore(kept);
  tf.dispose([...kept.values()]);
  tasks.set(name, { gradients, variables, optimizer });
  return { gradientError };
}

function step({ step: name }) {
  const { gradients, variables, optimizer } = tasks.get(name);
  const before = process.cpuUsage();
  const clock = performance.now();
  const { value, grads } = gradients();
  optimizer.step(variables.map((variable) => grads[variable.name]));
  const loss = value.dataSync()[0];
  const wall = (performance.now() - clock) / 1000;
  const { user, system } = process.cpuUsage(before);
  tf.dispose([value, grads]);
  return { loss, wall, cpu: (user + system) / 1e6 };
}

const answer = async (question) => {
  if ('load' in question) return load(question);
  if ('step' in question) return step(question);
  return { peakMB: Math.round(process.resourceUsage().maxRSS / 1024) };
};

const { threads, library } = await startEngine();
await serve({ threads, engine: library, node: process.version }, answer);
process.exit(0);
