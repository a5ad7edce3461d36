import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NpzFile } from '../../src/io/npz.js';
import { npyBytes } from '../support/npy.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip, type ZipMember } from '../support/zip-writer.js';

const array = npyBytes('<i2', [2, 2], Uint8Array.of(1, 0, 2, 0, 3, 0, 4, 0));

function bundle(members: readonly ZipMember[]): string {
  const file = path.join(tempFolder(), 'a.npz');
  writeFileSync(file, writeZip(members));
  return file;
}

describe('npz bundles', () => {
  it.each([false, true])('give their arrays by name (deflated: %s)', async (deflate) => {
    const file = await NpzFile.open(bundle([{ name: 'x.npy', content: array, deflate }]));
    expect(file.names).toEqual(['x']);
    expect(await file.header('x')).toMatchObject({ shape: [2, 2], descr: '<i2', isFortran: false });
    expect(await file.read('x')).toMatchObject({ shape: [2, 2], data: Int16Array.of(1, 2, 3, 4) });
    await expect(file.read('y')).rejects.toMatchObject({ code: 'MEMBER_MISSING', hint: 'It has x.' });
    file.close();
  });

  it('read a member of zeros, however well it is packed, when its header declares it', async () => {
    const zeros = npyBytes('|u1', [4096, 6000], new Uint8Array(4096 * 6000)); // 24 MB, packed about 1000 times
    const file = await NpzFile.open(bundle([{ name: 'mask.npy', content: zeros, deflate: true }]));
    expect((await file.read('mask')).data.length).toBe(4096 * 6000);
    file.close();
  });

  it('say so when the head of a member, which only reading it finds, is damaged', async () => {
    const bytes = writeZip([{ name: 'x.npy', content: array, deflate: true }]);
    bytes.writeUInt16LE(60_000, 26); // its name ends behind the file
    const place = path.join(tempFolder(), 'a.npz');
    writeFileSync(place, bytes);
    const file = await NpzFile.open(place);
    const due = { code: 'CORRUPT_DATA', where: expect.stringContaining('a.npz » x') as string };
    await expect(file.header('x')).rejects.toMatchObject(due);
    await expect(file.read('x')).rejects.toMatchObject(due);
    file.close();
  });

  it('name a compression that is not read', async () => {
    const bytes = writeZip([{ name: 'x.npy', content: array }]);
    bytes.writeUInt16LE(14, bytes.indexOf('PK\x01\x02') + 10); // LZMA
    const place = path.join(tempFolder(), 'a.npz');
    writeFileSync(place, bytes);
    const file = await NpzFile.open(place);
    await expect(file.read('x')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('method 14') as string,
    });
    file.close();
  });

  it.each([
    ['objects', [{ name: 'x.npy', content: npyBytes('|O', [1], new Uint8Array(8)) }], 'UNSAFE'],
    [
      'a member that unpacks to more than its header declares',
      [
        {
          name: 'x.npy',
          content: Buffer.concat([npyBytes('|u1', [16], new Uint8Array(0)), Buffer.alloc(2 ** 22)]),
          deflate: true,
        },
      ],
      'CORRUPT_DATA',
    ],
    [
      'a member whose size in the archive is a lie',
      [
        {
          name: 'x.npy',
          content: Buffer.concat([array, Buffer.alloc(2 ** 22)]),
          deflate: true,
          size: array.length,
        },
      ],
      'CORRUPT_DATA',
    ],
    ['a member that is no array', [{ name: 'x.npy', content: 'hello, this is text' }], 'NOT_NPY'],
  ])('refuse %s', async (_, members, code) => {
    const file = await NpzFile.open(bundle(members));
    await expect(file.read('x')).rejects.toMatchObject({ code, where: expect.stringContaining('a.npz » x') });
    file.close();
  });

  it.each([
    ['a name that climbs out of the folder', writeZip([{ name: '../../x.npy', content: array }]), 'UNSAFE'],
    ['an archive cut short', writeZip([{ name: 'x.npy', content: array }]).subarray(0, 90), 'TRUNCATED'],
    ['an empty file', new Uint8Array(0), 'EMPTY_FILE'],
    ['a page of a web server', Buffer.from('<!DOCTYPE html><html>'), 'NOT_NPY'],
  ])('refuse %s on opening', async (_, content, code) => {
    const file = path.join(tempFolder(), 'a.npz');
    writeFileSync(file, content);
    await expect(NpzFile.open(file)).rejects.toMatchObject({ code, where: file });
  });
});
