import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoints/checkpoint.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip } from '../support/zip-writer.js';

/** Protocol 2: {name: a tensor cut from storage "0" of `stored` elements} for each shape and offset. */
function pickleOf(
  tensors: Readonly<Record<string, { shape: number[]; strides: number[]; offset: number }>>,
  stored: number,
): Buffer {
  const int = (value: number): Buffer => {
    const bytes = Buffer.alloc(5);
    bytes[0] = 0x4a; // J
    bytes.writeInt32LE(value, 1);
    return bytes;
  };
  const text = (value: string): Buffer => {
    const bytes = Buffer.alloc(5 + value.length);
    bytes[0] = 0x58; // X
    bytes.writeUInt32LE(value.length, 1);
    bytes.write(value, 5, 'latin1');
    return bytes;
  };
  const raw = (value: string): Buffer => Buffer.from(value, 'latin1');
  const parts: Buffer[] = [raw('\x80\x02}(')];
  for (const [name, { shape, strides, offset }] of Object.entries(tensors)) {
    parts.push(
      text(name),
      raw('ctorch._utils\n_rebuild_tensor_v2\n(('),
      text('storage'),
      raw('ctorch\nFloatStorage\n'),
    );
    parts.push(text('0'), text('cpu'), int(stored), raw('tQ'), int(offset));
    for (const sizes of [shape, strides]) parts.push(raw('('), ...sizes.map(int), raw('t'));
    parts.push(raw('\x89ccollections\nOrderedDict\n)RtR'));
  }
  parts.push(raw('u.'));
  return Buffer.concat(parts);
}

/** A checkpoint whose one storage is a hole of the file system: it takes no space and no time to write. */
function writeSparseCheckpoint(file: string, elements: number, pickle: Buffer): void {
  const byteLength = elements * 4;
  const zip = writeZip([
    { name: 'archive/data.pkl', content: pickle },
    { name: 'archive/data/0', content: '' },
  ]);
  const directoryAt = zip.readUInt32LE(zip.length - 22 + 16);
  const head = zip.subarray(0, directoryAt);
  const tail = Buffer.from(zip.subarray(directoryAt));
  const second = tail.lastIndexOf('PK\x01\x02');
  for (const at of [20, 24]) tail.writeUInt32LE(byteLength, second + at);
  tail.writeUInt32LE(directoryAt + byteLength, tail.length - 22 + 16);
  const fd = openSync(file, 'w');
  writeSync(fd, head, 0, head.length, 0);
  // the last element is 1.5, so that the right place is seen to be read
  writeSync(fd, Buffer.from(Float32Array.of(1.5).buffer), 0, 4, directoryAt + byteLength - 4);
  writeSync(fd, tail, 0, tail.length, directoryAt + byteLength);
  ftruncateSync(fd, directoryAt + byteLength + tail.length);
  closeSync(fd);
}

test('a file of 2.5 GB opens at once, and reading a tensor takes the memory of that tensor', async () => {
  const elements = 625_000_000;
  const file = path.join(tempFolder(), 'large.pth');
  const tensors = {
    all: { shape: [25_000, 25_000], strides: [25_000, 1], offset: 0 },
    last: { shape: [2, 1000], strides: [1000, 1], offset: elements - 2000 },
  };
  writeSparseCheckpoint(file, elements, pickleOf(tensors, elements));
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const checkpoint = await openCheckpoint(file);
  const data = checkpoint.tensors.get('last')!.read();
  expect(performance.now() - started).toBeLessThan(1000); // milliseconds; a second for a busy machine
  expect(process.memoryUsage().rss - before).toBeLessThan(50e6); // 2 % of the file
  expect([data.length, data[0], data[1999]]).toEqual([2000, 0, 1.5]);
  expect(checkpoint.tensors.get('all')!.shape).toEqual([25_000, 25_000]);
  checkpoint.close();
  expect(() => checkpoint.tensors.get('last')!.read()).toThrowError(
    expect.objectContaining({ code: 'CHECKPOINT_CLOSED' }) as Error,
  );
});

test('transposed, overlapping and repeating views are gathered row by row', async () => {
  const file = path.join(tempFolder(), 'views.pth');
  const stored = Float32Array.from({ length: 6 }, (_, i) => i);
  const tensors = {
    transposed: { shape: [3, 2], strides: [1, 3], offset: 0 },
    diagonal: { shape: [2], strides: [4, 0].slice(0, 1), offset: 1 },
    repeated: { shape: [2, 3], strides: [0, 1], offset: 3 },
    scalar: { shape: [], strides: [], offset: 5 },
  };
  writeFileSync(
    file,
    writeZip([
      { name: 'x/data.pkl', content: pickleOf(tensors, 6) },
      { name: 'x/data/0', content: new Uint8Array(stored.buffer) },
    ]),
  );
  const checkpoint = await openCheckpoint(file);
  const read = (name: string): number[] => [...checkpoint.tensors.get(name)!.readFloat32()];
  expect(read('transposed')).toEqual([0, 3, 1, 4, 2, 5]);
  expect(read('diagonal')).toEqual([1, 5]);
  expect(read('repeated')).toEqual([3, 4, 5, 3, 4, 5]);
  expect(read('scalar')).toEqual([5]);
  checkpoint.close();
});

test('a view that repeats a few elements beyond a gigabyte opens, and is refused when it is read', async () => {
  const file = path.join(tempFolder(), 'expanded.pth');
  const tensors = { huge: { shape: [50_000, 20_000], strides: [0, 0], offset: 0 } };
  const storage = new Uint8Array(16);
  writeFileSync(
    file,
    writeZip([
      { name: 'x/data.pkl', content: pickleOf(tensors, 4) },
      { name: 'x/data/0', content: storage },
    ]),
  );
  const checkpoint = await openCheckpoint(file);
  expect(() => checkpoint.tensors.get('huge')!.read()).toThrowError(
    expect.objectContaining({ code: 'CHECKPOINT_UNSUPPORTED' }) as Error,
  );
  checkpoint.close();
});

test('a missing file, a missing section and a file without tensors have codes of their own', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'empty.pth');
  writeFileSync(file, writeZip([{ name: 'x/data.pkl', content: '}.' }]));
  await expect(openCheckpoint(file)).rejects.toMatchObject({ code: 'CHECKPOINT_EMPTY' });
  await expect(openCheckpoint(file, { section: 'model_ema' })).rejects.toMatchObject({
    code: 'CHECKPOINT_EMPTY',
    message: expect.stringContaining('model_ema') as string,
  });
  await expect(openCheckpoint(path.join(folder, 'none.pth'))).rejects.toMatchObject({ code: 'FILE_MISSING' });
  await expect(openCheckpoint(folder)).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});
