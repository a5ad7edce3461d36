import { createRequire } from 'node:module';
import { InputError, RunError } from '../../errors.js';

/** A model in ONNX Runtime. */
export interface OnnxSession {
  /**
   * Waits for the result.
   * @param inputs by name, float32
   * @param outputs names of those that are wanted
   * @throws InputError ONNX_FAILED with what ONNX Runtime says
   */
  readonly run: (
    inputs: Readonly<Record<string, OnnxArray>>,
    outputs: readonly string[],
  ) => Record<string, OnnxArray>;
  readonly dispose: () => void;
}

export interface OnnxArray {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/**
 * The part of onnxruntime-node below its interface. That one answers by promises, though it computes before it does;
 * encoders run inside gradients and tidies, which do not wait.
 */
interface Binding {
  readonly binding: { readonly InferenceSession: new () => NativeSession };
  readonly initOrt: () => void;
}

interface NativeSession {
  loadModel(file: string, options: object): void;
  run(
    inputs: Readonly<Record<string, unknown>>,
    outputs: Readonly<Record<string, null>>,
    options: object,
  ): Record<string, OnnxArray>;
  dispose(): void;
}

interface Runtime extends Binding {
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => unknown;
}

const VERSION = '1.30.0';

let loaded: Runtime | undefined;

/** @throws RunError ONNX_RUNTIME where the optional package is not installed or does not load */
function loadRuntime(): Runtime {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  try {
    const { env, Tensor } = require('onnxruntime-node') as Pick<Runtime, 'Tensor'> & {
      readonly env: { logLevel: string };
    };
    env.logLevel = 'fatal'; // it throws whatever it would print
    const binding = require('onnxruntime-node/dist/binding.js') as Binding;
    binding.initOrt();
    loaded = { ...binding, Tensor };
    return loaded;
  } catch (cause) {
    throw new RunError('ONNX_RUNTIME', `ONNX Runtime does not load: ${firstLine(cause)}`, {
      hint: `npm install onnxruntime-node@${VERSION}`,
      cause,
    });
  }
}

/** @throws RunError ONNX_RUNTIME; InputError ONNX_MODEL for a file that ONNX Runtime refuses */
export function openOnnxSession(file: string): OnnxSession {
  const { binding, Tensor } = loadRuntime();
  const session = new binding.InferenceSession();
  const threads = Number(process.env.TF_NUM_INTRAOP_THREADS); // as the engine
  try {
    session.loadModel(file, { ...(threads > 0 && { intraOpNumThreads: threads }), logSeverityLevel: 4 });
  } catch (cause) {
    throw new InputError('ONNX_MODEL', `ONNX Runtime refuses the model: ${firstLine(cause)}`, {
      where: file,
      hint: 'Export it again, for operators of the standard and an older opset, e.g. opset_version=17.',
      cause,
    });
  }
  return {
    run(inputs, outputs) {
      const tensors = Object.entries(inputs).map(([name, { data, dims }]) => [
        name,
        new Tensor('float32', data, dims),
      ]);
      try {
        return session.run(
          Object.fromEntries(tensors) as Record<string, unknown>,
          Object.fromEntries(outputs.map((name) => [name, null])),
          { logSeverityLevel: 4 },
        );
      } catch (cause) {
        const shapes = Object.entries(inputs).map(([name, { dims }]) => `${name} [${dims.join(', ')}]`);
        throw new InputError(
          'ONNX_FAILED',
          `The model does not run on ${shapes.join(', ')}: ${firstLine(cause)}`,
          {
            where: file,
            hint: 'Give images of the size that the model was exported for; say it once as `imageSize`.',
            cause,
          },
        );
      }
    },
    dispose: () => session.dispose(),
  };
}

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!;
