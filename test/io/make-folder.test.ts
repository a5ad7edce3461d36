import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/io/make-folder.js';
import { tempFolder } from '../support/temp-folder.js';

test('missing folders are made, by several at once and again', async () => {
  const folder = path.join(tempFolder(), 'a/b/c');
  await Promise.all([1, 2, 3].map(() => makeFolder(folder)));
  await makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test('a place that answers that a parent is missing, although it is there, ends in WRITE_FAILED', async () => {
  await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({ code: 'WRITE_FAILED', where: '/proc/x' });
});

test('a file or a link to nothing on the way is NOT_A_FOLDER', async () => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'file'), '');
  symlinkSync('nowhere', path.join(folder, 'link'));
  for (const name of ['file', 'file/a', 'link'])
    await expect(makeFolder(path.join(folder, name))).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
});
