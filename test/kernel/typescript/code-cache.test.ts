import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadCached, saveCodeCache } from '../../../src/kernel/typescript/code-cache.js';

let folder: string;
const before = process.env.GONDWANA_CACHE;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gondwana-code-cache-'));
  process.env.GONDWANA_CACHE = path.join(folder, 'cache');
  writeFileSync(
    path.join(folder, 'library.cjs'),
    "exports.folder = __dirname; exports.join = require('node:path').join;",
  );
});
afterEach(() => {
  if (before === undefined) delete process.env.GONDWANA_CACHE;
  else process.env.GONDWANA_CACHE = before;
  rmSync(folder, { recursive: true });
});

const load = () => loadCached(path.join(folder, 'library.cjs')) as { folder: string; join: unknown };
const cached = (): string[] => readdirSync(path.join(folder, 'cache', 'kernel'));

test('a file is loaded without a cache, with one, and with a damaged one', () => {
  expect(load().folder).toBe(folder);
  saveCodeCache();
  expect(cached()).toEqual([expect.stringMatching(/^typescript-[0-9a-f]{16}\.bin$/)]);
  expect(typeof load().join).toBe('function');
  writeFileSync(path.join(folder, 'cache', 'kernel', cached()[0]!), 'damaged');
  expect(load().folder).toBe(folder);
  saveCodeCache();
  expect(cached()).toHaveLength(1);
});

test('a cache folder that cannot be written is done without', () => {
  writeFileSync(path.join(folder, 'cache'), 'a file where the folder should be');
  expect(load().folder).toBe(folder);
  expect(() => saveCodeCache()).not.toThrow();
  process.env.GONDWANA_CACHE = '/proc/no-such-folder/cache';
  expect(load().folder).toBe(folder);
  expect(() => saveCodeCache()).not.toThrow();
  process.env.GONDWANA_CACHE = path.join(folder, 'cache');
  rmSync(path.join(folder, 'cache'));
  mkdirSync(path.join(folder, 'cache', 'kernel'), { recursive: true });
  expect(cached()).toEqual([]);
});

test('of many caches the newest stay', () => {
  const kernel = path.join(folder, 'cache', 'kernel');
  mkdirSync(kernel, { recursive: true });
  for (let index = 0; index < 6; index++) {
    const file = path.join(kernel, `typescript-${index}.bin`);
    writeFileSync(file, '');
    utimesSync(file, index, index);
  }
  writeFileSync(path.join(kernel, 'other.bin'), '');
  load();
  saveCodeCache();
  const names = cached();
  expect(names).toContain('other.bin');
  expect(names).toHaveLength(5);
  expect(names).toEqual(expect.arrayContaining(['typescript-3.bin', 'typescript-4.bin', 'typescript-5.bin']));
});
