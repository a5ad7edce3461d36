import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openCheckpoint } from '../../src/checkpoints/checkpoint.js';
import { FileBytes } from '../../src/checkpoints/file-bytes.js';
import { tempFolder } from '../support/temp-folder.js';

afterEach(() => vi.restoreAllMocks());

const SHAPE = [64, 96];
const TENSOR_BYTES = 4 * 64 * 96;

/** Two shards of three tensors, one number in the last of each tensor, and their index. */
function writeShards(): { readonly index: string; readonly headerBytes: number } {
  const folder = tempFolder();
  const weightMap: Record<string, string> = {};
  let headerBytes = 0;
  for (const shard of [0, 1]) {
    const name = `model-0000${shard + 1}-of-00002.safetensors`;
    const header: Record<string, unknown> = {};
    const data = Buffer.alloc(3 * TENSOR_BYTES);
    for (const part of [0, 1, 2]) {
      const tensor = `blocks.${3 * shard + part}.weight`;
      const data_offsets = [part * TENSOR_BYTES, (part + 1) * TENSOR_BYTES];
      header[tensor] = { dtype: 'F32', shape: SHAPE, data_offsets };
      weightMap[tensor] = name;
      data.writeFloatLE(3 * shard + part + 0.5, (part + 1) * TENSOR_BYTES - 4);
    }
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    writeFileSync(path.join(folder, name), Buffer.concat([length, text, data]));
    headerBytes += 8 + text.length;
  }
  const index = path.join(folder, 'model.safetensors.index.json');
  writeFileSync(index, JSON.stringify({ weight_map: weightMap }));
  return { index, headerBytes };
}

test('a sharded checkpoint is opened by its headers alone, and a tensor reads its own bytes', async () => {
  const { index, headerBytes } = writeShards();
  const read = vi.spyOn(FileBytes.prototype, 'read');
  const bytesRead = (): number => read.mock.calls.reduce((sum, [, length]) => sum + length, 0);
  const { tensors, close } = await openCheckpoint(index);
  const sniffed = read.mock.calls[0]![1]; // the head of the index, to know what it is
  expect(tensors.size).toBe(6);
  expect(bytesRead() - sniffed).toBe(headerBytes);
  read.mockClear();
  const values = tensors.get('blocks.4.weight')!.readFloat32();
  expect([values.length, values.at(-1)]).toEqual([64 * 96, 4.5]);
  expect(read.mock.calls.map(([, length]) => length)).toEqual([TENSOR_BYTES]);
  close();
  expect(() => tensors.get('blocks.4.weight')!.read()).toThrow(
    expect.objectContaining({ code: 'CHECKPOINT_CLOSED' }) as Error,
  );
});

test('a shard that is cut off is told by its name before anything is read', async () => {
  const { index } = writeShards();
  const shard = path.join(path.dirname(index), 'model-00002-of-00002.safetensors');
  truncateSync(shard, 3 * TENSOR_BYTES);
  await expect(openCheckpoint(index)).rejects.toMatchObject({ code: 'CHECKPOINT_MALFORMED', where: shard });
});
