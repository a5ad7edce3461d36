import { relu } from '../../engine/ops/activations.js';
import { pixelShuffle } from '../../engine/ops/pixel-shuffle.js';
import { batchNormalization } from '../../layers/batch-normalization.js';
import { convolution } from '../../layers/convolution.js';
import { sequence, type Layer } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';
import type { DecoderTask } from '../decoder.js';

export interface PixelHeadOptions {
  readonly inChannels: number;
  readonly classCount: number;
  readonly task: DecoderTask;
  /** Of 3 × 3 convolutions in front of the last layer; default none. */
  readonly channels?: readonly number[] | undefined;
  /** Doublings of the size by learned convolutions in front of all, of a regression alone; default 0. */
  readonly upscaleLayers?: number;
  /** Of the batch normalisations; default 1e-5. */
  readonly epsilon?: number;
}

/**
 * TerraTorch's last layers: ReLU convolutions, then one of 1 × 1 to the classes or values. A regression has batch
 * normalisations where a segmentation has biases. Named `head/…` by their places in the sequence.
 */
export function pixelHead(
  scope: Scope,
  { inChannels, classCount, task, channels, upscaleLayers = 0, epsilon = 1e-5 }: PixelHeadOptions,
): Layer {
  const at = scope.child('head');
  const isRegression = task === 'regression';
  const parts: Layer[] = [];
  if (isRegression && upscaleLayers > 0) {
    const doublings = Array.from({ length: upscaleLayers }, (_, index) =>
      doubling(at.child(0).child(index), inChannels, epsilon),
    );
    parts.push(sequence(doublings));
  }
  const widths = [inChannels, ...(channels ?? [])];
  // a segmentation has a place for them even where there are none
  if (channels || !isRegression) {
    const first = at.child(parts.length);
    const convolutions = widths.slice(1).map((outChannels, index) => {
      const block = first.child(index);
      const layers: Layer[] = [
        convolution(block.child(0), {
          ...{ inChannels: widths[index]!, outChannels, kernelSize: 3, bias: !isRegression },
        }),
      ];
      if (isRegression) layers.push(batchNormalization(block.child(1), { channels: outChannels, epsilon }));
      return sequence([...layers, relu]);
    });
    parts.push(sequence(convolutions));
  }
  // one place further on: TerraTorch has a dropout of 0 between
  const last = convolution(at.child(parts.length + 1), {
    ...{ inChannels: widths.at(-1)!, outChannels: classCount, kernelSize: 1, bias: true },
  });
  return sequence([...parts, last]);
}

/** A convolution to four times the channels, which become 2 × 2 pixels each. */
function doubling(scope: Scope, channels: number, epsilon: number): Layer {
  return sequence([
    convolution(scope.child('conv'), {
      ...{ inChannels: channels, outChannels: 4 * channels, kernelSize: 3, bias: true },
    }),
    (x) => pixelShuffle(x, 2),
    batchNormalization(scope.child('bn'), { channels, epsilon }),
    relu,
  ]);
}
