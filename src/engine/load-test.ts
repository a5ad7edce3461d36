import { fileURLToPath } from 'node:url';
import { RunError } from '../errors.js';
import { lastLines, runProcess } from '../io/process.js';

/**
 * Loads an addon as `loadNativeBackend` does and multiplies two matrices. A text, because it must run in a
 * process of its own before our compiled files are sure to be there, and an addon that crashes must not take
 * the caller along. Arguments: the file that modules are found from, the addon.
 */
const PROGRAM = `
const Module = require('node:module'), util = require('node:util');
const [base, addon] = process.argv.slice(1);
util.isNullOrUndefined ??= (value) => value === null || value === undefined;
const load = Module._load;
Module._load = (request, parent, isMain) =>
  request === '@mapbox/node-pre-gyp' && parent?.filename?.includes('tfjs-node')
    ? { find: () => addon } : load(request, parent, isMain);
const tf = Module.createRequire(base)('@tensorflow/tfjs-node');
const matrix = tf.tensor2d([[1, 2], [3, 4]]);
console.log('RESULT', tf.backend().binding.TF_Version, [...tf.matMul(matrix, matrix).dataSync()].join());
`;
const EXPECTED = '7,10,15,22';

/** @throws RunError ENGINE_BROKEN; the signal's reason */
export async function testAddon(addon: string, tensorflow: string, signal?: AbortSignal): Promise<void> {
  const args = ['-e', PROGRAM, fileURLToPath(import.meta.url), addon];
  const env = { TF_CPP_MIN_LOG_LEVEL: '2', NODE_OPTIONS: undefined };
  const { status, stdout, stderr, killedBy } = await runProcess(process.execPath, args, { signal, env });
  if (status === 0 && stdout.includes(`RESULT ${tensorflow} ${EXPECTED}`)) return;
  const illegal =
    killedBy === 'SIGILL' ? ' The processor may lack instructions (AVX) that TensorFlow is built with.' : '';
  const reason = killedBy ? `it is ended by ${killedBy}.${illegal}` : describeOutput(stdout, stderr);
  throw new RunError('ENGINE_BROKEN', `The native engine was built but does not work: ${reason}`, {
    where: addon,
    hint: 'Nothing was installed; the engines wasm and cpu work without it. Report this with the cause.',
    cause: new Error(lastLines(`${stdout}\n${stderr}`)),
  });
}

function describeOutput(stdout: string, stderr: string): string {
  const result = /RESULT .*/.exec(stdout)?.[0];
  if (result) return `it computes ${result.replace('RESULT ', '')} instead of ${EXPECTED}.`;
  const error = stderr.split('\n').find((line) => /Error|error|cannot/.test(line));
  return `${(error ?? lastLines(stderr, 1)).trim() || 'no reason given'}.`;
}
