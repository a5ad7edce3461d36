import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { publishExclusive, writeFileAtomic } from '../../src/io/atomic-file.js';
import { writeError } from '../../src/io/file-errors.js';
import { removeAbandoned, temporaryBeside } from '../../src/io/temporary.js';
import { tempFolder } from '../support/temp-folder.js';
import { withFullDisk } from '../support/full-disk.js';

const noLinks = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test('an atomic write makes folders, replaces the file and leaves no other file', async () => {
  const file = path.join(tempFolder(), 'a', 'b.json');
  await writeFileAtomic(file, 'one');
  await writeFileAtomic(file, new Uint8Array([116, 119, 111]));
  expect(readFileSync(file, 'utf8')).toBe('two');
  expect(readdirSync(path.dirname(file))).toEqual(['b.json']);
});

test('of thirty writers that publish one name at once, one is told published and its content stands', async () => {
  const file = path.join(tempFolder(), 'run.json');
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => publishExclusive(file, `writer ${i}`)),
  );
  const winners = answers.flatMap((answer, i) => (answer === 'published' ? [i] : []));
  expect(winners).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).toBe(`writer ${winners[0]}`);
  expect(readdirSync(path.dirname(file))).toEqual(['run.json']);
});

test('without hard links a claim and a rename publish exactly once', async () => {
  const file = path.join(tempFolder(), 'run.json');
  const link = noLinks('EOPNOTSUPP');
  const answers = await Promise.all([1, 2, 3, 4].map((i) => publishExclusive(file, `writer ${i}`, { link })));
  expect(answers.filter((answer) => answer === 'published')).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).toMatch(/^writer \d$/);
  expect(readdirSync(path.dirname(file))).toEqual(['run.json']);
});

test('a claim that a killed process left is taken over after a minute, not before', async () => {
  const file = path.join(tempFolder(), 'run.json');
  writeFileSync(file, '');
  expect(await publishExclusive(file, 'new', { link: noLinks('EPERM') })).toBe('exists');
  const twoMinutesAgo = Date.now() / 1000 - 120;
  utimesSync(file, twoMinutesAgo, twoMinutesAgo);
  expect(await publishExclusive(file, 'new', { link: noLinks('EPERM') })).toBe('published');
});

test('EEXIST after a link that worked, as NFS answers a resent call, counts as published', async () => {
  const file = path.join(tempFolder(), 'run.json');
  const { link } = await import('node:fs/promises');
  const resent = async (from: string, to: string): Promise<void> => {
    await link(from, to);
    throw Object.assign(new Error('exists'), { code: 'EEXIST' });
  };
  expect(await publishExclusive(file, 'mine', { link: resent })).toBe('published');
});

test('a path through a file is NOT_A_FOLDER and leaves nothing behind', async () => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'file'), '');
  await expect(writeFileAtomic(path.join(folder, 'file', 'x'), 'text')).rejects.toMatchObject({
    code: 'NOT_A_FOLDER',
    exitCode: 3,
  });
  expect(readdirSync(folder)).toEqual(['file']);
});

test.each([
  ['ENOSPC', 'DISK_FULL', 1],
  ['EDQUOT', 'DISK_FULL', 1],
  ['EROFS', 'READ_ONLY', 3],
  ['EACCES', 'NO_PERMISSION', 3],
  ['EIO', 'WRITE_FAILED', 1],
])('the system code %s becomes %s', (system, code, exitCode) => {
  const error = writeError(Object.assign(new Error('x'), { code: system }), '/data/a.json');
  expect(error).toMatchObject({ code, exitCode, where: '/data/a.json' });
  expect(error.hint).not.toBe('');
});

withFullDisk(
  'on a full disk a write is DISK_FULL, the old file stands and no part of the new one',
  async (folder) => {
    const file = path.join(folder, 'a.bin');
    await writeFileAtomic(file, 'old');
    await expect(writeFileAtomic(file, new Uint8Array(4 * 2 ** 20))).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    await expect(publishExclusive(path.join(folder, 'b'), new Uint8Array(4 * 2 ** 20))).rejects.toMatchObject(
      {
        code: 'DISK_FULL',
      },
    );
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a.bin']);
  },
);

test('temporaries of processes that are gone are removed, those of running ones stay', async () => {
  const folder = tempFolder();
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.on('exit', resolve));
  const living = temporaryBeside(path.join(folder, 'a'));
  const dead = living.replace(`.${process.pid}.`, `.${child.pid}.`);
  mkdirSync(dead);
  writeFileSync(path.join(dead, 'part'), 'x');
  writeFileSync(living, '');
  writeFileSync(path.join(folder, '.notes.tmp'), 'mine');
  await removeAbandoned(folder);
  expect(existsSync(living)).toBe(true);
  expect(readdirSync(folder).sort()).toEqual([path.basename(living), '.notes.tmp'].sort());
});
