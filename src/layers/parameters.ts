import { InputError } from '../errors.js';
import { tf, type Tensor, type Variable } from '../engine/tf.js';
import { fillUniform, type Random } from '../random.js';
import { sizeOf } from '../shapes.js';

/**
 * `statistic`: running mean or variance, moved by batches and never by gradients. `table`: learned values that are no
 * kernel, such as positions and class tokens; its axes are those of the checkpoint. `constant`: like it, never learned.
 * `transposed-kernel`: of a transposed convolution, [...taps, out, in].
 */
export type ParameterRole =
  | 'kernel'
  | 'depthwise-kernel'
  | 'transposed-kernel'
  | 'bias'
  | 'scale'
  | 'offset'
  | 'statistic'
  | 'table'
  | 'constant';

export interface Parameter {
  /** Path with slashes, e.g. `encoder/blocks/3/expand/kernel`. */
  readonly name: string;
  readonly role: ParameterRole;
  readonly variable: Variable;
  /** Draws its initial values, where that was put off; see `createDeferredScope`. */
  readonly draw?: () => Float32Array;
}

/** Fills a new parameter: values in memory order. */
export type Initializer = (shape: readonly number[], random: Random) => Float32Array;

/** All parameters of a model by name, in the order of construction. */
export class ParameterStore {
  readonly #parameters = new Map<string, Parameter>();
  /** Names of those that another store frees. */
  readonly #borrowed = new Set<string>();

  get all(): readonly Parameter[] {
    return [...this.#parameters.values()];
  }

  /** Parameters whose name begins with `prefix/`. */
  under(prefix: string): readonly Parameter[] {
    return this.all.filter(({ name }) => name.startsWith(`${prefix}/`));
  }

  add(parameter: Parameter): void {
    if (this.#parameters.has(parameter.name)) throw new Error(`Parameter ${parameter.name} is built twice.`);
    this.#parameters.set(parameter.name, parameter);
  }

  /** Lists the parameters of another store too, which stay with that one. */
  include(other: ParameterStore): void {
    for (const parameter of other.all) {
      this.add(parameter);
      this.#borrowed.add(parameter.name);
    }
  }

  /**
   * Replaces the values of the named parameters; the others stay.
   * @throws InputError PARAMETER_UNKNOWN, SHAPE_MISMATCH
   */
  assign(
    values: ReadonlyMap<string, { readonly data: Float32Array; readonly shape: readonly number[] }>,
  ): void {
    for (const [name, { data, shape }] of values) {
      const parameter = this.#parameters.get(name);
      if (!parameter) throw new InputError('PARAMETER_UNKNOWN', `The model has no parameter ${name}.`);
      const expected = parameter.variable.shape;
      if (shape.length !== expected.length || shape.some((size, axis) => size !== expected[axis])) {
        throw new InputError(
          'SHAPE_MISMATCH',
          `${name} is [${shape.join(', ')}], the model has [${expected.join(', ')}].`,
        );
      }
      const value = tf.tensor(data, [...shape], 'float32');
      parameter.variable.assign(value);
      value.dispose();
    }
  }

  /** Gives parameters whose drawing was put off their initial values. */
  drawDeferred(names: readonly string[]): void {
    for (const name of names) {
      const { draw, variable } = this.#parameters.get(name)!;
      if (draw) this.assign(new Map([[name, { data: draw(), shape: variable.shape }]]));
    }
  }

  /** Copies of the current values, owned by the caller. */
  snapshot(): Map<string, Tensor> {
    return new Map(this.all.map(({ name, variable }) => [name, variable.clone()]));
  }

  /** Puts a snapshot back. The snapshot stays with its owner. */
  restore(snapshot: ReadonlyMap<string, Tensor>): void {
    for (const { name, variable } of this.all) {
      const value = snapshot.get(name);
      if (value) variable.assign(value);
    }
  }

  dispose(): void {
    for (const { name, variable } of this.all) if (!this.#borrowed.has(name)) variable.dispose();
    this.#parameters.clear();
    this.#borrowed.clear();
  }
}

/** A place in the tree of names, where layers create their parameters. */
export interface Scope {
  child(name: string | number): Scope;
  parameter(name: string, shape: readonly number[], initializer: Initializer, role: ParameterRole): Variable;
}

/** Every parameter draws from a stream of its own name, so that one more layer changes no other's values. */
export const createScope = (store: ParameterStore, random: Random, path = ''): Scope =>
  scopeOf(path, (name, shape, initializer, role) => {
    const values = initializer(shape, random.split(name));
    const variable = tf.tidy(() => tf.variable(tf.tensor(values, [...shape], 'float32'), isTrained(role)));
    store.add({ name, role, variable });
    return variable;
  });

/**
 * A scope for models whose weights come from a file: parameters are zeros until they are assigned, or drawn by
 * `ParameterStore.drawDeferred`, so that no time goes into numbers that are replaced.
 */
export const createDeferredScope = (store: ParameterStore, random: Random, path = ''): Scope =>
  scopeOf(path, (name, shape, initializer, role) => {
    const variable = tf.tidy(() => tf.variable(tf.zeros([...shape]), isTrained(role)));
    store.add({ name, role, variable, draw: () => initializer(shape, random.split(name)) });
    return variable;
  });

/** What a scope makes of a parameter, given its full name. */
type MakeParameter = (
  name: string,
  shape: readonly number[],
  initializer: Initializer,
  role: ParameterRole,
) => Variable;

/** The tree of names, whatever its parameters are. */
function scopeOf(path: string, make: MakeParameter): Scope {
  const join = (name: string | number): string => (path ? `${path}/${name}` : String(name));
  return {
    child: (name) => scopeOf(join(name), make),
    parameter: (name, shape, initializer, role) => make(join(name), shape, initializer, role),
  };
}

/** The same scope, with a list that takes every variable that is made below it. */
export function collectVariables(scope: Scope): { readonly scope: Scope; readonly variables: Variable[] } {
  const variables: Variable[] = [];
  const within = (at: Scope): Scope => ({
    child: (name) => within(at.child(name)),
    parameter(...given) {
      const variable = at.parameter(...given);
      variables.push(variable);
      return variable;
    },
  });
  return { scope: within(scope), variables };
}

const isTrained = (role: ParameterRole): boolean => role !== 'statistic' && role !== 'constant';

/** A parameter that is known by its size alone. */
export interface ParameterShape {
  readonly name: string;
  readonly role: ParameterRole;
  readonly shape: readonly number[];
}

/**
 * A scope in which layers are built for their shapes alone: nothing is drawn and no memory is taken, so that models
 * of any size can be counted. What is built can not be run.
 * @param shapes takes every parameter, in the order of construction
 */
export const createShapeScope = (shapes: ParameterShape[]): Scope =>
  scopeOf('', (name, shape, _initializer, role) => {
    shapes.push({ name, role, shape });
    return { shape } as unknown as Variable;
  });

/**
 * A scope whose parameters can be run but have no values and take no memory. For `countOperations` alone.
 * @param name told which parameter each variable is
 */
export const createValuelessScope = (
  store: ParameterStore,
  name: (variable: Tensor, parameter: string) => void,
): Scope =>
  scopeOf('', (parameter, shape, _initializer, role) => {
    const variable = tf.tidy(() => tf.variable(tf.fill([...shape], 0), isTrained(role)));
    name(variable, parameter);
    store.add({ name: parameter, role, variable });
    return variable;
  });

export const zeros: Initializer = (shape): Float32Array => new Float32Array(sizeOf(shape));
export const ones: Initializer = (shape): Float32Array => new Float32Array(sizeOf(shape)).fill(1);

/** Uniform on ±√(1 / fanIn): PyTorch's default for convolutions and their biases. */
export const uniformByFanIn =
  (fanIn: number): Initializer =>
  (shape, random): Float32Array =>
    uniformWithin(Math.sqrt(1 / fanIn), shape, random);

/** Normal with the given standard deviation. */
export const normal =
  (standardDeviation: number): Initializer =>
  (shape, random): Float32Array => {
    const values = new Float32Array(sizeOf(shape));
    for (let at = 0; at < values.length; at++) values[at] = random.normal() * standardDeviation;
    return values;
  };

/** Uniform on ±√(6 / (fanIn + fanOut)) (Glorot and Bengio 2010). */
export const xavierUniform =
  (fanIn: number, fanOut: number): Initializer =>
  (shape, random): Float32Array =>
    uniformWithin(Math.sqrt(6 / (fanIn + fanOut)), shape, random);

const uniformWithin = (bound: number, shape: readonly number[], random: Random): Float32Array =>
  fillUniform(new Float32Array(sizeOf(shape)), random, (uniform) => (2 * uniform - 1) * bound);
