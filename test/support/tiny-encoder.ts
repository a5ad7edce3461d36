import { z } from 'zod';
import { defineEncoder } from '../../src/encoders/define-encoder.js';
import { imageOf } from '../../src/encoders/images.js';
import { relu } from '../../src/engine/ops/activations.js';
import { batchNormalization } from '../../src/layers/batch-normalization.js';
import { convolution } from '../../src/layers/convolution.js';
import { sequence } from '../../src/layers/layer.js';

/** Four channels at half the resolution: small enough for hundreds of steps in a test. */
export const tinyEncoder = defineEncoder('tiny', {
  manifest: { modalities: { optical: ['a', 'b'] }, hyperparameters: { bandCount: 2 } },
  hyperparameters: z.object({ bandCount: z.int().default(3) }),
  build(scope, { bandCount }) {
    const layer = sequence([
      convolution(scope.child('convolution'), {
        inChannels: bandCount,
        outChannels: 4,
        kernelSize: 3,
        stride: 2,
      }),
      batchNormalization(scope.child('norm'), { channels: 4 }),
      relu,
    ]);
    return {
      features: [{ channels: 4, stride: 2 }],
      forward: (input, context) => [layer(imageOf(input, bandCount), context)],
    };
  },
  weights: { rename: [], discard: [] },
});
