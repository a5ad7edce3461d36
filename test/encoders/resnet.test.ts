import { afterEach, describe, expect, it } from 'vitest';
import { renameWeight } from '../../src/checkpoints/load-report.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { resnet } from '../../src/encoders/resnet.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { createShapeScope, type ParameterShape } from '../../src/layers/parameters.js';
import { sizeOf } from '../../src/shapes.js';
import { images, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const small = { block: 'bottleneck', depths: [1, 2], widths: [4, 6], stemWidth: 8 };

describe('a residual network', () => {
  it.each([
    // GEO-Bench, models.json: without the classifier
    ['basic', [2, 2, 2, 2], 11_176_512],
    ['bottleneck', [3, 4, 6, 3], 23_508_032],
  ])('of %s blocks %j has the published count of parameters', (block, depths, count) => {
    const shapes: ParameterShape[] = [];
    resnet.build(createShapeScope(shapes), { block, depths }, CORRECTED);
    const learned = shapes.filter(({ role }) => role !== 'statistic');
    expect(learned.reduce((sum, { shape }) => sum + sizeOf(shape), 0)).toBe(count);
  });

  it('halves odd sides upwards, and gives the stem first where that is wanted', () => {
    const { encoder } = smallEncoder(resnet, { ...small, bandCount: 2, stemFeature: true });
    expect(encoder.features).toEqual([
      { channels: 8, stride: 2 },
      { channels: 16, stride: 4 },
      { channels: 24, stride: 8 },
    ]);
    const input = { images: { optical: images(1, 33, 21, 2) } };
    tf.tidy(() => {
      const shapes = encoder.forward(input, evaluation).map(({ shape }) => shape);
      expect(shapes).toEqual([
        [1, 17, 11, 8],
        [1, 9, 6, 16],
        [1, 5, 3, 24],
      ]);
      expect(encoder.embed!(input, evaluation).shape).toEqual([1, 24]);
    });
  });

  it('asks for one width a stage', () => {
    const build = (): unknown => smallEncoder(resnet, { ...small, widths: [4] });
    expect(build).toThrow(
      expect.objectContaining({
        code: 'HYPERPARAMETERS_INVALID',
        message: expect.stringContaining('one width a stage'),
      }),
    );
  });
});

describe('training files of a residual network', () => {
  const namesIn = (names: readonly string[], more: Readonly<Record<string, unknown>> = {}): string[] => {
    const { rename, discard } = resnet.weights({ ...small, ...more });
    return names
      .filter((name) => !discard.some((rule) => rule.test(name)))
      .map((name) => renameWeight(name, rename));
  };

  it.each([
    ['SeCo', ['encoder_q.0.weight', 'encoder_q.1.bias', 'encoder_q.5.0.conv1.weight'], []],
    ['MoCo', ['encoder_q.conv1.weight', 'encoder_q.bn1.bias', 'encoder_q.layer2.0.conv1.weight'], []],
    ['DINO', ['backbone.conv1.weight', 'backbone.bn1.bias', 'backbone.layer2.0.conv1.weight'], []],
    ['PANGAEA', ['resnet.0.weight', 'resnet.1.bias', 'resnet.5.0.conv1.weight'], []],
    [
      'Satlas',
      [
        'backbone.backbone.resnet.conv1.weight',
        'backbone.backbone.resnet.bn1.bias',
        'backbone.backbone.resnet.layer2.0.conv1.weight',
      ],
      [],
    ],
  ])('of %s lose their prefix', (_, names) => {
    expect(namesIn(names)).toEqual(['conv1.weight', 'bn1.bias', 'layer2.0.conv1.weight']);
  });

  it('leave out projections, queues and momentum copies', () => {
    const others = [
      'encoder_q.fc.0.weight',
      'encoder_k.conv1.weight',
      'queue',
      'queue_ptr',
      'heads_q.0.0.weight',
      'head.mlp.0.weight',
      'projector1.0.weight',
      'fc.bias',
      'intermediates.0.fpn.inner_blocks.0.0.weight',
    ];
    expect(namesIn(others)).toEqual([]);
  });

  it('of DeCUR give the network of the wanted modality', () => {
    const names = ['backbone_1.conv1.weight', 'backbone_2.bn1.weight'];
    expect(namesIn(names)).toEqual(['conv1.weight']);
    expect(namesIn(names, { branch: 2 })).toEqual(['bn1.weight']);
  });

  it('of DINO are read from the set that is named', () => {
    expect(resnet.weights({ ...small, section: 'teacher' }).section).toBe('teacher');
    expect(resnet.weights(small)).not.toHaveProperty('section');
  });
});
