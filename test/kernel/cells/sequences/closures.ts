import type { Sequence } from '../sequence.js';

/** Functions, closures, destructuring and the shapes of expressions that names stand in. */
export const closures: readonly Sequence[] = [
  {
    name: 'a closure sees what a later cell assigns',
    cells: [
      { code: 'let a = 1; function read() { return a; } const arrow = () => a;', silent: true },
      { code: 'a = 78;', value: 78 },
      { code: '[read(), arrow()]', value: [78, 78] },
    ],
  },
  {
    name: 'a closure sees what a later cell declares again',
    cells: [
      { code: 'let a = 1; const read = () => a;', silent: true },
      { code: 'let a = 2;', silent: true },
      { code: 'read()', value: 2 },
    ],
  },
  {
    name: 'later cells see what a closure assigns',
    cells: [
      { code: 'let hits = 0; function hit() { hits++; return hits; }', silent: true },
      { code: 'hit(); hit()', value: 2 },
      { code: 'hits += 10; hit()', value: 13 },
      { code: 'hits', value: 13 },
    ],
  },
  {
    name: 'shorthand takes variables of earlier cells',
    cells: [
      { code: 'const width = 4; let height = 5; function area() { return width * height; }', silent: true },
      {
        code: 'const size = { width, height, area }; [size.width, size.height, size.area()]',
        value: [4, 5, 20],
      },
      { code: '({ width, nested: { height } })', value: { width: 4, nested: { height: 5 } } },
    ],
  },
  {
    name: 'shorthand in a function of a cell takes its variables',
    cells: [
      { code: 'let a = 1; const pack = () => ({ a, b: 2 });', silent: true },
      { code: 'pack()', value: { a: 1, b: 2 } },
    ],
  },
  {
    name: 'destructuring assigns variables of earlier cells, defaults included',
    cells: [
      { code: 'let v = 1; let a = 2; let rest: any;', silent: true },
      { code: '({ a = 9 } = {} as any); [v, a]', value: [1, 9] },
      { code: '({ v, a = 3, ...rest } = { v: 5, c: 6 } as any); [v, a, rest]', value: [5, 3, { c: 6 }] },
      { code: '[v, [a = 8]] = [0, []] as any; [v, a]', value: [0, 8] },
      { code: '[v, a] = [a, v]; ({ v, a })', value: { v: 8, a: 0 } },
    ],
  },
  {
    name: 'destructuring declares names that the next cell sees',
    cells: [
      {
        code: 'const { p, q: { r = 3 } = {} as any, ...others } = { p: 1, s: 4 } as any, [first, , third = 9, ...tail] = [1, 2];',
        silent: true,
      },
      { code: '[p, r, others, first, third, tail]', value: [1, 3, { s: 4 }, 1, 9, []] },
    ],
  },
  {
    name: 'a later name in a pattern may use an earlier one',
    cells: [
      { code: 'const { a, b = a + 1 } = { a: 1 } as { a: number; b?: number }; [a, b]', value: [1, 2] },
    ],
  },
  {
    name: 'default parameters read variables of other cells when they are called',
    cells: [
      { code: 'let base = 10; function plus(n = base, { m = base } = {}) { return n + m; }', silent: true },
      { code: 'base = 20; plus()', value: 40 },
    ],
  },
  {
    name: 'a function that is called plainly has no this',
    cells: [
      {
        code: 'function self(this: any) { return this; } function tag(this: any, ...parts: any[]) { return this; }',
        silent: true,
      },
      { code: '[self(), tag``, (0, self)(), self?.()]', value: [undefined, undefined, undefined, undefined] },
      { code: 'const o = { self }; o.self() === o', value: true },
    ],
  },
  {
    name: 'this at the top level is undefined, in arrow functions too',
    cells: [
      { code: 'typeof this', value: 'undefined' },
      { code: 'const f = () => typeof this; f()', value: 'undefined' },
    ],
    strictness: 'off',
  },
  {
    name: 'counters, compound and logical assignments reach the variable',
    cells: [
      { code: 'let n = 1; let s: any = null; let o: any = { p: 1, q: 2 };', silent: true },
      { code: '[n++, ++n, n--, n]', value: [1, 3, 3, 2] },
      { code: 'n **= 3; n <<= 1; n %= 7; n', value: 2 },
      { code: 's ??= "set"; s &&= s + "!"; s ||= "never"; s', value: 'set!' },
      {
        code: 'delete o.p; [o, typeof n, void n, -n, !n]',
        value: [{ q: 2 }, 'number', undefined, -2, false],
      },
    ],
  },
  {
    name: 'optional chains, calls and elements work on variables of earlier cells',
    cells: [
      {
        code: 'const o: any = { f: () => 5, g: { h: [1, 2] } }; let none: any; const f = (x?: number) => x ?? 0;',
        silent: true,
      },
      {
        code: '[o?.f?.(), none?.f(), none?.[0], o.g?.h[1], f?.(3), none?.()]',
        value: [5, undefined, undefined, 2, 3, undefined],
      },
    ],
  },
  {
    name: 'tagged templates, spread and new take variables of earlier cells',
    cells: [
      {
        code: 'const tag = (parts: TemplateStringsArray, ...values: number[]) => parts.raw.join("|") + values.join(); class Box { constructor(readonly n: number) {} static Inner = class { k = 3 } } const list = [1, 2];',
        silent: true,
      },
      {
        code: '[tag`a${1}b\\n${2}c`, new Box(4).n, new Box.Inner().k, new (Box)(5).n, Math.max(...list), [...list, ...list].length, `${list}`]',
        value: ['a|b\\n|c1,2', 4, 3, 5, 2, 4, '1,2'],
      },
    ],
  },
  {
    name: 'labels, properties and methods may be named as variables',
    cells: [
      { code: 'let loop = 0; let item = 1;', silent: true },
      {
        code: 'const o = { loop: 5, item() { return item; }, get value() { return loop; } };\nloop: for (let i = 0; i < 3; i++) { for (;;) { loop++; continue loop; } }\n[loop, o.loop, o.item(), o.value]',
        value: [3, 5, 1, 3],
      },
    ],
  },
  {
    name: 'typeof of a name nobody declared is "undefined"',
    strictness: 'off',
    cells: [
      { code: 'typeof nobody', value: 'undefined' },
      {
        code: 'nobody',
        throws: { name: 'ReferenceError', message: 'nobody is not defined', line: 1, column: 1 },
      },
    ],
  },
  {
    name: 'a function may use a name that a later cell declares',
    strictness: 'off',
    cells: [
      { code: 'function ask() { return [typeof answer, answer]; }', silent: true },
      { code: 'const answer = 42;', silent: true },
      { code: 'ask()', value: ['number', 42] },
    ],
  },
  {
    name: 'generators keep their place between cells',
    cells: [
      {
        code: 'function* count(from = 1) { while (true) { const jump: number = yield from++; if (jump) from = jump; } }',
        silent: true,
      },
      { code: 'const numbers = count(); [numbers.next().value, numbers.next().value]', value: [1, 2] },
      { code: '[numbers.next(10).value, [...(function* () { yield* [7, 8]; })()]]', value: [10, [7, 8]] },
    ],
  },
  {
    name: 'loops over variables of earlier cells assign them',
    cells: [
      { code: 'let i: number; let last: any; const seen: number[] = [];', silent: true },
      {
        code: 'for (i = 0; i < 3; i++) seen.push(i);\nfor (last of [1, 2]) {}\nfor (last in { z: 1 }) {}\n[i, last, seen]',
        value: [3, 'z', [0, 1, 2]],
      },
      { code: 'for ([i, last] of [[5, 6]] as [number, number][]) {}\n[i, last]', value: [5, 6] },
    ],
  },
  {
    name: 'each turn of a loop has its own let',
    cells: [
      {
        code: 'const makers: (() => number)[] = []; for (let i = 0; i < 3; i++) makers.push(() => i);',
        silent: true,
      },
      { code: 'makers.map((make) => make())', value: [0, 1, 2] },
    ],
  },
  {
    name: 'comma expressions are values and no errors',
    cells: [{ code: 'let z = 0; (z++, z++, z)', value: 2 }],
  },
  {
    name: 'the property __proto__ is an own property in shorthand',
    strictness: 'off',
    cells: [
      { code: 'const __proto__ = 5;', silent: true },
      { code: 'Object.keys({ __proto__ })', value: ['__proto__'] },
    ],
  },
];
