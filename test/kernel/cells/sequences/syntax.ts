import type { Sequence } from '../sequence.js';

const hasGroupBy = 'groupBy' in Object;

/** Values of cells, newer syntax and library, odd but valid text. */
export const syntax: readonly Sequence[] = [
  {
    name: 'the value of a cell is that of its last expression',
    cells: [
      { code: '1; 2; 3', value: 3 },
      { code: '"use strict"; "text"', value: 'text' },
      { code: "'only a string'", value: 'only a string' },
      { code: '{ a: 1 }', silent: true },
      { code: '({ a: 1 })', value: { a: 1 } },
      { code: '(1, 2)', value: 2 },
      { code: '5 // a comment at the end', value: 5 },
      { code: '6 /* another */ ; // and more', value: 6 },
      { code: 'undefined', value: undefined },
    ],
  },
  {
    name: 'declarations and statements have no value',
    cells: [
      { code: 'const a = 1', silent: true },
      { code: 'function f() {}', silent: true },
      { code: 'if (a) { 5 }', silent: true },
      { code: 'for (const x of [1]) x;', silent: true },
      { code: 'class A {}', silent: true },
      { code: 'enum E { A }', silent: true },
      { code: '', silent: true },
      { code: '// nothing but a comment', silent: true },
      { code: 'type T = 1', silent: true },
    ],
  },
  {
    name: 'an assignment as the last statement is the value',
    cells: [
      { code: 'let a: number;', silent: true },
      { code: 'a = 4', value: 4 },
      { code: 'a += 1', value: 5 },
    ],
  },
  {
    name: 'semicolons may be left out',
    cells: [
      {
        code: 'let a = 1\nlet b = 2\n;[a, b] = [b, a]\nconst f = () => a\n;(() => { b = 5 })()\nf() + b',
        value: 7,
      },
      { code: 'a\n++\nb', value: 6 },
    ],
  },
  {
    name: 'values of every kind come back as they are',
    cells: [
      { code: '123n', value: 123n },
      { code: 'null', value: null },
      { code: 'new Map([[1, new Set(["a"])]])', value: new Map([[1, new Set(['a'])]]) },
      { code: 'Float32Array.of(1, 2.5)', value: Float32Array.of(1, 2.5) },
      { code: '/a(?<n>b)/dgv.exec("ab")!.groups!.n', value: 'b' },
      { code: 'new Date(0).toISOString()', value: '1970-01-01T00:00:00.000Z' },
      { code: '[NaN, -0, Infinity, 1_000, 0xff, 0b11, 1e3]', value: [NaN, -0, Infinity, 1000, 255, 3, 1000] },
    ],
  },
  {
    name: 'arrays have the methods of ES2023',
    cells: [
      {
        code: 'const list = [3, 1, 2]; [list.toSorted(), list.toReversed(), list.with(0, 9), list.at(-1), list.findLast((n) => n > 1), list]',
        value: [[1, 2, 3], [2, 1, 3], [9, 1, 2], 2, 2, [3, 1, 2]],
      },
    ],
  },
  {
    name: 'methods that Node lacks are refused, those it has work',
    cells: [
      hasGroupBy
        ? {
            code: 'Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))',
            value: { odd: [1, 3], even: [2] },
          }
        : {
            code: 'Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))',
            refused: { code: [2339, 2550], line: 1, column: 8 },
          },
    ],
  },
  {
    name: 'labels leave nested loops',
    cells: [
      {
        code: 'let rounds = 0;\nouter: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { rounds++; if (j === 1) continue outer; if (i === 2) break outer; } }\nrounds',
        value: 5,
      },
      { code: 'block: { rounds = 100; break block; }\nrounds', value: 100 },
    ],
  },
  {
    name: 'switch, do, while and conditional chains run',
    cells: [
      {
        code: 'let n = 0; do { n++; } while (n < 5);\nwhile (true) { if (++n > 8) break; }\nlet word: string; switch (n) { case 9: word = "nine"; break; default: word = "other"; }\n[n, word, n > 5 ? n > 8 ? "big" : "mid" : "small"]',
        value: [9, 'nine', 'big'],
      },
    ],
  },
  {
    name: 'odd names work: unicode, dollars, keywords of other places',
    cells: [
      {
        code: 'const größe = 1, $ = 2, _ = 3, $$ = 4, of = 5, async = 6, type = 7, 変数 = 8, $$x = 9;',
        silent: true,
      },
      {
        code: '[größe, $, _, $$, of, async, type, 変数, $$x, { $$, of }]',
        value: [1, 2, 3, 4, 5, 6, 7, 8, 9, { $$: 4, of: 5 }],
      },
      {
        code: 'const require = 10, __dirname = 11, module = 12, exports = 13; [require, __dirname, module, exports]',
        value: [10, 11, 12, 13],
      },
      { code: '[require, __dirname, module]', value: [10, 11, 12] },
    ],
  },
  {
    name: 'Windows line ends and tabs do not matter',
    cells: [
      { code: 'const a = 1;\r\n\tconst b = 2;\r\na + b\r\n', value: 3 },
      { code: 'a;\r\n\tthrow new Error("here")', throws: { name: 'Error', line: 2, column: 8 } },
    ],
  },
  {
    name: 'strings that look like code stay strings',
    cells: [
      {
        code: 'const a = 1; const text = \'import x from "y"; await a; const a = 2\'; text.length',
        value: 39,
      },
      { code: '`${`a ${a} $$a.v`} import("x")`', value: 'a 1 $$a.v import("x")' },
      { code: 'String.raw`\\n${a}`', value: '\\n1' },
    ],
  },
  {
    name: 'a cell of many lines runs to its end',
    cells: [
      {
        code: Array.from({ length: 300 }, (_, i) => `const v${i} = ${i}${i > 0 ? ` + v${i - 1}` : ''};`).join(
          '\n',
        ),
        silent: true,
      },
      { code: 'v299', value: (299 * 300) / 2 },
    ],
  },
  {
    name: 'globals of Node are there, with types',
    cells: [
      {
        code: 'const p: NodeJS.Process = process; [typeof p.pid, typeof Buffer.from("a"), typeof setImmediate, new URL("http://a/b").pathname, structuredClone({ a: [1] }), typeof fetch]',
        value: ['number', 'object', 'function', '/b', { a: [1] }, 'function'],
      },
      {
        code: 'const c = new AbortController(); c.abort("why"); [c.signal.aborted, c.signal.reason, atob(btoa("x")), new TextEncoder().encode("é").length]',
        value: [true, 'why', 'x', 2],
      },
    ],
  },
  {
    name: 'functions returned by cells can be called later with their state',
    cells: [
      {
        code: 'const counter = (() => { let n = 0; return { up: () => ++n, get n() { return n; } }; })();',
        silent: true,
      },
      { code: 'counter.up(); counter.up(); counter.n', value: 2 },
    ],
  },
  {
    name: 'a cell that calls eval keeps its variables',
    cells: [
      { code: 'let before = 1; const r = eval("1 + 1");', silent: true },
      { code: '[before, r]', value: [1, 2] },
    ],
  },
  {
    name: 'constants and functions of earlier cells are refused as targets in plain words',
    cells: [
      { code: 'const x = 1; function f() {} class C {}', silent: true },
      { code: 'x = 2;', refused: { code: [2588, 2540], line: 1, column: 1 } },
      { code: 'f = null as any;', refused: { code: [2588, 2630], line: 1, column: 1 } },
      { code: 'C = null as any;', refused: { code: [2588, 2629], line: 1, column: 1 } },
    ],
  },
  {
    name: 'an immediately called function has its own variables',
    cells: [
      {
        code: 'let x = 1; const r = (function () { var x = 2; function y() { return x; } return y(); })(); [x, r]',
        value: [1, 2],
      },
      { code: 'const s = ((x) => { { let x = 9; } return x; })(3); [x, s]', value: [1, 3] },
    ],
  },
];
