import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withAdvice } from '../../src/kernel/advice.js';

const folder = tmpdir(); // belongs to no project

const hintOf = (code: number, message: string, line = '', where = folder): string | undefined =>
  withAdvice([{ severity: 'error', code, message, line: 1, column: 1 }], { code: line, folder: where })[0]!
    .hint;

test('a name that the package exports comes with its import', () => {
  expect(hintOf(2304, "Cannot find name 'defineStudy'.")).toBe("import { defineStudy } from 'gondwana';");
  expect(hintOf(2552, "Cannot find name 'charts'. Did you mean 'chart'?")).toBe(
    "import { charts } from 'gondwana';",
  );
  expect(hintOf(2304, "Cannot find name 'readDatasetManifest'.")).toContain("from 'gondwana'"); // exported by this name
  expect(hintOf(2304, "Cannot find name 'tf'.")).toBe("import { tf } from 'gondwana/engine';");
  expect(hintOf(2304, "Cannot find name 'defineStudi'.")).toBe(
    `Did you mean "defineStudy"? import { defineStudy } from 'gondwana';`,
  );
  expect(hintOf(2552, "Cannot find name 'defineStudi'. Did you mean 'defineStudy'?")).toBeUndefined();
  expect(hintOf(2304, "Cannot find name 'StudyPlan'.")).toBeUndefined(); // a type
  expect(hintOf(2304, "Cannot find name 'constructor'.")).toBeUndefined();
});

test('a missing package comes with the line that installs it, a missing file with where it was looked for', () => {
  expect(hintOf(2307, "Cannot find module '@scope/name/sub' or its corresponding type declarations.")).toBe(
    `npm init --yes && npm install @scope/name  (in ${folder})`,
  );
  expect(hintOf(2307, "Cannot find module './helper' or its corresponding type declarations.")).toContain(
    `Looked for ${folder}/helper with the extensions .ts`,
  );
});

test('a short name that paths of tsconfig.json know leads to the nearest file, any other to paths', () => {
  const missing = (specifier: string, where: string): string | undefined =>
    hintOf(2307, `Cannot find module '${specifier}' or its corresponding type declarations.`, '', where);
  const project = mkdtempSync(path.join(tmpdir(), 'advice-'));
  try {
    mkdirSync(path.join(project, 'src/lib'), { recursive: true });
    writeFileSync(path.join(project, 'src/lib/scores.ts'), '');
    const paths = { '@/*': ['./src/*'] };
    writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { paths } }));
    expect(missing('@/lib/score', project)).toMatch(
      /^Looked for .*\/src\/lib\/score with .* Did you mean "@\/lib\/scores.ts"\?$/,
    );
    expect(missing('~/lib/score', project)).toBe(
      'If "~/" is a short name for a folder, add it to "paths" in tsconfig.json.',
    );
  } finally {
    rmSync(project, { recursive: true });
  }
});

test('a promise asks for await, and a function that wants a promise does not', () => {
  const advice = /write `await`/;
  expect(hintOf(2339, "Property 'samples' does not exist on type 'Promise<Dataset>'.")).toMatch(advice);
  expect(hintOf(2345, "Argument of type 'Promise<X>' is not assignable to parameter of type 'X'.")).toMatch(
    advice,
  );
  expect(
    hintOf(2345, "Argument of type 'X' is not assignable to parameter of type 'Promise<X>'."),
  ).toBeUndefined();
});

test('what is typed in Python is told apart', () => {
  expect(hintOf(2304, "Cannot find name 'print'.")).toContain('console.log');
  for (const line of ['import numpy as np', 'for i in range(3): print(i)', 'def f(x):', 'from a import b'])
    expect(hintOf(1005, "'=' expected.", line)).toContain('Python');
  for (const line of ['const a = [1, 2', 'for (const x of y {', 'import { a } from "b'])
    expect(hintOf(1005, "']' expected.", line)).toBeUndefined();
});

test('a setting that stands beside `settings` is told where it belongs', () => {
  const message =
    "Object literal may only specify known properties, and 'encoderMode' does not exist in type 'StudyDefinition'.";
  expect(hintOf(2353, message)).toContain('`settings: { … }`');
  expect(hintOf(2353, message.replace('StudyDefinition', 'Other'))).toBeUndefined();
});

test('warnings and messages about files are left as they are', () => {
  const warning = { severity: 'warning', code: 2304, message: "No 'print'.", line: 1, column: 1 } as const;
  const inFile = { ...warning, severity: 'error', file: '/x.ts' } as const;
  expect(withAdvice([warning, inFile], { code: '', folder })).toEqual([warning, inFile]);
});
