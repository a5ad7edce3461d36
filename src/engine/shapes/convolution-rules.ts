import { sizeOf } from '../../shapes.js';
import { tf } from '../tf.js';
import {
  FLOAT,
  elementwise,
  only,
  sized,
  type Attributes,
  type KernelOutcome,
  type KernelRule,
} from './kernel-rule.js';

type Pair = [number, number];
type Four = [number, number, number, number];
type Five = [number, number, number, number, number];

/** How TensorFlow.js describes a sliding window. */
interface Window {
  readonly strides: Pair;
  readonly dilations?: Pair;
  readonly filterSize: Pair;
  readonly pad: 'valid' | 'same' | number;
  readonly dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

const windowOf = (attributes: Attributes): Window => attributes as unknown as Window;

/** Kernels that slide a window, and those that resize an image. */
export const convolutionRules: Readonly<Record<string, KernelRule>> = {
  Conv2D: ({ x, filter }, attributes) =>
    convolved(x!.shape, filter!.shape, windowOf(attributes), { isDepthwise: false }),
  DepthwiseConv2dNative: ({ x, filter }, attributes) =>
    convolved(x!.shape, filter!.shape, windowOf(attributes), { isDepthwise: true }),
  Conv3D: ({ x, filter }, { strides, dilations = [1, 1, 1], pad }) => {
    const [times, rows, columns, inChannels] = filter!.shape;
    const { outShape } = tf.backend_util.computeConv3DInfo(
      [...x!.shape] as Five,
      [...filter!.shape] as Five,
      strides as [number, number, number],
      dilations as [number, number, number],
      pad as 'valid' | 'same',
    );
    return product(outShape, times! * rows! * columns! * inChannels!);
  },
  // a transposed convolution: each value of dy times a window of the filter
  Conv2DBackpropInput: ({ dy, filter }, { inputShape }) => {
    const [rows, columns, outChannels] = filter!.shape;
    return {
      ...sized(inputShape as number[], FLOAT),
      multiplyAdds: sizeOf(dy!.shape) * rows! * columns! * outChannels!,
      isTransposed: true,
    };
  },
  MaxPool: (inputs, attributes) => pooled(only(inputs).shape, windowOf(attributes)),
  AvgPool: (inputs, attributes) => pooled(only(inputs).shape, windowOf(attributes)),
  ResizeBilinear: (inputs, { size }) => {
    const [batch, , , channels] = only(inputs).shape;
    return elementwise([batch!, ...(size as number[]), channels!], FLOAT, 4);
  },
  ResizeNearestNeighbor: (inputs, { size }) => {
    const [batch, , , channels] = only(inputs).shape;
    return sized([batch!, ...(size as number[]), channels!], only(inputs).dtype);
  },
  DepthToSpace: (inputs, { blockSize }) => {
    const [batch, height, width, channels] = only(inputs).shape;
    const side = Number(blockSize);
    return sized([batch!, height! * side, width! * side, channels! / side ** 2], only(inputs).dtype);
  },
};

const product = (shape: readonly number[], each: number): KernelOutcome => ({
  ...sized(shape, FLOAT),
  multiplyAdds: sizeOf(shape) * each,
});

/** A depthwise filter meets one channel of the image, any other meets all of its own. */
function convolved(
  x: readonly number[],
  filter: readonly number[],
  { strides, dilations = [1, 1], pad, dimRoundingMode }: Window,
  { isDepthwise }: { readonly isDepthwise: boolean },
): KernelOutcome {
  const [rows, columns, inChannels] = filter;
  const { outShape } = tf.backend_util.computeConv2DInfo(
    [...x] as Four,
    [...filter] as Four,
    strides,
    dilations,
    pad,
    dimRoundingMode,
    isDepthwise,
  );
  return product(outShape, rows! * columns! * (isDepthwise ? 1 : inChannels!));
}

/** One operation an element of each window. */
function pooled(
  shape: readonly number[],
  { filterSize, strides, pad, dimRoundingMode }: Window,
): KernelOutcome {
  const info = tf.backend_util.computePool2DInfo(
    [...shape] as Four,
    filterSize,
    strides,
    1,
    pad,
    dimRoundingMode,
  );
  return elementwise(info.outShape, FLOAT, info.filterHeight * info.filterWidth);
}
