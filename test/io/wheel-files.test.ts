import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { fetchWheelFiles, type WheelFiles } from '../../src/io/wheel-files.js';
import { deliveringPython, fakePrograms } from '../support/fake-program.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip } from '../support/zip-writer.js';

afterEach(() => void vi.unstubAllEnvs());

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const wheel = writeZip([{ name: 'toy/a.txt', content: 'alpha' }]);
const wanted: WheelFiles = {
  folder: 'datasets/toy',
  source: { package: 'toy', version: '1.0', wheel: 'toy-1.0-py3-none-any.whl', sha256: sha256(wheel) },
  files: [{ file: 'toy/a.txt', sha256: sha256('alpha') }],
};

test('a named pipe in the place of a data file does not hang: the file is unpacked again', async () => {
  const root = tempFolder();
  writeFileSync(path.join(root, 'source.whl'), wheel);
  fakePrograms({
    python3: deliveringPython(path.join(root, 'source.whl'), wanted.source.wheel, path.join(root, 'calls')),
  });
  vi.stubEnv('GONDWANA_CACHE', path.join(root, 'cache'));
  const file = path.join(await fetchWheelFiles(wanted), 'toy/a.txt');
  rmSync(file);
  execFileSync('mkfifo', [file]);
  await fetchWheelFiles(wanted);
  expect(readFileSync(file, 'utf8')).toBe('alpha');
});

test('a download ends with the cell whose signal it heeds by itself, and leaves nothing', async () => {
  const root = tempFolder();
  fakePrograms({ python3: 'sleep 20' });
  vi.stubEnv('GONDWANA_CACHE', path.join(root, 'cache'));
  const kernel = standInKernel();
  try {
    const started = performance.now();
    setTimeout(() => kernel.stop(), 300);
    await expect(fetchWheelFiles(wanted)).rejects.toMatchObject({ code: 'STOPPED' });
    expect(performance.now() - started).toBeLessThan(1300); // within a second of the stop
    expect(readdirSync(path.join(root, 'cache', 'wheels'))).toEqual([]);
  } finally {
    endStandInKernel();
  }
});

test('a cache folder that is a file, or lies below one, is NOT_A_FOLDER', async () => {
  const file = path.join(tempFolder(), 'file');
  writeFileSync(file, '');
  for (const cache of [file, path.join(file, 'below')]) {
    vi.stubEnv('GONDWANA_CACHE', cache);
    await expect(fetchWheelFiles(wanted)).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
  }
});
