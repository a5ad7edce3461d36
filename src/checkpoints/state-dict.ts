import { isMap, PickleObject, type PickleValue } from '../io/pickle.js';
import { malformed } from './checkpoint-error.js';
import { TensorEntry, UnsupportedTensor } from './tensor-entry.js';

/** Keys under which training scripts put the weights, the likeliest first. */
const WRAPPERS = [
  ...['state_dict', 'model_state_dict', 'model', 'module', 'net', 'network', 'params', 'weights'],
  ...['teacher', 'model_ema', 'ema_state_dict', 'ema', 'student'],
] as const;

/** Prefixes that running on several devices and compiling put before every name. */
const RUNTIME_PREFIXES = ['module.', '_orig_mod.'] as const;

const MAX_NAMES = 1_000_000;

export interface StateDict {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Tensors whose kind is not read, with the reason. */
  readonly unsupported: ReadonlyMap<string, string>;
  /** Keys and prefixes that were taken away, from the outside in. */
  readonly unwrapped: readonly string[];
}

/**
 * Finds the weights in what a file holds and names them as one flat list, nested names joined by dots.
 * `section` names the key to start from instead of the likeliest one (`model_ema`).
 */
export function findStateDict(tree: PickleValue, section: string | undefined, where: string): StateDict {
  const unwrapped: string[] = [];
  let current = tree;
  for (let key = section ?? wrapperOf(current); key !== undefined; key = wrapperOf(current)) {
    current = isMap(current) ? (current.get(key) ?? null) : null;
    unwrapped.push(key);
  }
  const flat = new Flattener(where);
  flat.add(current, '');
  return stripRuntimePrefixes({ ...flat, unwrapped });
}

/** A wrapper's value must hold tensors by name: `model: "vit"` is a word. */
function wrapperOf(value: PickleValue): string | undefined {
  if (!isMap(value)) return undefined;
  return WRAPPERS.find((key) => {
    const inner = value.get(key);
    return (isMap(inner) || inner instanceof PickleObject) && holdsTensors(inner);
  });
}

function holdsTensors(root: PickleValue): boolean {
  const seen = new Set<PickleValue>();
  const open: PickleValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value instanceof TensorEntry || value instanceof UnsupportedTensor) return true;
    if (seen.has(value)) continue;
    seen.add(value);
    if (isMap(value)) open.push(...value.values());
    else if (value instanceof PickleObject && value.state !== undefined) open.push(value.state);
  }
  return false;
}

class Flattener {
  readonly tensors = new Map<string, TensorEntry>();
  readonly unsupported = new Map<string, string>();
  readonly #open = new Set<PickleValue>();
  #visits = 0;
  readonly #where: string;
  constructor(where: string) {
    this.#where = where;
  }

  add(value: PickleValue, name: string): void {
    if (++this.#visits > MAX_NAMES) throw malformed(this.#where, `It names more than ${MAX_NAMES} values.`);
    if (value instanceof TensorEntry) this.tensors.set(name || 'tensor', value);
    else if (value instanceof UnsupportedTensor) this.unsupported.set(name || 'tensor', value.reason);
    else if ((isMap(value) || value instanceof PickleObject) && !this.#open.has(value)) {
      this.#open.add(value); // a value inside itself is entered once
      for (const [key, inner] of isMap(value) ? value : membersOf(value)) {
        if (typeof key === 'string') this.add(inner, name ? `${name}.${key}` : key);
      }
      this.#open.delete(value);
    }
  }
}

/** Parameters, buffers and parts of a whole pickled module. */
function* membersOf(module: PickleObject): Generator<[PickleValue, PickleValue]> {
  for (const part of ['_parameters', '_buffers', '_modules']) {
    const members = isMap(module.state) ? module.state.get(part) : undefined;
    if (isMap(members)) yield* members;
  }
}

function stripRuntimePrefixes(found: StateDict): StateDict {
  const names = [...found.tensors.keys(), ...found.unsupported.keys()];
  const prefix =
    names.length > 0 && RUNTIME_PREFIXES.find((start) => names.every((name) => name.startsWith(start)));
  if (!prefix) return found;
  const strip = <T>(map: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...map].map(([name, value]) => [name.slice(prefix.length), value]));
  const unwrapped = [...found.unwrapped, prefix];
  return stripRuntimePrefixes({
    tensors: strip(found.tensors),
    unsupported: strip(found.unsupported),
    unwrapped,
  });
}
