import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findProject } from '../../../src/kernel/modules/project.js';
import { resolveLocal } from '../../../src/kernel/modules/resolve.js';
import { stampOf } from '../../../src/kernel/modules/stamp.js';
import { mappedPaths } from '../../../src/kernel/modules/tsconfig.js';
import { tempFolder } from '../../support/temp-folder.js';
import { writeFiles } from '../../support/write-files.js';

test('the root is the nearest folder above with a package.json or a tsconfig.json', () => {
  const root = tempFolder();
  writeFiles(root, {
    'package.json': { name: 'outer' },
    'inner/tsconfig.json': {},
    'inner/notebooks/deep/note.ipynb': '',
  });
  expect(findProject(path.join(root, 'inner/notebooks/deep')).root).toBe(path.join(root, 'inner'));
  expect(findProject(path.join(root, 'inner/notebooks/deep')).name).toBe('outer');
  expect(findProject(root).root).toBe(root);
});

test('a folder outside any project is its own root', () => {
  const root = tempFolder();
  expect(findProject(root)).toEqual({ root });
});

test('a tsconfig.json may have comments, trailing commas and text that looks like them', () => {
  const root = tempFolder();
  writeFiles(root, {
    'tsconfig.json': `\uFEFF{
      // line, with "quotes"
      "compilerOptions": { /* block */ "jsxFactory": "a//b,}", "paths": { "@lib/*": ["./src/*", "./old/*",], }, },
    }`,
  });
  const { tsconfig } = findProject(root);
  expect(tsconfig?.compilerOptions.jsxFactory).toBe('a//b,}');
  expect(tsconfig?.paths).toEqual([
    { pattern: '@lib/*', targets: [path.join(root, 'src/*'), path.join(root, 'old/*')] },
  ]);
});

test('extends is followed through files, lists and packages, each path from the file it stands in', () => {
  const root = tempFolder();
  writeFiles(root, {
    'tsconfig.json': { extends: ['./config/base', '@strict/config'], compilerOptions: { jsx: 'react' } },
    'config/base.json': {
      extends: './paths.json',
      compilerOptions: { experimentalDecorators: true, jsx: 'preserve' },
    },
    'config/paths.json': {
      compilerOptions: { baseUrl: '..', paths: { 'lib/*': ['src/*'], here: ['${configDir}/here.ts'] } },
    },
    'node_modules/@strict/config/package.json': { name: '@strict/config' },
    'node_modules/@strict/config/tsconfig.json': { compilerOptions: { useDefineForClassFields: false } },
  });
  const { tsconfig, problem } = findProject(root);
  expect(problem).toBeUndefined();
  expect(tsconfig?.baseUrl).toBe(root);
  expect(tsconfig?.paths.map(({ targets }) => targets[0])).toEqual([
    path.join(root, 'src/*'),
    path.join(root, 'here.ts'),
  ]);
  expect(tsconfig?.compilerOptions).toMatchObject({
    experimentalDecorators: true,
    jsx: 'react',
    useDefineForClassFields: false,
  });
  expect(tsconfig?.files).toHaveLength(4);
});

test.each([
  ['{ "compilerOptions": ', 'no JSON'],
  ['{ "extends": "./nowhere" }', 'no such file'],
  ['{ "extends": "@no/such" }', 'not installed'],
  ['{ "extends": "./tsconfig.json" }', 'extends itself'],
  ['[]', 'no JSON object'],
])('a damaged tsconfig.json %s is told and does not keep the project from being found', (text, said) => {
  const root = tempFolder();
  writeFiles(root, { 'tsconfig.json': text });
  const { root: found, tsconfig, problem } = findProject(root);
  expect(found).toBe(root);
  expect(tsconfig).toBeUndefined();
  expect(problem).toMatchObject({ code: 'TSCONFIG', where: path.join(root, 'tsconfig.json') });
  expect(problem?.message).toContain(said);
});

test('of several patterns the exact one wins, then the one with the longest prefix', () => {
  const paths = [
    { pattern: '*', targets: ['/any/*'] },
    { pattern: '@a/*', targets: ['/a/*', '/b/*'] },
    { pattern: '@a/long/*', targets: ['/long/*'] },
    { pattern: '@a/exact', targets: ['/exact.ts'] },
    { pattern: '*-worker', targets: ['/workers/*.ts'] },
  ];
  expect(mappedPaths('@a/x/y', paths)).toEqual(['/a/x/y', '/b/x/y']);
  expect(mappedPaths('@a/long/z', paths)).toEqual(['/long/z']);
  expect(mappedPaths('@a/exact', paths)).toEqual(['/exact.ts']);
  expect(mappedPaths('else', paths)).toEqual(['/any/else']);
});

test('a loop of links and a name that no file can have are no files', () => {
  const root = tempFolder();
  symlinkSync('loop', path.join(root, 'loop'));
  const project = findProject(root);
  for (const specifier of ['./loop', './nul\0byte', `./${'x'.repeat(5000)}`]) {
    expect(resolveLocal(specifier, root, project)).toBeUndefined();
    expect(stampOf(path.join(root, specifier))).toBe('missing');
  }
});
