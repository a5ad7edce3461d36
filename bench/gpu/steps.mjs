// 20 fine-tuning steps of ViT-S/16 from fixed random numbers on the engine that GONDWANA_ENGINE names; one JSON line:
// {"engine", "precision", "losses", "secondsPerStep", "tensors": [after step 1, after the last], "residentMB": [ditto]}
// usage: node bench/gpu/steps.mjs [float32 | bfloat16] [STEPS]
import { CORRECTED } from '../../dist/encoders/define-encoder.js';
import { getEncoderFamily } from '../../dist/encoders/registry.js';
import { startEngine } from '../../dist/engine/engine.js';
import { crossEntropy } from '../../dist/engine/ops/cross-entropy.js';
import { inPrecision } from '../../dist/engine/ops/precision.js';
import { tf } from '../../dist/engine/tf.js';
import { dense } from '../../dist/layers/dense.js';
import { createScope, ParameterStore } from '../../dist/layers/parameters.js';
import { readEncoderManifest } from '../../dist/manifests/encoder-manifest.js';
import { createRandom } from '../../dist/random.js';
import { createOptimizer } from '../../dist/training/optimizers/create-optimizer.js';

const [precision = 'float32', steps = '20'] = process.argv.slice(2);
const [BATCH, SIDE, CLASSES] = [8, 224, 7];

const engine = await startEngine();
const { family: id, hyperparameters } = readEncoderManifest('vit-small-timm');
const store = new ParameterStore();
const scope = createScope(store, createRandom(0));
const encoder = (await getEncoderFamily(id)).build(scope.child('encoder'), hyperparameters, CORRECTED);
const classify = dense(scope.child('head'), hyperparameters.width, CLASSES);
const random = createRandom(1);
const images = tf.tensor4d(
  Float32Array.from({ length: BATCH * SIDE * SIDE * 3 }, () => random.normal()),
  [BATCH, SIDE, SIDE, 3],
);
const labels = tf.tensor1d(
  Int32Array.from({ length: BATCH }, (_, index) => index % CLASSES),
  'int32',
);
const trained = store.all.filter(({ variable }) => variable.trainable);
const groups = [{ parameters: trained, learningRate: 1e-4, weightDecay: 0.05 }];
const optimizer = createOptimizer({ name: 'adamw', groups });
const loss = () =>
  crossEntropy(classify(encoder.embed({ images: { optical: images } }, { training: true })), labels);

const losses = [];
const seconds = [];
const [tensors, residentMB] = [[], []];
for (let step = 0; step < Number(steps); step++) {
  const start = performance.now();
  const { value, grads } = inPrecision(precision, () =>
    tf.variableGrads(
      loss,
      trained.map(({ variable }) => variable),
    ),
  );
  optimizer.step(trained.map(({ variable }) => grads[variable.name]));
  losses.push(value.dataSync()[0]); // waits for the device
  tf.dispose([value, grads]);
  seconds.push((performance.now() - start) / 1000);
  if (step === 0 || step === Number(steps) - 1) {
    tensors.push(tf.memory().numTensors);
    residentMB.push(Math.round(process.memoryUsage().rss / 1e6));
  }
}
seconds.sort((a, b) => a - b);
const { name, device, library } = engine;
const secondsPerStep = seconds[Math.floor(seconds.length / 2)];
process.stdout.write(
  `${JSON.stringify({ engine: { name, device, library }, precision, losses, secondsPerStep, tensors, residentMB })}\n`,
);
