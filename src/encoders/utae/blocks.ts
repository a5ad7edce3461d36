import { relu } from '../../engine/ops/activations.js';
import { groupNorm } from '../../engine/ops/norm.js';
import { constantPad, mirrorPad, type AxisPaddings } from '../../engine/ops/pad.js';
import { tf, type Tensor4D } from '../../engine/tf.js';
import { batchNormalization } from '../../layers/batch-normalization.js';
import { convolution, transposedConvolution } from '../../layers/convolution.js';
import { groupNormalization } from '../../layers/group-normalization.js';
import { sequence, type Layer } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';

export type UtaeNorm = 'group' | 'batch' | 'instance' | 'none';

export interface UtaeBlockOptions {
  readonly norm: UtaeNorm;
  readonly normGroups: number;
  readonly padding: 'reflect' | 'zeros';
}

interface Window {
  readonly kernelSize: number;
  readonly stride: number;
  readonly padding: number;
}

const SAME: Window = { kernelSize: 3, stride: 1, padding: 1 };

/** Convolution, normalisation, ReLU, as often as there are widths; numbered as in a PyTorch sequence. */
export function convolutions(
  scope: Scope,
  widths: readonly number[],
  options: UtaeBlockOptions,
  window: Window = SAME,
): Layer {
  const layers: Layer[] = [];
  let index = 0;
  for (const [step, outChannels] of widths.slice(1).entries()) {
    const at = scope.child('conv').child(index);
    layers.push(paddedConvolution(at, widths[step]!, outChannels, window, options.padding));
    index += 1;
    const norm = normOf(scope.child('conv').child(index), outChannels, options);
    if (norm) {
      layers.push(norm);
      index += 1;
    }
    layers.push(relu);
    index += 1;
  }
  return sequence(layers);
}

function paddedConvolution(
  scope: Scope,
  inChannels: number,
  outChannels: number,
  { kernelSize, stride, padding }: Window,
  mode: UtaeBlockOptions['padding'],
): Layer {
  const layer = convolution(scope, {
    inChannels,
    outChannels,
    kernelSize,
    stride,
    padding: 'valid',
    bias: true,
  });
  const sides: AxisPaddings = [
    [0, 0],
    [padding, padding],
    [padding, padding],
    [0, 0],
  ];
  const pad = (x: Tensor4D): Tensor4D =>
    mode === 'reflect' ? mirrorPad(x, sides, 'reflect') : constantPad(x, sides);
  return (x, context) => layer(pad(x), context);
}

function normOf(scope: Scope, channels: number, { norm, normGroups }: UtaeBlockOptions): Layer | undefined {
  if (norm === 'none') return undefined;
  if (norm === 'batch') return batchNormalization(scope, { channels });
  if (norm === 'group') return groupNormalization(scope, { channels, groups: normGroups });
  // a group a channel, without parameters
  return (x) => groupNorm(x, tf.ones([channels]), tf.zeros([channels]), { groups: channels, epsilon: 1e-5 });
}

/** A convolution that halves the map, then two more, the last added to what it reads. */
export function downBlock(
  scope: Scope,
  inChannels: number,
  outChannels: number,
  window: Window,
  options: UtaeBlockOptions,
): Layer {
  const down = convolutions(scope.child('down'), [inChannels, inChannels], options, window);
  const first = convolutions(scope.child('conv1'), [inChannels, outChannels], options);
  const second = convolutions(scope.child('conv2'), [outChannels, outChannels], options);
  return (x, context) => {
    const y = first(down(x, context), context);
    return tf.add(y, second(y, context)) as Tensor4D;
  };
}

/** The map doubled by a transposed convolution and joined with the skip, then as in `downBlock`. */
export function upBlock(
  scope: Scope,
  {
    inChannels,
    outChannels,
    skipChannels,
  }: Readonly<Record<'inChannels' | 'outChannels' | 'skipChannels', number>>,
  window: Window,
  options: UtaeBlockOptions,
): (x: Tensor4D, skip: Tensor4D, context: Parameters<Layer>[1]) => Tensor4D {
  const skipScope = scope.child('skip_conv');
  const prepare = sequence([
    convolution(skipScope.child(0), {
      ...{ inChannels: skipChannels, outChannels: skipChannels, kernelSize: 1, bias: true },
    }),
    batchNormalization(skipScope.child(1), { channels: skipChannels }),
    relu,
  ]);
  const double = sequence([
    transposedConvolution(scope.child('up').child(0), { inChannels, outChannels, ...window }),
    batchNormalization(scope.child('up').child(1), { channels: outChannels }),
    relu,
  ]);
  const first = convolutions(scope.child('conv1'), [outChannels + skipChannels, outChannels], options);
  const second = convolutions(scope.child('conv2'), [outChannels, outChannels], options);
  return (x, skip, context) => {
    const joined = tf.concat([double(x, context), prepare(skip, context)], 3);
    const y = first(joined, context);
    return tf.add(y, second(y, context)) as Tensor4D;
  };
}
