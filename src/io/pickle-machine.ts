import { PickleEnd, PickleFault, type PickleInput } from './pickle-input.js';
import { fillNumpyArray } from './pickle-numpy.js';
import { standardReducers, type Reducer } from './pickle-reducers.js';
import { NumpyArray, PickleGlobal, PickleObject, PickleTuple, type PickleValue } from './pickle-values.js';

export type PickleInstruction = (machine: PickleMachine) => void;

export interface PickleOptions {
  /** By module and name joined with a space (no name holds one): only these are more than opaque records. */
  readonly reducers?: ReadonlyMap<string, Reducer>;
  /** Takes the state that the file sets on a value a reducer made; false: the state is dropped. */
  readonly setState?: (value: PickleValue, state: PickleValue) => boolean;
  /** Value of an outside reference, such as a tensor's storage; without it such references are an error. */
  readonly persistentId?: (id: PickleValue) => PickleValue;
  /** Called once for each class or function the file names; may throw to refuse the file. */
  readonly onGlobal?: (global: PickleGlobal) => void;
  /** File, for errors. */
  readonly where?: string;
  /** Containers and records together, default 5 million: bounds the memory a small file can ask for. */
  readonly maxObjects?: number;
  /** Containers inside each other, default 200. */
  readonly maxDepth?: number;
}

const MAX_OBJECTS = 5_000_000;
const MAX_DEPTH = 200;
const MAX_STACK = 10_000_000;
const HIGHEST_PROTOCOL = 5;

/** The stack machine that a pickle is a program for. */
export class PickleMachine {
  private stack: PickleValue[] = [];
  private readonly marked: PickleValue[][] = [];
  readonly memo = new Map<number, PickleValue>();
  private readonly globals = new Map<string, PickleGlobal>();
  private readonly reducers: ReadonlyMap<string, Reducer>;
  private objectsLeft: number;
  private height = 0;

  constructor(
    readonly input: PickleInput,
    private readonly options: PickleOptions,
  ) {
    this.reducers = options.reducers ?? standardReducers;
    this.objectsLeft = options.maxObjects ?? MAX_OBJECTS;
  }

  /** `instructions` by opcode. */
  run(instructions: readonly (PickleInstruction | undefined)[]): PickleValue {
    for (;;) {
      const opcode = this.input.byte();
      if (opcode === 0x2e) break; // '.': stop
      const instruction = instructions[opcode];
      if (!instruction)
        throw new PickleFault(`there is no instruction 0x${opcode.toString(16).padStart(2, '0')}`);
      instruction(this);
    }
    const result = this.pop();
    refuseDepth(result, this.options.maxDepth ?? MAX_DEPTH);
    return result;
  }

  push(value: PickleValue): void {
    if (++this.height > MAX_STACK) throw new PickleFault('its stack grows beyond all measure');
    this.stack.push(value);
  }
  pop(): PickleValue {
    const value = this.stack.pop();
    if (value === undefined) throw new PickleFault('it takes a value from an empty stack');
    this.height--;
    return value;
  }
  top(): PickleValue {
    const value = this.stack.at(-1);
    if (value === undefined) throw new PickleFault('it takes a value from an empty stack');
    return value;
  }
  mark(): void {
    if (++this.height > MAX_STACK) throw new PickleFault('its stack grows beyond all measure');
    this.marked.push(this.stack);
    this.stack = [];
  }
  popMark(): PickleValue[] {
    const below = this.marked.pop();
    if (!below) throw new PickleFault('it looks for a mark that was never set');
    const items = this.stack;
    this.stack = below;
    this.height -= items.length + 1;
    return items;
  }
  drop(): void {
    if (this.stack.length > 0) this.pop();
    else this.popMark();
  }
  popArgs(): readonly PickleValue[] {
    const args = this.pop();
    if (!(args instanceof PickleTuple)) throw new PickleFault('the arguments of a call are not a tuple');
    return args.items;
  }

  made<T extends PickleValue>(value: T): T {
    if (--this.objectsLeft < 0) throw new PickleFault('it holds more objects than any data file would');
    return value;
  }
  tuple(count: number): void {
    const items: PickleValue[] = [];
    for (let i = 0; i < count; i++) items.unshift(this.pop());
    this.push(this.made(new PickleTuple(items)));
  }
  dict(): void {
    const items = this.popMark();
    this.push(this.made(new Map()));
    this.setItems(items);
  }
  append(items: readonly PickleValue[]): void {
    const target = this.top();
    const list = target instanceof PickleObject ? target.items : target;
    if (!Array.isArray(list)) throw new PickleFault('it appends to something that is no list');
    for (const item of items) list.push(item);
  }
  setItems(items: readonly PickleValue[]): void {
    const target = this.top();
    const map = target instanceof PickleObject ? target.entries : target;
    if (!(map instanceof Map)) throw new PickleFault('it sets an item of something that is no dict');
    if (items.length % 2 !== 0) throw new PickleFault('a key of a dict has no value');
    for (let i = 0; i < items.length; i += 2) map.set(items[i]!, items[i + 1]!);
  }
  addItems(items: readonly PickleValue[]): void {
    const target = this.top();
    if (!(target instanceof Set)) throw new PickleFault('it adds to something that is no set');
    for (const item of items) target.add(item);
  }

  remember(key: number): void {
    if (!Number.isSafeInteger(key) || key < 0) throw new PickleFault('a memo key is no natural number');
    this.memo.set(key, this.top());
  }
  recall(key: number): void {
    const value = this.memo.get(key);
    if (value === undefined) throw new PickleFault(`it recalls value ${key}, which was never stored`);
    this.push(value);
  }

  global(module: string, name: string): PickleGlobal {
    const key = `${module} ${name}`;
    let global = this.globals.get(key);
    if (!global) {
      global = this.made(new PickleGlobal(module, name));
      this.globals.set(key, global);
      this.options.onGlobal?.(global);
    }
    return global;
  }
  stackGlobal(): void {
    const name = this.pop();
    const module = this.pop();
    if (typeof name !== 'string' || typeof module !== 'string') throw new PickleFault('a name is not text');
    this.push(this.global(module, name));
  }
  call(type: PickleValue, args: readonly PickleValue[]): PickleValue {
    if (!(type instanceof PickleGlobal))
      throw new PickleFault('it calls something that is no named class or function');
    const reducer = this.reducers.get(`${type.module} ${type.name}`);
    return this.made(reducer ? reducer(args) : new PickleObject(type, args));
  }
  build(target: PickleValue, state: PickleValue): void {
    if (target instanceof NumpyArray) fillNumpyArray(target, state);
    else if (this.options.setState?.(target, state)) return;
    else if (target instanceof PickleObject) target.state = state;
    // attributes set on dicts and other plain values are dropped: nothing here reads them
  }
  persistent(id: PickleValue): PickleValue {
    if (!this.options.persistentId)
      throw new PickleFault('it refers to something outside itself', 'PICKLE_UNSUPPORTED');
    return this.options.persistentId(id);
  }

  protocol(version: number): void {
    if (version > HIGHEST_PROTOCOL)
      throw new PickleFault(`it has protocol ${version}; 0 to ${HIGHEST_PROTOCOL} are known`);
  }
  frame(length: number): void {
    if (length > this.input.remaining)
      throw new PickleEnd(`a frame claims ${length} bytes where ${this.input.remaining} are left`);
  }
}

/** Those who use the value may walk it by recursion. Each value is visited once, so shared ones cost nothing. */
function refuseDepth(root: PickleValue, maxDepth: number): void {
  const seen = new Set<object>();
  let layer: PickleValue[] = [root];
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > maxDepth)
      throw new PickleFault(`its containers lie more than ${maxDepth} deep inside each other`);
    const next: PickleValue[] = [];
    for (const value of layer) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      for (const child of childrenOf(value)) if (typeof child === 'object') next.push(child);
    }
    layer = next;
  }
}

function* childrenOf(value: PickleValue): Generator<PickleValue> {
  if (Array.isArray(value) || value instanceof Set) yield* value;
  else if (value instanceof PickleTuple) yield* value.items;
  else if (value instanceof Map) for (const pair of value) yield* pair;
  else if (value instanceof PickleObject) {
    yield* value.args;
    yield* value.items;
    for (const pair of value.entries) yield* pair;
    if (value.state !== undefined) yield value.state;
  }
}
