import type { Sequence } from '../sequence.js';

/** Enums, namespaces, interfaces and the types that leave no trace at run time. */
export const types: readonly Sequence[] = [
  {
    name: 'enums are values and types in later cells',
    cells: [
      { code: 'enum Color { Red, Green = 5, Blue, Named = "n" }', silent: true },
      { code: 'const c: Color = Color.Blue; [c, Color[5], Color.Named]', value: [6, 'Green', 'n'] },
    ],
  },
  {
    name: 'a const enum of an earlier cell has its values',
    cells: [
      { code: 'const enum Flag { A = 1 << 0, B = 1 << 1, AB = A | B }', silent: true },
      { code: '[Flag.A, Flag.AB]', value: [1, 3] },
    ],
  },
  {
    name: 'an enum declared again has only the new members',
    cells: [
      { code: 'enum E { Old, Shared }', silent: true },
      { code: 'enum E { Shared = 7 }', silent: true },
      { code: '[E.Shared, Object.keys(E)]', value: [7, ['7', 'Shared']] },
    ],
  },
  {
    name: 'enums, namespaces and interfaces merge within a cell',
    cells: [
      {
        code: `enum M { A } enum M { B = 5 }
namespace N { export const a = 1; } namespace N { export const b = N.a + 1; }
interface I { a: number } interface I { b: string }
class C { static s = 1; } namespace C { export const t = 2; }
function F() { return 3; } namespace F { export const u = 4; }`,
        silent: true,
      },
      {
        code: 'const i: I = { a: 1, b: "x" }; [M.A, M.B, N.b, C.s + C.t, F() + F.u, i.b]',
        value: [0, 5, 2, 3, 7, 'x'],
      },
    ],
  },
  {
    name: 'a namespace declared again does not grow the old one',
    cells: [
      { code: 'namespace N { export const old = 1; }', silent: true },
      { code: 'namespace N { export const fresh = 2; }', silent: true },
      { code: 'Object.keys(N)', value: ['fresh'] },
    ],
  },
  {
    name: 'an interface declared again replaces the old one',
    cells: [
      { code: 'interface P { x: number }', silent: true },
      { code: 'interface P { y: string }', silent: true },
      { code: 'const p: P = { y: "only" }; p', value: { y: 'only' } },
      { code: 'const q: P = { x: 1 };', refused: { code: [2322, 2353, 2741] } },
    ],
  },
  {
    name: 'generic types, conditional and mapped types pass from cell to cell',
    cells: [
      {
        code: 'type Elem<T> = T extends readonly (infer U)[] ? U : never; type Opt<T> = { [K in keyof T]?: T[K] }; interface Box<T = string> { value: T }',
        silent: true,
      },
      {
        code: 'const e: Elem<number[]> = 1; const o: Opt<{ a: 1 }> = {}; const b: Box = { value: "s" }; [e, o, b.value.length]',
        value: [1, {}, 1],
      },
      { code: 'const bad: Elem<string[]> = 1;', refused: { code: 2322 } },
    ],
  },
  {
    name: 'satisfies, const type parameters and as const keep their types',
    cells: [
      {
        code: 'const config = { mode: "fast", sizes: [1, 2] } as const satisfies { mode: string; sizes: readonly number[] }; function lit<const T>(v: T): T { return v; }',
        silent: true,
      },
      {
        code: 'const mode: "fast" = config.mode; const tuple: readonly [1, "a"] = lit([1, "a"]); [mode, tuple, config.sizes[1]]',
        value: ['fast', [1, 'a'], 2],
      },
    ],
  },
  {
    name: 'type guards and assertions narrow variables of earlier cells',
    cells: [
      {
        code: 'type Shape = { kind: "circle"; r: number } | { kind: "square"; side: number }; let shape: Shape = { kind: "circle", r: 2 }; function isCircle(s: Shape): s is Extract<Shape, { kind: "circle" }> { return s.kind === "circle"; } function assertSquare(s: Shape): asserts s is Extract<Shape, { kind: "square" }> { if (s.kind !== "square") throw new Error("no square"); }',
        silent: true,
      },
      { code: 'shape = { kind: "circle", r: 3 } as Shape; isCircle(shape) ? shape.r : shape.side', value: 3 },
      { code: 'shape = { kind: "square", side: 4 } as Shape; assertSquare(shape); shape.side', value: 4 },
      {
        code: 'switch (shape.kind) { case "circle": var size = shape.r; break; case "square": size = shape.side; }\nsize',
        value: 4,
      },
    ],
  },
  {
    name: 'declare adds types and nothing else',
    cells: [
      {
        code: '(globalThis as any).injected = 9; declare const injected: number; declare function neverThere(): void;',
        value: 9,
      },
      { code: 'injected + 1', value: 10 },
    ],
  },
  {
    name: 'a type after the last expression does not hide its value',
    cells: [{ code: '1 + 1;\ninterface Behind { a: number }\ntype Also = Behind;', value: 2 }],
  },
  {
    name: 'global types declared in a cell hold in later ones',
    cells: [
      {
        code: 'declare global { interface Array<T> { second(): T } var shared: number }\nArray.prototype.second = function () { return this[1]; }; globalThis.shared = 3; export {};',
        silent: true,
      },
      { code: '[[1, 2].second(), shared]', value: [2, 3] },
      { code: 'delete (Array.prototype as any).second', value: true },
    ],
  },
  {
    name: 'unique symbols, literal and template types stay what they are',
    cells: [
      {
        code: 'const key: unique symbol = Symbol("key"); type Keyed = { [key]: number }; type Id = `id-${number}`; const id: Id = "id-7";',
        silent: true,
      },
      {
        code: 'const keyed: Keyed = { [key]: 1 }; const again: Id = id; [keyed[key], again]',
        value: [1, 'id-7'],
      },
    ],
  },
];
