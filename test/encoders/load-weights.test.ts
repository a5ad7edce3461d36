import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { batchNormalization } from '../../src/layers/batch-normalization.js';
import { convolution, depthwiseConvolution } from '../../src/layers/convolution.js';
import { dense } from '../../src/layers/dense.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { tempFolder } from '../support/temp-folder.js';

await startEngine();

/** A safetensors file: 8 bytes of header length, JSON, float32 values. */
function safetensors(file: string, tensors: Record<string, { shape: number[]; data: number[] }>): string {
  let offset = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, data }]) => {
      const start = offset;
      offset += data.length * 4;
      return [name, { dtype: 'F32', shape, data_offsets: [start, offset] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const body = Float32Array.from(Object.values(tensors).flatMap(({ data }) => data));
  writeFileSync(file, Buffer.concat([length, text, Buffer.from(body.buffer)]));
  return file;
}

const store = new ParameterStore();
afterEach(() => store.dispose());

function build(): void {
  const scope = createScope(store, createRandom(0)).child('encoder');
  convolution(scope.child('full'), { inChannels: 2, outChannels: 3, kernelSize: 2 });
  depthwiseConvolution(scope.child('own'), { channels: 2, kernelSize: 2 });
  batchNormalization(scope.child('norm'), { channels: 2 });
  dense(scope.child('head'), 2, 3);
}

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);
const file = () =>
  safetensors(path.join(tempFolder(), 'w.safetensors'), {
    'm.full.weight': { shape: [3, 2, 2, 2], data: range(24) },
    'm.own.weight': { shape: [2, 1, 2, 2], data: range(8) },
    'm.norm.weight': { shape: [2], data: [1, 2] },
    'm.norm.bias': { shape: [2], data: [3, 4] },
    'm.norm.running_mean': { shape: [2], data: [5, 6] },
    'm.norm.running_var': { shape: [2], data: [7, 8] },
    'm.head.weight': { shape: [3, 2], data: range(6) },
    'm.head.bias': { shape: [3], data: [0, 1, 2] },
    'm.extra': { shape: [1], data: [0] },
  });
const rules = { rename: [[/^m\.(\w+)\.(\w+)$/, '$1.$2']], discard: [/extra$/] } as const;
const valueOf = (name: string) => store.all.find((parameter) => parameter.name === name)!.variable;

describe('loading weights', () => {
  it('turns kernels from the axes of PyTorch to ours', async () => {
    build();
    const report = await loadWeights(file(), store, 'encoder', rules);
    expect(report.unused).toEqual(['m.extra']);
    // [out, in, height, width] → [height, width, in, out]
    const kernel = tf.tensor(range(24), [3, 2, 2, 2]).transpose([2, 3, 1, 0]);
    expect([...valueOf('encoder/full/kernel').dataSync()]).toEqual([...kernel.dataSync()]);
    // [channels, 1, height, width] → [height, width, channels, 1]
    expect([...valueOf('encoder/own/kernel').dataSync()]).toEqual([0, 4, 1, 5, 2, 6, 3, 7]);
    // [out, in] → [in, out]
    expect([...valueOf('encoder/head/kernel').dataSync()]).toEqual([0, 2, 4, 1, 3, 5]);
    kernel.dispose();
  });

  it('puts the numbers of a norm in their places', async () => {
    build();
    await loadWeights(file(), store, 'encoder', rules);
    const names = ['scale', 'offset', 'mean', 'variance'];
    expect(names.map((name) => [...valueOf(`encoder/norm/${name}`).dataSync()])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
  });

  it('fails on a tensor that no rule explains and changes nothing', async () => {
    build();
    const before = [...valueOf('encoder/full/kernel').dataSync()];
    const failing = loadWeights(file(), store, 'encoder', { ...rules, discard: [] });
    await expect(failing).rejects.toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining('m.extra'),
    });
    expect([...valueOf('encoder/full/kernel').dataSync()]).toEqual(before);
  });

  it('fails on a parameter that no tensor came for', async () => {
    build();
    const failing = loadWeights(file(), store, 'encoder', { ...rules, discard: [/extra$/, /head\.bias$/] });
    await expect(failing).rejects.toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining('head.bias'),
    });
  });
});
