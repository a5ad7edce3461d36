import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { extractFromWheel, fetchWheel, type WheelPin } from '../../src/io/wheel.js';
import { deliveringPython, failingPython, fakePrograms, NO_NETWORK_OUTPUT } from '../support/fake-program.js';
import { withFullDisk } from '../support/full-disk.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip } from '../support/zip-writer.js';

afterEach(() => void vi.unstubAllEnvs());

const NAME = 'toy-1.0-py3-none-any.whl';
const content = writeZip([
  { name: 'toy/a.txt', content: 'alpha' },
  { name: 'toy/b.txt', content: 'beta' },
]);
const pin: WheelPin = {
  name: 'toy',
  version: '1.0',
  file: NAME,
  sha256: createHash('sha256').update(content).digest('hex'),
};

/** A place with a cache, a source that `python3 -m pip` delivers, and a log of its calls. */
function place(delivered: Uint8Array = content) {
  const root = tempFolder();
  const [folder, source, log] = ['cache', 'source.whl', 'calls'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(source, delivered);
  writeFileSync(log, '');
  fakePrograms({ python3: deliveringPython(source, NAME, log) });
  return { folder, source, log, calls: () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean) };
}

const refusal = (options: { folder: string }, wanted: WheelPin = pin) =>
  fetchWheel(wanted, options).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a wheel is downloaded once, then served from the cache', async () => {
  const { folder, calls } = place();
  const file = await fetchWheel(pin, { folder });
  expect(readFileSync(file).equals(content)).toBe(true);
  await fetchWheel({ ...pin, platform: ['manylinux_2_27_x86_64'] }, { folder });
  expect(calls()).toHaveLength(1);
  expect(calls()[0]).toContain('-m pip download');
  expect(calls()[0]).toContain('toy==1.0');
  expect(readdirSync(folder)).toEqual([NAME]);
});

test('a damaged file in the cache is replaced by a new download', async () => {
  const { folder, calls } = place();
  mkdirSync(folder);
  writeFileSync(path.join(folder, NAME), content.subarray(0, 50));
  const file = await fetchWheel(pin, { folder });
  expect(readFileSync(file).equals(content)).toBe(true);
  expect(calls()).toHaveLength(1);
});

test('another hash is HASH_MISMATCH with both hashes, and the file is gone', async () => {
  const { folder } = place(writeZip([{ name: 'toy/a.txt', content: 'other' }]));
  expect(await refusal({ folder })).toMatchObject({
    code: 'HASH_MISMATCH',
    message: expect.stringContaining(pin.sha256) as string,
    where: path.join(folder, NAME),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a download that ends early is TRUNCATED, with and without a known length', async () => {
  const { folder } = place(content.subarray(0, 80));
  expect(await refusal({ folder })).toMatchObject({ code: 'TRUNCATED' });
  expect(await refusal({ folder }, { ...pin, bytes: content.length })).toMatchObject({
    code: 'TRUNCATED',
    message: expect.stringContaining(`80 of ${content.length}`) as string,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['NO_NETWORK', NO_NETWORK_OUTPUT],
  ['NO_PIP', '/usr/bin/python3: No module named pip'],
  ['DISK_FULL', 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'],
  ['TRUNCATED', "ProtocolError: ('Connection broken: IncompleteRead(10 bytes read, 20 more expected)', ...)"],
  ['WHEEL_UNAVAILABLE', 'ERROR: No matching distribution found for toy==1.0'],
  ['PIP_FAILED', 'Segmentation fault'],
])('what pip says leads to %s, with its last lines in the cause', async (code, output) => {
  fakePrograms({ python3: failingPython(output) });
  const folder = path.join(tempFolder(), 'cache');
  const error = (await refusal({ folder })) as Error & { code: string; hint: string };
  expect(error.code).toBe(code);
  expect(error.hint).not.toBe('');
  expect((error.cause as Error).message).toContain(output.split('\n').at(-1));
  expect(readdirSync(folder)).toEqual([]);
});

test('without python3 on the path the error is NO_PYTHON and says how to install it', async () => {
  vi.stubEnv('PATH', tempFolder());
  expect(await refusal({ folder: path.join(tempFolder(), 'cache') })).toMatchObject({
    code: 'NO_PYTHON',
    hint: expect.stringContaining('apt install python3') as string,
  });
});

test('a python3 that may not be executed is NO_PYTHON with that reason', async () => {
  const bin = tempFolder();
  writeFileSync(path.join(bin, 'python3'), '#!/bin/sh\n', { mode: 0o644 });
  vi.stubEnv('PATH', bin);
  expect(await refusal({ folder: path.join(tempFolder(), 'cache') })).toMatchObject({
    code: 'NO_PYTHON',
    message: expect.stringContaining('may not be executed') as string,
  });
});

test.each([
  ['exit 7', 'exit status 7'],
  ['kill -9 $$', 'ended by SIGKILL'],
])('a pip that says nothing (%s) is PIP_FAILED with how it ended', async (script, ending) => {
  fakePrograms({ python3: script });
  expect(await refusal({ folder: path.join(tempFolder(), 'cache') })).toMatchObject({
    code: 'PIP_FAILED',
    message: expect.stringContaining(ending) as string,
  });
});

test('a cache below a plain file is NOT_A_FOLDER; below a place that takes no folders, WRITE_FAILED', async () => {
  const { source } = place();
  expect(await refusal({ folder: source })).toMatchObject({ code: 'NOT_A_FOLDER' });
  expect(await refusal({ folder: path.join(source, 'a/b') })).toMatchObject({ code: 'NOT_A_FOLDER' });
  expect(await refusal({ folder: '/proc/x/wheels' })).toMatchObject({ code: 'WRITE_FAILED' });
});

test("a folder or a named pipe with the wheel's name is NOT_A_FILE, and stays", async () => {
  const { folder, calls } = place();
  const file = path.join(folder, NAME);
  mkdirSync(file, { recursive: true });
  expect(await refusal({ folder })).toMatchObject({ code: 'NOT_A_FILE', where: file });
  const other = path.join(tempFolder(), NAME);
  execFileSync('mkfifo', [other]);
  expect(await refusal({ folder: path.dirname(other) })).toMatchObject({ code: 'NOT_A_FILE', where: other });
  expect(existsSync(file) && existsSync(other)).toBe(true);
  expect(calls()).toEqual([]);
});

test('an index that serves a wheel of another name is WHEEL_UNAVAILABLE', async () => {
  const { folder } = place();
  expect(await refusal({ folder }, { ...pin, file: 'toy-1.0-other.whl' })).toMatchObject({
    code: 'WHEEL_UNAVAILABLE',
    message: expect.stringContaining(NAME) as string,
  });
});

test('an aborted download stops pip and leaves nothing', async () => {
  fakePrograms({ python3: 'exec sleep 30' });
  const folder = path.join(tempFolder(), 'cache');
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 200);
  const started = performance.now();
  await expect(fetchWheel(pin, { folder, signal: controller.signal })).rejects.toMatchObject({
    code: 'STOPPED',
  });
  expect(performance.now() - started).toBeLessThan(10_000); // far from the 30 s that the child would sleep
  expect(readdirSync(folder)).toEqual([]);
});

test('a process killed in the middle leaves a temporary that the next fetch removes', async () => {
  const { folder } = place();
  mkdirSync(folder);
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.on('exit', resolve));
  const { temporaryBeside } = await import('../../src/io/temporary.js');
  const left = temporaryBeside(path.join(folder, NAME)).replace(`.${process.pid}.`, `.${child.pid}.`);
  mkdirSync(left);
  writeFileSync(path.join(left, NAME), content.subarray(0, 50));
  await fetchWheel(pin, { folder });
  expect(readdirSync(folder)).toEqual([NAME]);
});

test('several fetches and unpackings of one wheel at once all end well', async () => {
  const { folder } = place();
  const files = await Promise.all([1, 2, 3].map(() => fetchWheel(pin, { folder })));
  expect(new Set(files).size).toBe(1);
  const target = path.join(folder, 'unpacked');
  await Promise.all([1, 2, 3].map(() => extractFromWheel(files[0]!, ({ name }) => name, target)));
  expect(readFileSync(path.join(target, 'toy/b.txt'), 'utf8')).toBe('beta');
  expect(readdirSync(folder).sort()).toEqual([NAME, 'unpacked']);
});

test('unpacking fails whole: a damaged wheel or one without the wanted files leaves no folder', async () => {
  const folder = tempFolder();
  const wheel = path.join(folder, NAME);
  const damaged = Buffer.from(content);
  damaged[damaged.indexOf('beta')] = 0;
  writeFileSync(wheel, damaged);
  const target = path.join(folder, 'out');
  await expect(extractFromWheel(wheel, ({ name }) => name, target)).rejects.toMatchObject({
    code: 'ZIP_MALFORMED',
  });
  await expect(extractFromWheel(wheel, () => undefined, target)).rejects.toMatchObject({
    code: 'WHEEL_CONTENT',
  });
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(folder)).toEqual([NAME]);
});

withFullDisk('a full disk while unpacking is DISK_FULL and leaves nothing', async (folder) => {
  const wheel = path.join(tempFolder(), NAME);
  writeFileSync(wheel, writeZip([{ name: 'toy/big', content: new Uint8Array(4 * 2 ** 20) }]));
  const target = path.join(folder, 'out');
  await expect(extractFromWheel(wheel, ({ name }) => name, target)).rejects.toMatchObject({
    code: 'DISK_FULL',
  });
  expect(readdirSync(folder)).toEqual([]);
});
