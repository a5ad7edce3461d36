import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../support/needs.js';

let eslint: ESLint;
beforeAll(() => {
  // in a single run, which the parser takes for granted where CI is set, it would read the file on disk
  process.env.TSESTREE_SINGLE_RUN = 'false';
  eslint = new ESLint({ cwd: root });
});

/** Rules that a text breaks when it stands in the place of an existing file. */
async function broken(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: file });
  return result!.messages.map((message) => `${message.ruleId ?? 'parse'}: ${message.message}`);
}

describe('the linter', { timeout: 60_000 }, () => {
  it('stops an import from a later layer, static, dynamic, type-only or re-exported', async () => {
    const lines = [
      `import { describeError } from '../errors.js';`,
      `import { tf } from '../engine/tf.js';`,
      `import type { RunRecord } from '../results/run-record.js';`,
      `export { startEngine } from '../engine/engine.js';`,
      `export const later = async (r: RunRecord): Promise<unknown> => [r, tf, describeError, await import('../studies/study.js')];`,
    ];
    const messages = await broken('src/io/raster.ts', `${lines.join('\n')}\n`);
    const upwards = messages.filter((message) => message.startsWith('gondwana/import-layers'));
    expect(upwards).toHaveLength(4);
    expect(upwards[0]).toContain('io may not import from engine');
  });

  it('stops a folder that has no place among the layers', async () => {
    const messages = await broken('src/io/raster.ts', `export * from '../helpers/thing.js';\n`);
    expect(messages.join()).toContain('src/helpers has no place among the layers');
  });

  it.each([
    [`import * as tf from '@tensorflow/tfjs';\nexport { tf };\n`],
    [`export type T = import('@tensorflow/tfjs').Tensor;\n`],
    [
      `import { createRequire } from 'node:module';\nexport const x: unknown = createRequire(import.meta.url)('@tensorflow/tfjs-node');\n`,
    ],
    [`export const x = (): Promise<unknown> => import('@tensorflow/tfjs-backend-wasm');\n`],
  ])('lets only src/engine load TensorFlow.js: %s', async (text) => {
    expect((await broken('src/studies/study.ts', text)).join()).toContain('gondwana/tensorflow-in-engine');
    expect((await broken('src/engine/tf.ts', text)).join()).not.toContain('gondwana/tensorflow-in-engine');
  });

  it.each([
    'tf.conv2d(x, w, 1, "same")',
    'tf.depthwiseConv2d(x, w, 1, "same")',
    'tf.image.resizeBilinear(x, [2, 2])',
    'tf.batchNorm(x, w, w)',
    'tf.layers.dense({ units: 1 })',
    'tf.matMul(x, w)',
    'x.matMul(w)',
    'tf.mirrorPad(x, [[1, 1]], "reflect")',
    'tf.maxPool(x, 2, 2, "same")',
    'tf.avgPool(x, 2, 2, "same")',
    'tf.einsum("ij,jk->ik", x, w)',
    'tf.gatherND(x, w)',
    'x.cumsum(0)',
    'tf.topk(x, 2)',
    'tf.losses.softmaxCrossEntropy(x, w)',
    'tf.train.adam(0.1)',
    'tf["conv2d"](x, w, 1, "same")',
  ])('stops the direct op %s outside engine/ops and names what to use', async (call) => {
    const head = `import { tf } from '../engine/tf.js';\ndeclare const x: any;\ndeclare const w: any;\n`;
    const messages = await broken('src/studies/study.ts', `${head}export const y: unknown = ${call};\n`);
    const found = messages.filter((message) => message.startsWith('gondwana/no-direct-ops'));
    expect(found).not.toEqual([]);
    expect(found[0]).toMatch(/is not called outside engine\/ops: .+\.$/);
  });

  it('lets engine/ops itself call them, and everyone call the ops of engine/ops', async () => {
    const direct = `import { tf } from '../tf.js';\nexport const y: unknown = tf.matMul([[1]], [[1]]);\n`;
    expect((await broken('src/engine/ops/raw.ts', direct)).join()).not.toContain('no-direct-ops');
    const through = `import * as ops from '../engine/ops/conv.js';\nexport const y: unknown = ops.conv2d;\n`;
    expect((await broken('src/studies/study.ts', through)).join()).not.toContain('no-direct-ops');
  });

  it('stops a top-level await, a floating promise and Math.random', async () => {
    const text = `await Promise.resolve();\nexport const f = (): void => {\n  Promise.resolve(1);\n};\nexport const r = Math.random();\n`;
    const messages = (await broken('src/studies/study.ts', text)).join('\n');
    expect(messages).toContain('gondwana/no-top-level-await');
    expect(messages).toContain('@typescript-eslint/no-floating-promises');
    expect(messages).toContain('no-restricted-properties');
  });
});
