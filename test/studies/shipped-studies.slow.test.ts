import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeArrays, type NamedArray } from '../../src/io/array-file.js';
import { createRandom } from '../../src/random.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { loadStudy, shippedStudies } from '../../src/studies/load-study.js';
import { runStudy } from '../../src/studies/run-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';
import { root } from '../support/needs.js';
import { fixtureFolders, withFixture } from '../support/study-fixtures.js';
import { tempFolder } from '../support/temp-folder.js';

/** Shares that leave one image of two or three, and all of them. */
const FRACTIONS = [0.5, 1];

/** Its images are smaller than any input: they are resized. */
const TINY_IMAGES = { crop: 'resize', evaluation: 'whole' };

/** Decoders of tens of millions of parameters are left to the study that compares decoders. */
const small = (decoder: StudyDefinition['decoders'][number]): StudyDefinition['decoders'][number] =>
  decoder === 'upernet' || decoder === 'unet-smp' ? 'linear-pixel' : decoder;

/** Studies of the start of an encoder: without a checkpoint their arms are one run. */
const OF_WEIGHTS: readonly string[] = ['new-bands', 'pretrained-vs-random'];

/** A checkpoint of the small encoder, of drawn numbers. */
function tinyWeights(): string {
  const random = createRandom(0);
  const drawn = (...shape: number[]): NamedArray => {
    const length = shape.reduce((product, side) => product * side, 1);
    return { shape, data: Float32Array.from({ length }, () => random.normal() / 5) };
  };
  const arrays = [0, 1, 2, 3].flatMap((level): [string, NamedArray][] => [
    [`stage-${level}.convolution.weight`, drawn(16, level === 0 ? 3 : 16, 3, 3)],
    [`stage-${level}.norm.weight`, drawn(16)],
    [`stage-${level}.norm.bias`, drawn(16)],
    [`stage-${level}.norm.running_mean`, drawn(16)],
    [`stage-${level}.norm.running_var`, { shape: [16], data: new Float32Array(16).fill(1) }],
  ]);
  const file = path.join(tempFolder(), 'tiny.safetensors');
  writeFileSync(file, encodeArrays({ arrays: new Map(arrays), metadata: {} }));
  return file;
}

/** One dataset, one small encoder, most often from random weights, one epoch of one seed, inputs of 32 pixels. */
async function toy(id: string): Promise<StudyDefinition> {
  const study = await loadStudy(id);
  const dataset = withFixture(study.datasets[0]!);
  const { labelFraction, ...vary } = study.vary ?? {};
  return {
    ...study,
    datasets: [dataset],
    encoders: ['tiny-pyramid'],
    decoders: id === 'decoder' ? study.decoders : study.decoders.map(small),
    seeds: [0],
    data: fixtureFolders([dataset]),
    ...(OF_WEIGHTS.includes(id) && { weights: { 'tiny-pyramid': tinyWeights() } }),
    settings: {
      ...study.settings,
      ...{ epochs: 1, batchSize: 2, inputSize: 32, windowStride: 32, validateEvery: 1 },
      ...(dataset === 'biomassters' && TINY_IMAGES),
    },
    vary: { ...vary, ...(labelFraction && { labelFraction: FRACTIONS }) },
  };
}

beforeAll(() => loadPlugin(path.join(root, 'test/fixtures/plugins/tiny-pyramid.ts')));

describe.each(shippedStudies().filter((id) => !['quickstart', 'smoke', 'tree-crowns'].includes(id)))(
  'the shipped study %s, at toy size',
  (id) => {
    it('computes every arm', async () => {
      const { plan, records, failed } = await runStudy(await toy(id), { store: tempFolder() });
      expect(failed.map(({ run, error }) => [run.arm, error.code, error.message])).toEqual([]);
      expect(records.map(({ id: run }) => run)).toEqual(plan.runs.map(({ id: run }) => run));
      for (const { arm, scores } of records) expect([arm, scores.length > 0]).toEqual([arm, true]);
    });
  },
);
