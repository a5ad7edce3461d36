import { beforeAll, describe, expect, it } from 'vitest';
import { buildDetector } from '../../src/detection/faster-rcnn.js';
import { geoBench2MaskDetector } from '../../src/detection/geobench2-detector.js';
import { torchName } from '../../src/encoders/load-weights.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Scalar, type Tensor3D, type Tensor4D } from '../../src/engine/tf.js';
import { createDeferredScope, createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { parameterCount } from '../support/parameter-count.js';

describe("GEO-Bench-2's Mask R-CNN", () => {
  beforeAll(() => startEngine());

  it('has the names and sizes of torchvision’s second form', () => {
    const store = new ParameterStore();
    buildDetector(
      createDeferredScope(store, createRandom(0)),
      geoBench2MaskDetector({ channels: [8, 8, 8, 8], classCount: 5 }),
    );
    const shapes = Object.fromEntries(
      store.all.map(({ name, variable }) => [torchName(name), variable.shape]),
    );
    expect(shapes).toMatchObject({
      'rpn.head.conv.1.0.weight': [3, 3, 256, 256],
      'rpn.head.cls_logits.weight': [1, 1, 256, 3],
      'roi_heads.box_head.3.0.weight': [3, 3, 256, 256],
      'roi_heads.box_head.3.1.running_var': [256],
      'roi_heads.box_head.5.weight': [12544, 1024],
      'roi_heads.box_predictor.bbox_pred.weight': [1024, 20],
      'roi_heads.mask_head.3.1.bias': [256],
      'roi_heads.mask_predictor.conv5_mask.weight': [2, 2, 256, 256],
    });
    expect(Object.keys(shapes)).not.toContain('roi_heads.mask_head.0.0.bias');
    // torchvision 0.24: RPNHead, FastRCNNConvFCHead, FastRCNNPredictor, MaskRCNNHeads and MaskRCNNPredictor of these widths
    const pyramid = 4 * (8 * 256 + 256) + 4 * (9 * 256 * 256 + 256);
    expect(parameterCount(store) - pyramid).toBe(19_042_093);
    store.dispose();
  });

  it('trains and draws masks of 14 × 14 pixels, also where an image has no object', () => {
    const store = new ParameterStore();
    const [height, width] = [64, 96];
    const detector = buildDetector(createScope(store, createRandom(1)), {
      ...geoBench2MaskDetector({ channels: [4, 4, 4, 4], classCount: 3 }),
      ...{ pyramidChannels: 8, headWidth: 16, headConvolutions: [8, 8] },
      mask: { cropSize: 7, widths: [8, 8], isNormalized: true, predictorWidth: 8 },
      detections: { minScore: 0, suppression: 0.5, count: 5 },
    });
    // as the reference begins: normal by the fan-out, the biases of the predictor uniform
    const numbers = (name: string): Float32Array =>
      store.all
        .find((parameter) => parameter.name === `roi_heads/mask_predictor/${name}`)!
        .variable.dataSync<'float32'>();
    const spread = (values: Float32Array): number =>
      Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
    // of 256 and 24 draws: 5 and 15 % are the spread's own spread, three times that is allowed
    expect(Math.abs(spread(numbers('conv5_mask/kernel')) / Math.sqrt(2 / (4 * 8)) - 1)).toBeLessThan(0.15);
    expect(Math.abs(spread(numbers('mask_fcn_logits/kernel')) / Math.sqrt(2 / 3) - 1)).toBeLessThan(0.45);
    expect(numbers('mask_fcn_logits/bias').some((value) => value !== 0)).toBe(true);
    const frames = { sizes: [[height, width]], batchSize: [height, width] } as const;
    const random = createRandom(2);
    tf.tidy(() => {
      const maps = [4, 8, 16, 32].map((stride, seed) =>
        tf.randomNormal([1, height / stride, width / stride, 4], 0, 1, 'float32', seed),
      ) as Tensor4D[];
      const masks = tf.ones([1, height, width]) as Tensor3D;
      const objects = { boxes: Float32Array.of(8, 8, 40, 50), labels: [2], masks };
      const none = {
        boxes: new Float32Array(0),
        labels: [],
        masks: tf.zeros([0, height, width]) as Tensor3D,
      };
      for (const target of [objects, none]) {
        const losses = detector.losses(maps, frames, [target], { training: true }, random.permutation);
        for (const loss of Object.values(losses) as Scalar[])
          expect(Number.isFinite(loss.dataSync()[0])).toBe(true);
      }
      const [found] = detector.detect(maps, frames, { training: false });
      expect(found!.masks!.side).toBe(14);
      expect(found!.masks!.values.length).toBe(found!.labels.length * 14 * 14);
      expect(found!.masks!.values.every(Number.isFinite)).toBe(true);
    });
    store.dispose();
  });
});
