import { RunError } from '../../errors.js';
import { tf, type Tensor } from '../tf.js';
import { SHAPES_BACKEND } from './backend-name.js';
import { NOTHING, type OperationCount } from './operation-count.js';
import { list, type Attributes, type Inputs, type KernelOutcome, type ShapedTensor } from './kernel-rule.js';
import { shapeRules } from './shape-rules.js';

interface Counting {
  /** Name of the parameter that a tensor is, or a part or view of. */
  readonly names: WeakMap<object, string>;
  readonly counts: Map<string, { -readonly [K in keyof OperationCount]: number }>;
  /** The parameter that was used last: products of activations belong to it. */
  current: string;
}

/** The part of TensorFlow.js' engine that is put in place while shapes are counted, and put back. */
interface EngineState {
  backendName: unknown;
  backendInstance: unknown;
  profiler: unknown;
}

let active: Counting | undefined;

/**
 * Runs a computation for its shapes alone: tensors that it makes have no values and take no memory, and what it would
 * compute is counted by the parameter that it belongs to. What belongs to no parameter counts for the one before it,
 * or for '' at the start. Not to be nested; whatever it leaves is disposed of.
 * @param compute runs at once, without a pause; `name` tells of a variable which parameter it is
 * @throws RunError COST_UNKNOWN where it reads values, or uses a kernel whose shapes are not known
 */
export function countOperations<T>(compute: (name: (variable: Tensor, parameter: string) => void) => T): {
  readonly result: T;
  readonly counts: ReadonlyMap<string, OperationCount>;
} {
  register();
  const engine = tf.engine() as unknown as EngineState;
  const before = {
    backendName: engine.backendName,
    backendInstance: engine.backendInstance,
    profiler: engine.profiler,
  };
  const counting: Counting = { names: new WeakMap(), counts: new Map(), current: '' };
  active = counting;
  // the synchronous part of it does all, as the backend is at hand
  void tf.setBackend(SHAPES_BACKEND);
  tf.engine().startScope();
  try {
    const result = compute(({ dataId }, parameter) => counting.names.set(dataId, parameter));
    return { result, counts: counting.counts };
  } catch (cause) {
    const missing = /^Kernel '(\w+)' not registered for backend/.exec((cause as Error).message)?.[1];
    if (missing === undefined) throw cause;
    throw costUnknown(`the operation ${missing} is not known by shape`, cause);
  } finally {
    tf.engine().endScope();
    active = undefined;
    Object.assign(engine, before);
  }
}

const costUnknown = (why: string, cause?: unknown): RunError =>
  new RunError('COST_UNKNOWN', `What the model computes cannot be counted: ${why}.`, {
    hint: 'Use the operations of gondwana/engine in its forward pass, and read no values there.',
    cause,
  });

let isRegistered = false;

function register(): void {
  if (isRegistered) return;
  isRegistered = true;
  const backend = new ShapesBackend();
  // behind all others, so that nobody gets it without asking
  tf.registerBackend(SHAPES_BACKEND, () => backend as never, -1);
  for (const [kernelName, rule] of Object.entries(shapeRules)) {
    tf.registerKernel({
      kernelName: kernelName as never,
      backendName: SHAPES_BACKEND,
      kernelFunc: ({ inputs, attrs }) => {
        const given = inputs as unknown as Inputs;
        const outcome = rule(given, (attrs ?? {}) as Attributes);
        const owner = ownerOf(list(given));
        if (active) count(active, owner, outcome);
        const results = outcome.outputs.map(({ shape, dtype }) => {
          const dataId = backend.make();
          if (outcome.isMove && owner !== undefined) active?.names.set(dataId, owner);
          return { dataId, shape: [...shape], dtype };
        });
        return results.length === 1 ? results[0]! : results;
      },
    });
  }
}

/** Of several the last: filters and biases come behind what they are put on. */
const ownerOf = (inputs: readonly (ShapedTensor | undefined)[]): string | undefined =>
  inputs.map((input) => input && active?.names.get(input.dataId)).findLast((name) => name !== undefined);

function count(counting: Counting, owner: string | undefined, outcome: KernelOutcome): void {
  const { multiplyAdds = 0, otherOperations = 0, isTransposed = false } = outcome;
  counting.current = owner ?? counting.current;
  if (multiplyAdds + otherOperations === 0) return;
  const sum = counting.counts.get(counting.current) ?? { ...NOTHING };
  sum.multiplyAdds += multiplyAdds;
  sum.otherOperations += otherOperations;
  if (isTransposed) sum.transposedConvolutions += multiplyAdds;
  else if (owner === undefined) sum.activationProducts += multiplyAdds;
  counting.counts.set(counting.current, sum);
}

/** Holds no data, only how often each place is used. */
class ShapesBackend {
  readonly #uses = new Map<object, number>();

  make(): object {
    const dataId = {};
    this.#uses.set(dataId, 1);
    return dataId;
  }

  write(): object {
    return this.make();
  }

  refCount(dataId: object): number {
    return this.#uses.get(dataId) ?? 0;
  }

  incRef(dataId: object): void {
    this.#uses.set(dataId, this.refCount(dataId) + 1);
  }

  disposeData(dataId: object, force = false): boolean {
    const uses = this.refCount(dataId) - 1;
    if (uses > 0 && !force) {
      this.#uses.set(dataId, uses);
      return false;
    }
    this.#uses.delete(dataId);
    return true;
  }

  numDataIds(): number {
    return this.#uses.size;
  }

  readSync(): never {
    throw costUnknown('it reads values');
  }

  read(): Promise<never> {
    return Promise.reject(costUnknown('it reads values'));
  }

  move(): never {
    throw costUnknown('it uses tensors from elsewhere');
  }

  memory(): { unreliable: boolean } {
    return { unreliable: true };
  }

  floatPrecision(): 16 | 32 {
    return 32;
  }

  epsilon(): number {
    return 1e-7;
  }

  timerAvailable(): boolean {
    return false;
  }

  dispose(): void {
    this.#uses.clear();
  }
}
