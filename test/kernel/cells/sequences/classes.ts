import type { Sequence } from '../sequence.js';

export const classes: readonly Sequence[] = [
  {
    name: 'a class is extended in a later cell',
    cells: [
      {
        code: 'class Animal { constructor(protected name: string) {} speak() { return this.name + " speaks"; } }',
        silent: true,
      },
      {
        code: 'class Dog extends Animal { override speak() { return super.speak() + ": woof"; } }',
        silent: true,
      },
      {
        code: 'const d = new Dog("Rex"); [d.speak(), d instanceof Animal, Dog.name]',
        value: ['Rex speaks: woof', true, 'Dog'],
      },
    ],
  },
  {
    name: 'objects of a class that was declared again keep the old one',
    cells: [
      { code: 'class K { version() { return 1; } } const old = new K();', silent: true },
      { code: 'class K { version() { return 2; } }', silent: true },
      { code: '[old.version(), new K().version(), (old as any) instanceof K]', value: [1, 2, false] },
    ],
  },
  {
    name: 'private, static, accessor and computed members work',
    cells: [
      {
        code: `const key = 'dynamic';
class Store {
  static #made = 0;
  static label = 'store';
  static { Store.#made = 10; }
  #items: string[] = [];
  readonly id = ++Store.#made;
  get size() { return this.#items.length; }
  set first(value: string) { this.#items[0] = value; }
  has(other: object) { return #items in other; }
  [key]() { return this.#items[0]; }
  add = (item: string) => { this.#items.push(item); return this; };
}`,
        silent: true,
      },
      {
        code: 'const s = new Store(); s.add("a").add("b"); s.first = "z"; [s.id, s.size, s.dynamic(), s.has(s), s.has({}), Store.label]',
        value: [11, 2, 'z', true, false, 'store'],
      },
    ],
  },
  {
    name: 'parameter properties and field initialisers run in order',
    cells: [
      { code: 'let log: string[] = []; const note = (s: string) => (log.push(s), s);', silent: true },
      {
        code: 'class P { static s = note("static"); a = note("field"); constructor(public b = note("parameter")) { note("body"); } }',
        silent: true,
      },
      {
        code: 'const p = new P(); [log, p.b]',
        value: [['static', 'field', 'parameter', 'body'], 'parameter'],
      },
    ],
  },
  {
    name: 'a class refers to itself and to variables of the cell',
    cells: [
      {
        code: 'let made = 0; class Node2 { next?: Node2; static root = new Node2(); constructor() { made++; } link() { this.next = new Node2(); return this.next instanceof Node2; } }',
        silent: true,
      },
      { code: '[new Node2().link(), made, Node2.root instanceof Node2]', value: [true, 3, true] },
    ],
  },
  {
    name: 'abstract classes, interfaces and overloads check and run',
    cells: [
      {
        code: `interface Sized { size(): number }
abstract class Base<T> implements Sized { constructor(protected items: T[]) {} abstract size(): number; twice() { return 2 * this.size(); } }
class Items<T> extends Base<T> { size() { return this.items.length; } }
function pick(x: string): string; function pick(x: number): number; function pick(x: any) { return x; }`,
        silent: true,
      },
      {
        code: 'const sized: Sized = new Items(["a", "b"]); [sized.size(), new Items([1]).twice(), pick("a"), pick(1)]',
        value: [2, 2, 'a', 1],
      },
    ],
  },
  {
    name: 'decorators change classes, methods, fields and accessors',
    cells: [
      {
        code: `const calls: string[] = [];
const logged = (value: any, context: ClassMethodDecoratorContext) => function (this: any, ...args: any[]) { calls.push(String(context.name)); return value.apply(this, args); };
const double = (_: undefined, __: ClassFieldDecoratorContext) => (initial: number) => 2 * initial;
const tagged = <T extends new (...args: any[]) => object>(value: T, context: ClassDecoratorContext) => class extends value { tag = 'tagged ' + context.name };`,
        silent: true,
      },
      {
        code: '@tagged class Decorated { @double n = 21; @logged run() { return this.n; } accessor open = 1; }',
        silent: true,
      },
      {
        code: 'const d: any = new Decorated(); [d.run(), d.tag, calls, d.open]',
        value: [42, 'tagged Decorated', ['run'], 1],
      },
    ],
  },
  {
    name: 'mixins and class expressions take a base of an earlier cell',
    cells: [
      {
        code: 'class Root { root() { return "root"; } } type Constructor = new (...args: any[]) => Root;',
        silent: true,
      },
      {
        code: 'const Mixed = (Base: Constructor) => class extends Base { mixed() { return this.root() + "+"; } }; const M = Mixed(Root);',
        silent: true,
      },
      { code: 'new M().mixed()', value: 'root+' },
    ],
  },
  {
    name: 'errors of one’s own keep their class across cells',
    cells: [
      {
        code: 'class Failed extends Error { override name = "Failed"; constructor(readonly field: string, options?: ErrorOptions) { super("bad " + field, options); } }',
        silent: true,
      },
      {
        code: 'try { throw new Failed("x", { cause: 1 }); } catch (e) { var caught = e as Failed; }\n[caught instanceof Failed, caught instanceof Error, caught.message, caught.field, caught.cause]',
        value: [true, true, 'bad x', 'x', 1],
      },
      { code: 'throw new Failed("y")', throws: { name: 'Failed', message: 'bad y', line: 1 } },
    ],
  },
  {
    name: 'getters, setters and symbols of objects work across cells',
    cells: [
      {
        code: 'let stored = 1; const o = { get v() { return stored; }, set v(n) { stored = n; }, [Symbol.toPrimitive]: () => 99, *[Symbol.iterator]() { yield 1; yield 2; } };',
        silent: true,
      },
      { code: 'o.v = 5; [o.v, +o, [...o]]', value: [5, 99, [1, 2]] },
    ],
  },
];
