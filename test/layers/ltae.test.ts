import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D, type Tensor5D } from '../../src/engine/tf.js';
import { featurePyramid } from '../../src/layers/feature-pyramid.js';
import { ltae } from '../../src/layers/ltae.js';
import {
  createScope,
  createShapeScope,
  ParameterStore,
  type ParameterShape,
} from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { sizeOf } from '../../src/shapes.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const scope = () => createScope(new ParameterStore(), createRandom(1));

describe('ltae', () => {
  it.each([
    // PANGAEA, protocol.json: golden_parameter_counts.ltae
    [384, 322_688],
    [768, 1_235_072],
    [1024, 2_171_008],
    [3072, 19_095_680],
  ])('of %i channels has the published count of parameters', (width, count) => {
    const shapes: ParameterShape[] = [];
    ltae(createShapeScope(shapes), { inChannels: width, modelWidth: width, widths: [width] });
    const learned = shapes.filter(({ role }) => role !== 'statistic');
    expect(learned.reduce((sum, { shape }) => sum + sizeOf(shape), 0)).toBe(count);
  });

  it('gives padding no weight, and the other dates all of it', () => {
    const run = ltae(scope(), { inChannels: 4, heads: 2, modelWidth: null, widths: [4] });
    tf.tidy(() => {
      const x = tf.randomNormal([1, 3, 2, 1, 4], 0, 1, 'float32', 2) as Tensor5D;
      const positions = tf.tensor2d([[1, 20, 300]]);
      const padMask = tf.tensor2d([[0, 1, 0]]);
      const { map, attention } = run({ x, positions, padMask }, evaluation);
      expect(map.shape).toEqual([1, 2, 1, 4]);
      expect(attention.shape).toEqual([1, 2, 1, 2, 3]);
      const weights = attention.dataSync();
      for (let at = 0; at < weights.length; at += 3) {
        expect(weights[at + 1]).toBe(0);
        expect(weights[at]! + weights[at + 2]!).toBeCloseTo(1, 6);
      }
    });
  });

  it('does not know the dates where positions are left out', () => {
    const run = ltae(scope(), { inChannels: 4, heads: 2, modelWidth: null, widths: [4], positions: false });
    tf.tidy(() => {
      const x = tf.randomNormal([1, 3, 1, 1, 4], 0, 1, 'float32', 2) as Tensor5D;
      const [one, other] = [x, tf.reverse(x, 1) as Tensor5D].map(
        (series) => run({ x: series }, evaluation).map,
      );
      // sums over the dates in another order
      expect(tf.abs(tf.sub(one!, other!)).max().dataSync()[0]).toBeLessThan(1e-5);
      const withPositions = ltae(scope(), { inChannels: 4, heads: 2, modelWidth: 4, widths: [] });
      expect(() => withPositions({ x }, evaluation)).toThrow('positions');
    });
  });
});

describe('featurePyramid', () => {
  const maps = (): Tensor4D[] => [tf.ones([1, 8, 6, 4]), tf.ones([1, 4, 3, 5])];

  it.each([
    [undefined, []],
    ['pool', [[1, 2, 2, 4]]],
    [
      'p6-p7',
      [
        [1, 2, 2, 4],
        [1, 1, 1, 4],
      ],
    ],
  ] as const)('with extra levels by %s', (extra, shapes) => {
    const run = featurePyramid(scope(), { inChannels: [4, 5], outChannels: 4, extra });
    tf.tidy(() => {
      const levels = run(maps(), evaluation).map(({ shape }) => shape);
      expect(levels).toEqual([[1, 8, 6, 4], [1, 4, 3, 4], ...shapes]);
    });
  });

  it('reads the last map for p6, or the last level where both have as many channels', () => {
    const kernelOf = (channels: number): number[] => {
      const shapes: ParameterShape[] = [];
      featurePyramid(createShapeScope(shapes), { inChannels: [4, channels], outChannels: 4, extra: 'p6-p7' });
      return [...shapes.find(({ name }) => name === 'extra_blocks/p6/kernel')!.shape];
    };
    expect(kernelOf(5)).toEqual([3, 3, 5, 4]);
    expect(kernelOf(4)).toEqual([3, 3, 4, 4]);
  });
});
