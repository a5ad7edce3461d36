import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, describe } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { findNativeEngines } from '../../src/engine/native.js';
import { tf } from '../../src/engine/tf.js';

/** tfjs' names of the backends that ops are checked on. */
export const BACKENDS = ['cpu', 'wasm', 'tensorflow'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Loads what is there; the native engine only if it is installed. */
async function loadBackends(): Promise<ReadonlySet<Backend>> {
  const loaded = new Set<Backend>(['cpu', 'wasm']);
  const require = createRequire(import.meta.url);
  const wasm = require('@tensorflow/tfjs-backend-wasm') as typeof import('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(path.dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + path.sep);
  await tf.setBackend('wasm');
  if (findNativeEngines().length > 0) {
    process.env.GONDWANA_ENGINE = 'native';
    await startEngine();
    loaded.add('tensorflow');
  }
  await tf.setBackend('cpu');
  (tf.backend() as unknown as { firstUse: boolean }).firstUse = false; // no advice in the log of the tests
  return loaded;
}

const loaded = await loadBackends();

/** A suite for each backend; one that is not there shows up as skipped, with the reason in its name. */
export function describeBackends(area: string, suite: (backend: Backend) => void): void {
  for (const backend of BACKENDS) {
    if (loaded.has(backend)) {
      describe(`${area} on ${backend}`, () => {
        // ops compute on this thread: without a turn of the event loop the runner hears nothing until the end
        afterEach(() => new Promise((resolve) => setImmediate(resolve)));
        suite(backend);
      });
    } else
      describe.skip(`${area} on ${backend} (not run: the native engine is not installed)`, () =>
        suite(backend));
  }
}

/** Runs `f` on a backend; back on `cpu` afterwards. */
export function onBackend<T>(backend: Backend, f: () => T): T {
  // all three are loaded, so the switch is made at once, not when the promise settles
  void tf.setBackend(backend);
  if (tf.getBackend() !== backend) throw new Error(`backend ${backend} is not ready`);
  try {
    return f();
  } finally {
    void tf.setBackend('cpu');
  }
}
