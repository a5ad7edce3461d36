import type { Sequence } from '../sequence.js';

/** Names declared, declared again, hidden and hoisted. */
export const declarations: readonly Sequence[] = [
  {
    name: 'a variable of one cell is seen by the next',
    cells: [
      { code: 'const a = 2;', silent: true },
      { code: 'let b = a * 3', silent: true },
      { code: 'var c = a + b', silent: true },
      { code: '[a, b, c]', value: [2, 6, 8] },
    ],
  },
  {
    name: 'let and const can be declared again with another type',
    cells: [
      { code: 'const a = 1; let b = 2;', silent: true },
      { code: "const a = 'one'; let b = ['two'];", silent: true },
      { code: 'a.toUpperCase() + b.join()', value: 'ONEtwo' },
    ],
  },
  {
    name: 'a name can change what kind of thing it is',
    cells: [
      { code: 'let thing = 1;', silent: true },
      { code: 'function thing() { return 2; }', silent: true },
      { code: 'thing()', value: 2 },
      { code: 'class thing { three = 3 }', silent: true },
      { code: 'new thing().three', value: 3 },
      { code: 'const thing = { four: 4 };', silent: true },
      { code: 'thing.four', value: 4 },
      { code: 'enum thing { five = 5 }', silent: true },
      { code: 'thing.five', value: 5 },
    ],
  },
  {
    name: 'a cell that is run again declares its names again',
    cells: [
      { code: 'const n = 1; class A { n = n } function f() { return new A().n }', silent: true },
      { code: 'const n = 1; class A { n = n } function f() { return new A().n }', silent: true },
      { code: 'f()', value: 1 },
    ],
  },
  {
    name: 'a declaration may use the older value of another name',
    cells: [
      { code: 'let total = 1; let step = 10;', silent: true },
      { code: 'total = total + step; const before = total;', silent: true },
      { code: 'total += step; [before, total]', value: [11, 21] },
    ],
  },
  {
    name: 'a constant of an earlier cell cannot be assigned',
    cells: [
      { code: 'const fixed = 1;', silent: true },
      { code: 'fixed = 2', refused: { code: [2588, 2540, 2632], line: 1, column: 1 } },
      { code: 'fixed', value: 1 },
    ],
  },
  {
    name: 'a constant cannot be assigned at run time either',
    strictness: 'off',
    cells: [
      { code: 'const fixed = 1;', silent: true },
      { code: 'fixed = 2', throws: { name: 'TypeError', message: 'Assignment to constant variable.' } },
      { code: 'fixed++', throws: { name: 'TypeError' } },
      { code: '[fixed] = [3]', throws: { name: 'TypeError' } },
      { code: 'const own = 1; own = 2;', throws: { name: 'TypeError' } },
      { code: 'fixed', value: 1 },
    ],
  },
  {
    name: 'functions are hoisted to the start of their cell',
    cells: [
      { code: 'const early = twice(4); function twice(n: number) { return 2 * n; }', silent: true },
      { code: 'early', value: 8 },
    ],
  },
  {
    name: 'a function declared again is the new one also for older callers',
    cells: [
      { code: 'function inner() { return 1; } function outer() { return inner(); }', silent: true },
      { code: 'function inner() { return 2; }', silent: true },
      { code: 'outer()', value: 2 },
    ],
  },
  {
    name: 'var in blocks and loops belongs to the whole cell',
    cells: [
      {
        code: 'if (true) { var inBlock = 1; }\nfor (var i = 0, last = 0; i < 3; i++) { var inLoop = i; last = i; }\nfor (var key in { p: 1 }) {}\nfor (var item of [7, 8]) {}',
        silent: true,
      },
      { code: '[inBlock, i, last, inLoop, key, item]', value: [1, 3, 2, 2, 'p', 8] },
    ],
  },
  {
    name: 'var patterns in the head of a loop reach the next cell',
    cells: [
      {
        code: 'for (var [k, { v = 9 }] of [["a", { v: 1 }], ["b", {}]] as [string, { v?: number }][]) {}',
        silent: true,
      },
      { code: '[k, v]', value: ['b', 9] },
    ],
  },
  {
    name: 'var without a value keeps the one it has',
    cells: [
      { code: 'var kept: number = 5; var kept: number;', silent: true },
      { code: 'kept', value: 5 },
    ],
  },
  {
    name: 'let without a value is undefined',
    cells: [
      { code: 'let empty: number | undefined; let other: string;', silent: true },
      { code: '[empty, other]', value: [undefined, undefined] },
      { code: 'empty = 3; other = "x"; [empty, other]', value: [3, 'x'] },
    ],
  },
  {
    name: 'let in a block hides the variable of the cell before',
    cells: [
      { code: 'let x = 1;', silent: true },
      { code: '{ let x = 2; x++; }\nfor (let x = 5; x < 6; x++) {}\nx', value: 1 },
      { code: 'switch (x) { case 1: let x2 = x; { let x = 7; } x = x2 + 1; }', silent: true },
      { code: 'x', value: 2 },
    ],
  },
  {
    name: 'parameters and catch bindings hide the variable of the cell before',
    cells: [
      { code: 'let x = 1; let e = 2;', silent: true },
      { code: 'function f(x: number, [e] = [9]) { x++; return x + e; }\nf(10)', value: 20 },
      {
        code: 'try { throw 5; } catch (e) { e = 6; }\nlet seen = ((x: number) => x)(3); [x, e, seen]',
        value: [1, 2, 3],
      },
    ],
  },
  {
    name: 'names of functions and classes are those in the source',
    cells: [
      {
        code: 'const arrow = () => {}; const fn = function () {}; let made = class {}; class Named {} function decl() {} const async1 = async () => {};',
        silent: true,
      },
      {
        code: '[arrow, fn, made, Named, decl, async1].map((f) => f.name)',
        value: ['arrow', 'fn', 'made', 'Named', 'decl', 'async1'],
      },
    ],
  },
  {
    name: 'functions assigned later are named after the variable',
    cells: [
      { code: 'let late: any; let other: any; let third: any;', silent: true },
      {
        code: 'late = () => {}; other ??= function () {}; [third = () => {}] = []; [late.name, other.name, third.name]',
        value: ['late', 'other', 'third'],
      },
    ],
  },
  {
    name: 'a type may be named as a value of another cell',
    cells: [
      { code: 'const Point = { x: 1 };', silent: true },
      { code: 'type Point = { x: number };', silent: true },
      { code: 'const p: Point = Point; p.x', value: 1 },
    ],
  },
  {
    name: 'a name that shadows a global stays with the notebook',
    cells: [
      { code: 'const name = "mine"; const performance = { now: () => 7 }; const length = 3;', silent: true },
      {
        code: '[name, performance.now(), length, typeof (globalThis as any).performance.now()]',
        value: ['mine', 7, 3, 'number'],
      },
    ],
  },
  {
    name: 'a variable used before its declaration throws',
    strictness: 'off',
    cells: [
      {
        code: 'const before = () => later;\nbefore();\nconst later = 1;',
        throws: {
          name: 'ReferenceError',
          message: "Cannot access 'later' before initialization",
          line: 1,
          column: 22,
        },
      },
    ],
  },
  {
    name: 'the compiler sees a variable that is used before its declaration',
    cells: [{ code: 'early + 1;\nlet early = 2;', refused: { code: 2448, line: 1, column: 1 } }],
  },
  {
    name: 'a class used before its declaration throws',
    strictness: 'off',
    cells: [
      {
        code: 'make();\nclass Later {}\nfunction make() { return new Later(); }',
        throws: { name: 'ReferenceError', message: /Later/, line: 3 },
      },
      { code: 'const make = () => new Later(); class Later { ok = true } make().ok', value: true },
    ],
  },
  {
    name: 'recursive arrow functions find themselves',
    cells: [
      {
        code: 'const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2)); fib(10)',
        value: 55,
      },
      { code: 'fib(11)', value: 89 },
    ],
  },
  {
    name: 'two declarations of one name in a cell are refused',
    cells: [
      { code: 'let twice = 1;\nlet twice = 2;', refused: { code: [2451, 0] } },
      { code: 'const once = 1; once', value: 1 },
    ],
  },
];
