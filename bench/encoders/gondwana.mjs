// Forward passes of encoders: a process that answers one JSON line for each it gets, as peer.py does.
// {"load": NAME, "folder": FOLDER, "precision": "float32" | "bfloat16"}, {"run": NAME, "save": PREFIX}, {"memory": true}
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CORRECTED } from '../../dist/encoders/define-encoder.js';
import { loadWeights } from '../../dist/encoders/load-weights.js';
import { getEncoderFamily } from '../../dist/encoders/registry.js';
import { startEngine } from '../../dist/engine/engine.js';
import { inPrecision } from '../../dist/engine/ops/precision.js';
import { tf } from '../../dist/engine/tf.js';
import { createDeferredScope, ParameterStore } from '../../dist/layers/parameters.js';
import { readEncoderManifest } from '../../dist/manifests/encoder-manifest.js';
import { createRandom } from '../../dist/random.js';
import { serve } from '../serve.mjs';

/** What stands in for the peer's models: a family with hyperparameters, or the manifest that has them. */
const MODELS = {
  'vit-b16': {
    manifest: 'vit-b16-imagenet',
    hyperparameters: { finalNorm: 'none' },
    shape: [8, 224, 224, 3],
  },
  resnet50: { manifest: 'resnet50-timm', shape: [8, 224, 224, 3] },
  'swin-b-stage': {
    family: 'swin',
    hyperparameters: {
      ...{ version: 1, layout: 'torchvision', bandCount: 3, width: 128 },
      ...{ depths: [2], heads: [4], windowSize: 7 },
    },
    shape: [8, 224, 224, 3],
  },
  'satlas-swin-b': { manifest: 'satlas-swin-b-naip', shape: [2, 256, 256, 3] },
};
const models = new Map();

async function load({ load: name, folder, precision }) {
  const { manifest: id, shape, ...given } = MODELS[name];
  const manifest = id && readEncoderManifest(id);
  const family = await getEncoderFamily(manifest?.family ?? given.family);
  const hyperparameters = { ...manifest?.hyperparameters, ...given.hyperparameters };
  const store = new ParameterStore();
  const scope = createDeferredScope(store, createRandom(0)).child('encoder');
  const built = family.build(scope, hyperparameters, CORRECTED);
  await loadWeights(path.join(folder, `${name}.pth`), store, 'encoder', family.weights(hyperparameters));
  const { buffer } = readFileSync(path.join(folder, `${name}.f32`));
  const images = tf.tidy(() => tf.mul(tf.tensor(new Float32Array(buffer), shape), 1)); // memory of the engine's own
  models.set(name, { forward: built.forward, images, precision });
  return { parameters: store.all.reduce((sum, { variable }) => sum + variable.size, 0) };
}

function run({ run: name, save }) {
  const { forward, images, precision } = models.get(name);
  const before = process.cpuUsage();
  const clock = performance.now();
  const maps = inPrecision(precision, () =>
    tf.tidy(() => forward({ images: { optical: images } }, { training: false })),
  );
  const wall = (performance.now() - clock) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (save) for (const [index, map] of maps.entries()) writeFileSync(`${save}.${index}.f32`, map.dataSync());
  tf.dispose(maps);
  return { wall, cpu: (user + system) / 1e6 };
}

const answer = async (question) => {
  if ('load' in question) return load(question);
  if ('run' in question) return run(question);
  return { peakMB: Math.round(process.resourceUsage().maxRSS / 1024) };
};

const { threads, library } = await startEngine();
await serve({ threads, engine: library, node: process.version }, answer);
process.exit(0);
