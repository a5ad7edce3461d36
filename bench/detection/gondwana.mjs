// Faster R-CNN on ResNet-50: a process that answers one JSON line for each it gets, as peer.py does.
// {"load": FOLDER}: the peer's weights, images and boxes; {"step": true}, {"detect": true}
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildDetector } from '../../dist/detection/faster-rcnn.js';
import { geoBench2Detector } from '../../dist/detection/geobench2-detector.js';
import { AS_PUBLISHED } from '../../dist/encoders/define-encoder.js';
import { loadWeights } from '../../dist/encoders/load-weights.js';
import { resnet } from '../../dist/encoders/resnet.js';
import { startEngine } from '../../dist/engine/engine.js';
import { tf } from '../../dist/engine/tf.js';
import { createDeferredScope, ParameterStore } from '../../dist/layers/parameters.js';
import { readEncoderManifest } from '../../dist/manifests/encoder-manifest.js';
import { createRandom } from '../../dist/random.js';
import { createOptimizer } from '../../dist/training/optimizers/create-optimizer.js';
import { serve } from '../serve.mjs';

const [BATCH, SIDE, PADDED] = [2, 400, 416];
const state = {};

async function load(folder) {
  const store = new ParameterStore();
  const scope = createDeferredScope(store, createRandom(0)).child('model');
  const { hyperparameters } = readEncoderManifest('resnet50-timm');
  const encoder = resnet.build(scope.child('body'), hyperparameters, AS_PUBLISHED);
  const channels = encoder.features.map((feature) => feature.channels);
  const detector = buildDetector(scope, geoBench2Detector({ channels, classCount: 2 }));
  await loadWeights(path.join(folder, 'model.pth'), store, 'model', {
    ...{ rename: [[/^backbone\./, '']], discard: [/num_batches_tracked$/] },
  });
  const pixels = new Float32Array(new Uint8Array(readFileSync(path.join(folder, 'images.raw'))).buffer);
  const edge = [0, PADDED - SIDE];
  const images = tf.tidy(() =>
    tf.pad(tf.tensor(pixels, [BATCH, SIDE, SIDE, 3]), [[0, 0], edge, edge, [0, 0]]),
  );
  const boxes = JSON.parse(readFileSync(path.join(folder, 'boxes.json'), 'utf8'));
  const targets = boxes.map((own) => ({
    ...{ boxes: Float32Array.from(own), labels: own.slice(0, own.length / 4).map(() => 1) },
  }));
  const trained = store.all.filter(({ variable }) => variable.trainable);
  const groups = [{ parameters: trained, learningRate: 1e-5, weightDecay: 0.01 }];
  const optimizer = createOptimizer({ name: 'adamw', groups });
  const variables = trained.map(({ variable }) => variable);
  const first = tf.tidy(() => tf.slice(images, [0, 0, 0, 0], [1, -1, -1, -1]));
  Object.assign(state, { encoder, detector, images, first, targets, optimizer, variables });
  return {};
}

const framesOf = (count) => ({
  sizes: Array.from({ length: count }, () => [SIDE, SIDE]),
  batchSize: [PADDED, PADDED],
});

function step() {
  const { encoder, detector, images, targets, optimizer, variables } = state;
  const context = { training: true };
  const { permutation } = createRandom(0);
  const { value, grads } = tf.variableGrads(() => {
    const maps = encoder.forward({ images: { image: images } }, context);
    return tf.addN(Object.values(detector.losses(maps, framesOf(BATCH), targets, context, permutation)));
  }, variables);
  optimizer.step(variables.map((variable) => grads[variable.name]));
  const loss = value.dataSync()[0];
  tf.dispose([value, grads]);
  return { loss };
}

function detect() {
  const { encoder, detector, first } = state;
  const context = { training: false };
  let count = 0;
  tf.tidy(() => {
    const maps = encoder.forward({ images: { image: first } }, context);
    count = detector.detect(maps, framesOf(1), context)[0].scores.length;
  });
  return { count };
}

function timed(run) {
  const before = process.cpuUsage();
  const clock = performance.now();
  const value = run();
  const wall = (performance.now() - clock) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { ...value, wall, cpu: (user + system) / 1e6 };
}

const answer = async (question) => {
  if ('load' in question) return load(question.load);
  return timed('step' in question ? step : detect);
};

const { threads, library } = await startEngine();
await serve({ threads, engine: library, node: process.version }, answer);
process.exit(0);
