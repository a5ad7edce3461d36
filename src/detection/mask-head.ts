import { relu } from '../engine/ops/activations.js';
import { sigmoidCrossEntropy } from '../engine/ops/cross-entropy.js';
import { gatherND } from '../engine/ops/gather.js';
import { tf, type Scalar, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { convolution, transposedConvolution } from '../layers/convolution.js';
import type { ForwardContext, Layer } from '../layers/layer.js';
import { normal, zeros, type Scope } from '../layers/parameters.js';
import type { Boxes } from './boxes.js';
import { roiAlign } from './roi-align.js';
import { roiConvolution } from './roi-convolution.js';

export interface MaskHeadOptions {
  readonly channels: number;
  /** Of the 3 × 3 convolutions, one after another. */
  readonly widths: readonly number[];
  /** Whether they are batch-normalised, without biases. Default false. */
  readonly isNormalized?: boolean | undefined;
  /** Of the transposed convolution that doubles the sides. */
  readonly predictorWidth: number;
  /** Background, class 0, included. */
  readonly classCount: number;
}

/**
 * The mask branch (He et al. 2017). Reference: torchvision, MaskRCNNHeads and MaskRCNNPredictor.
 * @returns [box, side, side, channels] → logits [box, 2 · side, 2 · side, class]
 */
export function maskHead(
  scope: Scope,
  { channels, widths, isNormalized = false, predictorWidth, classCount }: MaskHeadOptions,
): (crops: Tensor4D, context: ForwardContext) => Tensor4D {
  const layers = widths.map((outChannels, at): Layer => {
    const place = scope.child('mask_head').child(at);
    const inChannels = widths[at - 1] ?? channels;
    if (isNormalized) return roiConvolution(place, { inChannels, outChannels });
    const convolve = convolution(place.child(0), {
      ...{ inChannels, outChannels, kernelSize: 3, bias: true },
      ...{ initializer: normal(Math.sqrt(2 / (9 * outChannels))), biasInitializer: zeros },
    });
    return (x, context) => relu(convolve(x, context));
  });
  const predictor = scope.child('mask_predictor');
  const lastWidth = widths.at(-1) ?? channels;
  const enlarge = transposedConvolution(predictor.child('conv5_mask'), {
    ...{ inChannels: lastWidth, outChannels: predictorWidth, kernelSize: 2, stride: 2 },
    initializer: normal(Math.sqrt(2 / (4 * lastWidth))),
  });
  const classify = convolution(predictor.child('mask_fcn_logits'), {
    ...{ inChannels: predictorWidth, outChannels: classCount, kernelSize: 1, bias: true },
    initializer: normal(Math.sqrt(2 / classCount)),
  });
  return (crops, context) => {
    const features = layers.reduce((x, layer) => layer(x, context), crops);
    return classify(relu(enlarge(features, context)), context);
  };
}

/** Logits of one class each: [box, side, side]. */
export function masksOfClass(logits: Tensor4D, labels: ArrayLike<number>): Tensor3D {
  const [count, side] = logits.shape;
  const byClass = tf.transpose(logits, [0, 3, 1, 2]);
  const places = Array.from({ length: count }, (_, box) => [box, labels[box]!]);
  return gatherND(byClass, tf.tensor2d(places.flat(), [count, 2], 'int32')).reshape([count, side, side]);
}

/** Boxes of one image, and the objects that they belong to. */
export interface MaskTargets {
  /** [object, height, width], 0 or 1, with the sides of the image in the batch, without padding. */
  readonly masks: Tensor3D;
  readonly boxes: Boxes;
  /** Object of each box. */
  readonly objects: readonly number[];
}

/**
 * Cross entropy, pixel by pixel, of each box's own class against its object's mask, cut out.
 * @param logits [box, side, side, class], at least one; the boxes of all images, one image after another
 */
export function maskLoss(
  logits: Tensor4D,
  labels: readonly number[],
  targets: readonly MaskTargets[],
): Scalar {
  const side = logits.shape[1];
  const cut = targets
    .filter(({ objects }) => objects.length > 0)
    .map(({ masks, boxes, objects }) =>
      roiAlign(tf.expandDims(masks, 3), boxes, objects, {
        ...{ size: [side, side], spatialScale: 1, samples: 'adaptive' },
      }),
    );
  const truth = tf.squeeze(tf.concat(cut, 0), [3]);
  return tf.mean(sigmoidCrossEntropy(masksOfClass(logits, labels), truth)) as Scalar;
}
