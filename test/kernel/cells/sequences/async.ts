import { expect } from 'vitest';
import type { Sequence } from '../sequence.js';

/** Await, promises, async iteration and disposal. */
export const asynchronous: readonly Sequence[] = [
  {
    name: 'a cell awaits at its top level',
    cells: [
      { code: 'const value = await Promise.resolve(3); value + 1', value: 4 },
      { code: 'value', value: 3 },
      { code: 'await Promise.all([1, Promise.resolve(2)])', value: [1, 2] },
    ],
  },
  {
    name: 'a promise that is not awaited is the value itself',
    cells: [
      { code: 'const later = Promise.resolve(5); later instanceof Promise', value: true },
      { code: 'Promise.resolve(6)', value: expect.any(Promise) },
      { code: 'await later', value: 5 },
      { code: 'await null; Promise.resolve(6)', value: expect.any(Promise) },
    ],
  },
  {
    name: 'for await may be the only await of a cell',
    cells: [
      { code: 'async function* numbers() { yield 1; yield 2; yield 3; } let sum = 0;', silent: true },
      { code: 'for await (const n of numbers()) sum += n;', silent: true },
      { code: 'sum', value: 6 },
      { code: 'for await (var lastSeen of numbers()) {}', silent: true },
      { code: 'lastSeen', value: 3 },
    ],
  },
  {
    name: 'async functions, arrows and methods work across cells',
    cells: [
      {
        code: 'async function load(n: number) { await null; return n; } const twice = async (n: number) => 2 * (await load(n)); const o = { async m() { return await twice(4); } };',
        silent: true,
      },
      { code: '[await load(1), await twice(2), await o.m()]', value: [1, 4, 8] },
    ],
  },
  {
    name: 'what was declared before a failing await stays',
    cells: [
      {
        code: 'const before = 1;\nawait Promise.reject(new RangeError("late"));\nconst after = 2;',
        throws: { name: 'RangeError', message: 'late', line: 2 },
      },
      { code: 'before', value: 1 },
    ],
  },
  {
    name: 'an async generator can be left and its finally runs',
    cells: [
      {
        code: 'let closed = false; async function* source() { try { yield 1; yield 2; } finally { closed = true; } }',
        silent: true,
      },
      { code: 'for await (const n of source()) { if (n === 1) break; }', silent: true },
      { code: 'closed', value: true },
    ],
  },
  {
    name: 'await in conditions, templates, defaults and destructuring',
    cells: [
      {
        code: 'const get = async <T>(v: T) => v; const { a = await get(1), b } = await get({ b: 2 } as { a?: number; b: number }); const text = `${await get("t")}`; (await get(true)) ? [a, b, text] : null',
        value: [1, 2, 't'],
      },
    ],
  },
  {
    name: 'using disposes at the end of the cell, in reverse order',
    cells: [
      {
        code: 'const log: string[] = []; const open = (name: string) => ({ name, [Symbol.dispose]() { log.push(name); } });',
        silent: true,
      },
      {
        code: 'using first = open("first");\nusing second = open("second");\nconst both = first.name + second.name;\nfunction inUse() { return both; }\nclass AfterUsing { ok = 1 }\nlog.length',
        value: 0,
      },
      {
        code: '[log, both, inUse(), new AfterUsing().ok, first.name]',
        value: [['second', 'first'], 'firstsecond', 'firstsecond', 1, 'first'],
      },
      { code: 'const both = 5; both', value: 5 },
    ],
  },
  {
    name: 'await using waits for its disposal',
    cells: [
      {
        code: 'let ended = ""; const open = () => ({ async [Symbol.asyncDispose]() { await null; ended += "closed"; } });',
        silent: true,
      },
      { code: 'await using resource = open(); ended += "used,"; 7', value: 7 },
      { code: 'ended', value: 'used,closed' },
      { code: '{ using inner = { [Symbol.dispose]() { ended = "inner"; } }; }\nended', value: 'inner' },
    ],
  },
  {
    name: 'several awaits keep the order of a cell',
    cells: [
      {
        code: 'const order: number[] = []; const wait = (n: number) => new Promise<void>((done) => setTimeout(() => { order.push(n); done(); }, n));',
        silent: true,
      },
      { code: 'order.push(0); await wait(8); await wait(2); order.push(9); order', value: [0, 8, 2, 9] },
    ],
  },
];
