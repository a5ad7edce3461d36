import type { Sequence } from '../sequence.js';

/** What cells throw and where, and what is left of a cell that failed. */
export const errors: readonly Sequence[] = [
  {
    name: 'an error tells the line and column of the cell',
    cells: [
      {
        code: 'const a = 1;\n\n  throw new Error("third line");',
        throws: { name: 'Error', message: 'third line', line: 3, column: 9 },
      },
    ],
  },
  {
    name: 'types in front of an error do not move its place',
    cells: [
      {
        code: 'interface Long { a: number; b: string }\nconst value: Long | undefined = undefined as any, other: Array<Map<string, number>> = []; value!.a;',
        throws: { name: 'TypeError', line: 2, column: 98 },
      },
    ],
  },
  {
    name: 'an error in a function of an earlier cell tells that cell',
    cells: [
      {
        code: 'function check(n: number): number {\n  if (n > 1) throw new RangeError("too large");\n  return n;\n}',
        silent: true,
      },
      { code: 'check(1);\ncheck(2);', throws: { name: 'RangeError', cell: 1, line: 2, column: 20 } },
    ],
  },
  {
    name: 'an error after an await tells its line',
    cells: [
      {
        code: 'const x = await 1;\nconst y: any = null;\ny.z;',
        throws: { name: 'TypeError', line: 3, column: 3 },
      },
    ],
  },
  {
    name: 'messages quote the names that the user wrote',
    cells: [
      { code: 'const notFunction: any = 5; const o: any = {};', silent: true },
      { code: 'notFunction()', throws: { name: 'TypeError', message: 'notFunction is not a function' } },
      {
        code: 'new notFunction()',
        throws: { name: 'TypeError', message: 'notFunction is not a constructor' },
      },
      { code: 'o.method()', throws: { name: 'TypeError', message: 'o.method is not a function' } },
      { code: '[...notFunction]', throws: { name: 'TypeError', message: /notFunction/ } },
      {
        code: 'let caught: any; try { notFunction(); } catch (e) { caught = e.message; }\ncaught',
        value: 'notFunction is not a function',
      },
      { code: 'const { p } = null as any;', throws: { name: 'TypeError', message: /null/ } },
    ],
  },
  {
    name: 'what a failed cell declared before it failed stays',
    cells: [
      {
        code: 'const kept = 1;\nlet also = [2];\nfunction f() { return kept + also[0]; }\nclass C { n = f(); }\nthrow new Error("stop");',
        throws: { name: 'Error', line: 5 },
      },
      { code: '[kept, also, f(), new C().n]', value: [1, [2], 3, 3] },
    ],
  },
  {
    name: 'a name that a failed cell did not reach is undefined',
    cells: [
      { code: 'throw new Error("stop"); const never = 1;', throws: { name: 'Error' } },
      { code: 'never', value: undefined },
    ],
  },
  {
    name: 'a name that a failed cell did not declare anew keeps its value and type',
    cells: [
      { code: 'const model = "first"; let other = 1;', silent: true },
      {
        code: 'let other = "new";\nif (other) throw new Error("stop");\nconst model = 5;',
        throws: { name: 'Error' },
      },
      { code: '[model.toUpperCase(), other.toUpperCase()]', value: ['FIRST', 'NEW'] },
    ],
  },
  {
    name: 'assignments of a failed cell stay',
    cells: [
      { code: 'let n = 1;', silent: true },
      { code: 'n = 2; throw "text"; n = 3;', throws: { name: 'string', message: 'text' } },
      { code: 'n', value: 2 },
    ],
    strictness: 'off',
  },
  {
    name: 'things that are no errors can be thrown',
    cells: [
      { code: 'throw { status: 404 }', throws: { name: 'object' } },
      { code: 'throw null', throws: { name: 'null' } },
      { code: 'await Promise.reject(undefined)', throws: { name: 'undefined' } },
    ],
  },
  {
    name: 'errors of the language come as they are',
    cells: [
      { code: 'JSON.parse("{")', throws: { name: 'SyntaxError' } },
      { code: 'new Array(-1)', throws: { name: 'RangeError', line: 1, column: 1 } },
      {
        code: 'function forever(): number { return forever() + 1; }\nforever()',
        throws: { name: 'RangeError', message: /call stack/ },
      },
      { code: 'await Promise.any([Promise.reject(1)])', throws: { name: 'AggregateError' } },
      { code: '"still here"', value: 'still here' },
    ],
  },
  {
    name: 'finally runs and errors can be caught and thrown again',
    cells: [
      {
        code: 'const log: string[] = [];\ntry { try { throw new Error("a"); } finally { log.push("finally"); } } catch (e: any) { log.push(e.message); }\nlog',
        value: ['finally', 'a'],
      },
      {
        code: 'try { throw new Error("inner"); } catch (cause) { throw new Error("outer", { cause }); }',
        throws: { name: 'Error', message: 'outer', line: 1 },
      },
    ],
  },
  {
    name: 'a syntax error is refused and nothing of the cell runs',
    cells: [
      { code: 'let touched = false;', silent: true },
      { code: 'touched = true;\nconst = 3;', refused: { code: 1134, line: 2, column: 7 } },
      { code: 'touched', value: false },
      { code: 'function f() {', refused: { code: 1005 } },
      { code: '`open', refused: { code: 1160 } },
      { code: 'return 5', refused: {} },
    ],
  },
  {
    name: 'a type error is refused before anything runs',
    cells: [
      { code: 'let touched = 0; const n: number = 1;', silent: true },
      { code: 'touched = 1;\n  const s: string = n;', refused: { code: 2322, line: 2, column: 9 } },
      { code: 'touched', value: 0 },
      { code: 'unknownName + 1', refused: { code: 2304, line: 1, column: 1 } },
      { code: 'n.toUpper()', refused: { code: [2339, 2551], line: 1, column: 3 } },
      { code: 'Math.max("a")', refused: { code: 2345, line: 1, column: 10 } },
    ],
  },
  {
    name: 'types of earlier cells count, also after an assignment',
    cells: [
      { code: 'let either: string | number = "a"; const list: readonly number[] = [1];', silent: true },
      { code: 'either = 5; either.toFixed(1)', value: '5.0' },
      { code: 'list.push(2)', refused: { code: 2339 } },
      { code: 'either = true', refused: { code: 2322, line: 1, column: 1 } },
      { code: 'if (typeof either === "number") either = either + 1;\neither', value: 6 },
    ],
  },
  {
    name: 'loose checking lets null pass and any grow',
    cells: [
      { code: 'const s: string = null; function f(x) { return x; }', silent: true },
      { code: '[s, f(2)]', value: [null, 2] },
    ],
  },
  {
    name: 'strict checking refuses null and implicit any',
    strictness: 'strict',
    cells: [
      { code: 'const s: string = null;', refused: { code: 2322, line: 1, column: 7 } },
      { code: 'function f(x) { return x; }', refused: { code: 7006, line: 1, column: 12 } },
      { code: 'const found = [1].find((n) => n > 5);', silent: true },
      { code: 'found.toFixed()', refused: { code: [18048, 2532], line: 1, column: 1 } },
      { code: 'found?.toFixed() ?? "none"', value: 'none' },
    ],
  },
  {
    name: 'without checking any types pass, and syntax does not',
    strictness: 'off',
    cells: [
      { code: 'const n: number = "text" as unknown as boolean; n', value: 'text' },
      { code: 'let = = 3', refused: {} },
    ],
  },
  {
    name: 'a comment can expect an error or ignore it',
    cells: [
      { code: '// @ts-expect-error wrong on purpose\nconst n: number = "text";\nn', value: 'text' },
      { code: '// @ts-ignore\nconst m: number = "more"; m', value: 'more' },
    ],
  },
];
