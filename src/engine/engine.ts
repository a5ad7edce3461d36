import { availableParallelism, cpus } from 'node:os';
import { createRequire } from 'node:module';
import path from 'node:path';
import { RunError, UsageError } from '../errors.js';
import { ENGINE_INSTALL_LINE } from './engine-folder.js';
import { gpuName } from './gpu-name.js';
import { findNativeEngines, loadNativeBackend } from './native.js';
import { tf } from './tf.js';

export { ENGINE_INSTALL_LINE } from './engine-folder.js';

export const ENGINE_NAMES = ['native-gpu', 'native-cpu', 'wasm', 'cpu'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** What computes, as every record and report states it. */
export interface EngineInfo {
  readonly name: EngineName;
  /** Library behind the ops, e.g. `TensorFlow 2.21.0`. */
  readonly library: string;
  /** e.g. `tfjs 4.22.0`. */
  readonly api: string;
  /** `processor`, or the models of the GPUs. */
  readonly device: string;
  readonly threads: number;
  readonly processor: string;
  /** Why a better engine was not taken; empty when the best one runs. */
  readonly notices: readonly string[];
}

let started: Promise<EngineInfo> | undefined;

/**
 * Starts the best engine there is, once a thread: GPU, native CPU, wasm, plain JavaScript (`cpu`).
 * `GONDWANA_ENGINE` (one of the names, or `native` for either native one) overrides and never falls back.
 * @throws UsageError ENGINE_UNKNOWN; RunError ENGINE_MISSING, ENGINE_BROKEN for an engine asked for by name
 */
export function startEngine(): Promise<EngineInfo> {
  return (started ??= chooseEngine(process.env.GONDWANA_ENGINE));
}

async function chooseEngine(wanted: string | undefined): Promise<EngineInfo> {
  if (wanted && wanted !== 'native' && !(ENGINE_NAMES as readonly string[]).includes(wanted)) {
    throw new UsageError('ENGINE_UNKNOWN', `There is no engine "${wanted}".`, {
      where: 'GONDWANA_ENGINE',
      hint: `Known: native, ${ENGINE_NAMES.join(', ')}.`,
    });
  }
  const notices: string[] = [];
  if (!wanted || wanted.startsWith('native')) {
    const native = startNative(wanted, notices);
    if (native) return native;
  }
  if (!wanted || wanted === 'wasm') {
    try {
      return await startWasm(notices);
    } catch (cause) {
      if (wanted) throw broken('wasm', cause);
      notices.push(`wasm engine: ${(cause as Error).message}`);
    }
  }
  await tf.setBackend('cpu');
  // its first use prints advice to install a package that cannot be installed this way
  (tf.backend() as unknown as { firstUse: boolean }).firstUse = false;
  return describe('cpu', `tfjs cpu ${tf.version.tfjs}`, 'processor (plain JavaScript)', 1, notices);
}

function startNative(wanted: string | undefined, notices: string[]): EngineInfo | undefined {
  const installed = findNativeEngines();
  // asked for the processor: the engine made for it, or the other one with the GPUs hidden
  if (wanted === 'native-cpu') {
    process.env.CUDA_VISIBLE_DEVICES = '-1';
    installed.reverse();
  }
  if (installed.length === 0) {
    const message = 'The native engine is not installed.';
    if (wanted) throw new RunError('ENGINE_MISSING', message, { hint: ENGINE_INSTALL_LINE });
    notices.push(`${message} ${ENGINE_INSTALL_LINE}`);
    return undefined;
  }
  const causes: Error[] = [];
  for (const { addon, stamp } of installed) {
    // threads that add to the same pixels, as in the gradient of crops, would lose and reorder sums
    if (stamp.flavour === 'cpu' || wanted === 'native-cpu') process.env.TF_DETERMINISTIC_OPS ??= '1';
    try {
      loadNativeBackend(addon);
      if (!stamp.fusedKernels) notices.push(WITHOUT_KERNELS);
      return describeNative(wanted, addon, notices);
    } catch (cause) {
      if (cause instanceof RunError) throw cause;
      causes.push(cause as Error);
    }
  }
  if (wanted) throw broken('native', causes[0]);
  notices.push(`The native engine does not load (${causes[0]!.message}). ${ENGINE_INSTALL_LINE} --force`);
  return undefined;
}

const WITHOUT_KERNELS = `The compiler refused the fused kernels: training takes about a third longer. With another g++: ${ENGINE_INSTALL_LINE} --force`;

function describeNative(wanted: string | undefined, addon: string, notices: readonly string[]): EngineInfo {
  const backend = tf.backend() as unknown as {
    isUsingGpuDevice: boolean;
    binding: { TF_Version: string };
  };
  const onGpu = backend.isUsingGpuDevice;
  if (wanted === 'native-gpu' && !onGpu) {
    throw new RunError('ENGINE_MISSING', 'TensorFlow sees no GPU.', {
      where: addon,
      hint: 'Install the GPU engine (npx gondwana engine install --gpu) on a machine with an NVIDIA driver.',
    });
  }
  const threads = Number(process.env.TF_NUM_INTRAOP_THREADS) || availableParallelism();
  const name = onGpu ? 'native-gpu' : 'native-cpu';
  return describe(
    name,
    `TensorFlow ${backend.binding.TF_Version}`,
    onGpu ? gpuName() : 'processor',
    threads,
    notices,
  );
}

async function startWasm(notices: readonly string[]): Promise<EngineInfo> {
  const require = createRequire(import.meta.url);
  const wasm = require('@tensorflow/tfjs-backend-wasm') as typeof import('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(path.dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + path.sep);
  if (!(await tf.setBackend('wasm'))) throw new Error('the wasm backend did not start');
  return describe('wasm', `tfjs wasm ${wasm.version_wasm}`, 'processor (WebAssembly)', 1, notices);
}

function describe(
  name: EngineName,
  library: string,
  device: string,
  threads: number,
  notices: readonly string[],
): EngineInfo {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  return { name, library, api: `tfjs ${tf.version.tfjs}`, device, threads, processor, notices };
}

const broken = (name: string, cause: unknown): RunError =>
  new RunError('ENGINE_BROKEN', `The ${name} engine does not start: ${(cause as Error).message}`, {
    hint: `${ENGINE_INSTALL_LINE} --force`,
    cause,
  });

/** True where raw TensorFlow ops can be called. */
export const isNative = (): boolean => tf.getBackend() === 'tensorflow';
