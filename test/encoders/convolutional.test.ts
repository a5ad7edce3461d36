import { afterEach, describe, expect, it } from 'vitest';
import { renameWeight } from '../../src/checkpoints/load-report.js';
import { convnext } from '../../src/encoders/convnext.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { unet } from '../../src/encoders/unet.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { createShapeScope, type ParameterShape } from '../../src/layers/parameters.js';
import { sizeOf } from '../../src/shapes.js';
import { images, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };

describe('ConvNeXt', () => {
  const small = { depths: [1, 1], widths: [8, 12] };

  it.each([
    // geobench/models.json and geobench2/models.json: without the classifier
    ['base', [128, 256, 512, 1024], 87_566_464],
    ['large', [192, 384, 768, 1536], 196_230_336],
    ['extra large', [256, 512, 1024, 2048], 348_147_968],
  ])('%s has the published count of parameters', (_, widths, count) => {
    const shapes: ParameterShape[] = [];
    convnext.build(createShapeScope(shapes), { depths: [3, 3, 27, 3], widths }, CORRECTED);
    expect(shapes.reduce((sum, { shape }) => sum + sizeOf(shape), 0)).toBe(count);
  });

  it('has no factor on its blocks where the checkpoint has none', () => {
    const names = (layerScale: number | null): number =>
      smallEncoder(convnext, { ...small, layerScale }).store.all.filter(({ name }) => /gamma$/.test(name))
        .length;
    expect([names(1e-6), names(null)]).toEqual([2, 0]);
  });

  it('reads 1 × 1 convolutions as linear layers', () => {
    const [rule] = convnext.weights(small).adapt!;
    expect(rule!.match.test('stages.0.blocks.0.mlp.fc1.weight')).toBe(true);
    const data = new Float32Array(256);
    expect(rule!.adapt({ data, shape: [32, 8, 1, 1] }, [32, 8])).toEqual({ data, shape: [32, 8] });
  });

  it('knows the names of its authors', () => {
    const { rename, discard } = convnext.weights(small);
    const rename1 = (name: string): string => renameWeight(name, rename);
    expect(rename1('downsample_layers.0.1.bias')).toBe('stem.1.bias');
    expect(rename1('stages.2.11.pwconv2.weight')).toBe('stages.2.blocks.11.mlp.fc2.weight');
    expect(rename1('stages.2.blocks.11.mlp.fc2.weight')).toBe('stages.2.blocks.11.mlp.fc2.weight');
    expect(
      ['head.weight', 'head.fc.bias', 'norms.3.bias'].every((name) =>
        discard.some((rule) => rule.test(name)),
      ),
    ).toBe(true);
    expect(discard.some((rule) => rule.test('head.norm.weight'))).toBe(false);
  });

  it('tells images that hold no patch', () => {
    const { encoder } = smallEncoder(convnext, small);
    const run = (): void =>
      tf.tidy(() => void encoder.forward({ images: { optical: images(1, 3, 16, 3) } }, evaluation));
    expect(run).toThrow(expect.objectContaining({ code: 'IMAGE_TOO_SMALL' }));
  });
});

describe("the U-Net's encoder", () => {
  const small = { bandCount: 3, widths: [4, 6] };

  it('gives every level, finest first', () => {
    const { encoder } = smallEncoder(unet, small);
    expect(encoder.features).toEqual([
      { channels: 4, stride: 1 },
      { channels: 6, stride: 2 },
      { channels: 6, stride: 4 },
    ]);
    tf.tidy(() => {
      const maps = encoder.forward({ images: { optical: images(1, 16, 12, 3) } }, evaluation);
      expect(maps.map(({ shape }) => shape)).toEqual([
        [1, 16, 12, 4],
        [1, 8, 6, 6],
        [1, 4, 3, 6],
      ]);
    });
  });

  it('joins radar behind optical bands, in whatever order they come', () => {
    const { encoder } = smallEncoder(unet, small);
    tf.tidy(() => {
      const [optical, sar] = [images(1, 8, 8, 2), tf.mul(images(1, 8, 8, 1), 3) as Tensor4D];
      const run = (given: Record<string, Tensor4D>): number[] => [
        ...encoder.forward({ images: given }, evaluation)[0]!.dataSync(),
      ];
      const joined = run({ image: tf.concat([optical, sar], 3) });
      expect(run({ optical, sar })).toEqual(joined);
      expect(run({ sar, optical })).toEqual(joined);
    });
  });

  it.each([
    ['bands', { optical: [1, 8, 8, 2] }, 'SHAPE_MISMATCH'],
    ['pixels', { optical: [1, 8, 8, 2], sar: [1, 8, 4, 1] }, 'SHAPE_MISMATCH'],
    ['dates', { optical: [1, 2, 8, 8, 3] }, 'TIME_STEPS'],
    ['modalities', {}, 'MODALITIES'],
    ['whole levels', { optical: [1, 3, 8, 3] }, 'IMAGE_TOO_SMALL'],
  ])('tells images of other %s', (_, shapes, code) => {
    const { encoder } = smallEncoder(unet, small);
    const run = (): void =>
      tf.tidy(() => {
        const given = Object.entries(shapes).map(([name, shape]) => [name, tf.zeros(shape)]);
        encoder.forward({ images: Object.fromEntries(given) }, evaluation);
      });
    expect(run).toThrow(expect.objectContaining({ code }));
  });

  it('merges the dates of a series into one image', () => {
    const { encoder, store } = smallEncoder(unet, { ...small, dateCount: 4 });
    expect(store.all[0]!.variable.shape).toEqual([3, 3, 12, 3]);
    tf.tidy(() => {
      const optical = tf.zeros([2, 4, 8, 8, 3]) as never;
      expect(encoder.forward({ images: { optical } }, evaluation)[0]!.shape).toEqual([2, 8, 8, 4]);
    });
  });
});
