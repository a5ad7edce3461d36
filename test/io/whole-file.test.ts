import { spawnSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, parseCsv } from '../../src/io/csv.js';
import { readJpeg } from '../../src/io/jpeg.js';
import { readPng } from '../../src/io/png.js';
import { readWholeFile } from '../../src/io/whole-file.js';
import { tempFolder } from '../support/temp-folder.js';

describe('a file that is read whole', () => {
  it('is refused above its limit, before it is read', async () => {
    const file = path.join(tempFolder(), 'a.json');
    writeFileSync(file, '0123456789');
    expect(String(await readWholeFile(file, { maxBytes: 10 }))).toBe('0123456789');
    await expect(readWholeFile(file, { maxBytes: 9 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      where: file,
    });
  });

  it('is no pipe, which would wait for a writer, and no circle of links', async () => {
    const folder = tempFolder();
    const pipe = path.join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    await expect(readWholeFile(pipe)).rejects.toMatchObject({ code: 'NOT_A_FILE', exitCode: 3 });
    const circle = path.join(folder, 'circle');
    symlinkSync(circle, circle);
    await expect(readWholeFile(circle)).rejects.toMatchObject({ code: 'FILE_MISSING', exitCode: 3 });
  });

  it('stops with the reason of the signal', async () => {
    const file = path.join(tempFolder(), 'a.json');
    writeFileSync(file, '{}');
    const reason = new Error('enough');
    await expect(readWholeFile(file, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it.each([
    ['a.png', readPng, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x04\0\0\0\x04\b\0\0\0\0\x81\x8a\xa3\xd3'],
    ['a.jpg', readJpeg, '\xff\xd8\xff'],
  ])('%s of several gigabytes is too large, whatever its head says', async (name, read, head) => {
    const file = path.join(tempFolder(), name);
    writeFileSync(file, head, 'latin1');
    truncateSync(file, 3 * 2 ** 30); // takes no space on the disk
    await expect(read(file)).rejects.toMatchObject({ code: 'TOO_LARGE', where: file });
  });
});

describe('a table with very many columns', () => {
  it('is read in time that grows with their number', () => {
    const names = Array.from({ length: 200_000 }, (_, at) => `c${at}`);
    const file = path.join(tempFolder(), 'wide.csv');
    writeFileSync(file, `${names.join(',')}\n${names.map(() => '1').join(',')}\n`);
    const started = performance.now();
    expect(readCsv(file).columns.length).toBe(200_000);
    expect(performance.now() - started).toBeLessThan(5000); // it takes a tenth of a second; squared, minutes
  });

  it('is refused where its cells would not fit into memory', () => {
    const text = `a,b\n${','.repeat(11_000_000)}`;
    expect(() => parseCsv(text, 'a.csv')).toThrowError(
      expect.objectContaining({ code: 'TOO_LARGE', where: 'a.csv' }),
    );
  });
});
