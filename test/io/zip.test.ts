import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ZipArchive } from '../../src/io/zip.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip, type ZipMember } from '../support/zip-writer.js';

async function open(
  members: readonly ZipMember[],
  change = (bytes: Buffer): Buffer => bytes,
): Promise<ZipArchive> {
  const file = path.join(tempFolder(), 'a.zip');
  writeFileSync(file, change(writeZip(members)));
  return ZipArchive.open(file);
}

test('stored entries are read in parts, compressed ones whole', async () => {
  const zip = await open([
    { name: 'a/plain', content: '0123456789' },
    { name: 'a/packed', content: 'x'.repeat(5000), deflate: true },
  ]);
  expect([...zip.entries.keys()]).toEqual(['a/plain', 'a/packed']);
  expect(Buffer.from(zip.readStored('a/plain', 3, 4)).toString()).toBe('3456');
  expect(() => zip.readStored('a/plain', 8, 4)).toThrowError(/do not exist/);
  expect(() => zip.readStored('a/packed', 0, 1)).toThrowError(/compressed/);
  expect(Buffer.from(await zip.read('a/packed', 10_000)).toString()).toBe('x'.repeat(5000));
  await expect(zip.read('a/packed', 100)).rejects.toMatchObject({ code: 'ZIP_TOO_LARGE' });
  zip.close();
  expect(() => zip.readStored('a/plain', 0, 1)).toThrowError(/closed/);
});

test('chosen entries are unpacked under the names that pick gives', async () => {
  const zip = await open([
    { name: 'x/one.txt', content: 'one', deflate: true },
    { name: 'x/two.txt', content: 'two' },
    { name: 'y/three.txt', content: 'three' },
  ]);
  const folder = tempFolder();
  const seen: [number, number][] = [];
  const files = await zip.extract(
    ({ name }) => (name.startsWith('x/') ? `out/${name.slice(2)}` : undefined),
    folder,
    {
      onProgress: (done, total) => seen.push([done, total]),
    },
  );
  expect(files).toEqual(['one.txt', 'two.txt'].map((name) => path.join(folder, 'out', name)));
  expect(readFileSync(files[1]!, 'utf8')).toBe('two');
  expect(seen.at(-1)).toEqual([6, 6]);
  await expect(zip.extract(() => 'out/one.txt', folder)).rejects.toMatchObject({ code: 'NOT_A_FOLDER' }); // never overwritten
  zip.close();
});

test.each<[string, readonly ZipMember[]]>([
  ['a name that leads out of the folder', [{ name: '../evil', content: 'x' }]],
  ['an absolute name', [{ name: '/etc/evil', content: 'x' }]],
])('%s is refused when opening', async (_, members) => {
  await expect(open(members)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
});

test('a name that occurs twice is refused', async () => {
  const twice = [
    { name: 'a', content: '1' },
    { name: 'a', content: '2' },
  ];
  await expect(open(twice)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
});

test('symbolic links, bombs and paths of pick that escape are refused before anything is written', async () => {
  const folder = tempFolder();
  const zip = await open([
    { name: 'link', content: '/etc/passwd', mode: 0o120777 },
    { name: 'bomb', content: new Uint8Array(17 * 2 ** 20), deflate: true },
    { name: 'fine', content: 'x' },
  ]);
  const only = (wanted: string) => (entry: { name: string }) => (entry.name === wanted ? wanted : undefined);
  await expect(zip.extract(only('link'), folder)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
  await expect(zip.extract(only('bomb'), folder)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
  await expect(zip.extract(() => '../x', folder)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
  await expect(zip.extract(only('fine'), folder, { maxBytes: 0 })).rejects.toMatchObject({
    code: 'ZIP_TOO_LARGE',
  });
  expect(existsSync(path.join(folder, 'link'))).toBe(false);
  zip.close();
});

test('entries that share bytes are refused', async () => {
  const overlapping = (bytes: Buffer): Buffer => {
    const second = bytes.lastIndexOf('PK\x01\x02');
    bytes.writeUInt32LE(0, second + 42); // the second entry starts where the first does
    return bytes;
  };
  const members = ['a', 'b'].map((name) => ({ name, content: 'same' }));
  await expect(open(members, overlapping)).rejects.toMatchObject({ code: 'ZIP_UNSAFE' });
});

test('a changed byte and a lie about the size are found while unpacking', async () => {
  const changed = await open([{ name: 'a', content: 'hello' }], (bytes) => {
    bytes[bytes.indexOf('hello')] = 0x6a;
    return bytes;
  });
  await expect(changed.read('a', 100)).rejects.toMatchObject({ code: 'ZIP_MALFORMED' });
  changed.close();
  const lying = await open([{ name: 'a', content: 'x'.repeat(900), deflate: true, size: 20 }]);
  await expect(lying.read('a', 1000)).rejects.toMatchObject({ code: 'ZIP_MALFORMED' });
  lying.close();
});

test('a cut-off archive, an empty file and a folder are told apart', async () => {
  await expect(
    open([{ name: 'a', content: 'hello' }], (bytes) => bytes.subarray(0, -5)),
  ).rejects.toMatchObject({
    code: 'ZIP_MALFORMED',
  });
  await expect(open([], () => Buffer.alloc(0))).rejects.toMatchObject({ code: 'ZIP_MALFORMED' });
  await expect(ZipArchive.open(tempFolder())).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  await expect(ZipArchive.open('/no/such/file.zip')).rejects.toMatchObject({ code: 'FILE_MISSING' });
});
