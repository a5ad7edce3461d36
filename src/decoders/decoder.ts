import { InputError } from '../errors.js';
import type { Tensor2D, Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import type { AnswerTask, ImageTask, PixelTask } from '../manifests/answer-task.js';

export type { ImageTask, PixelTask } from '../manifests/answer-task.js';

/** A dataset's task as far as decoders know them. */
export type DecoderTask = AnswerTask;

/** [batch, class] for an image, [batch, height, width, class] for its pixels. */
export type Logits<T extends DecoderTask = DecoderTask> = T extends ImageTask ? Tensor2D : Tensor4D;

export interface DecoderOptions {
  /** What the encoder, or the neck between, hands over, finest first. */
  readonly features: readonly FeatureSpec[];
  /** Of a regression: values a pixel. */
  readonly classCount: number;
  /** Whether logits of classes or values themselves are asked for; default `segmentation`. */
  readonly task?: DecoderTask;
  /** What the decoder is made of, by its own names; default what its reference has. */
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
}

/** feature maps, finest first, [batch, height / stride, width / stride, channels] → logits of the task */
export type BuiltDecoder<T extends DecoderTask = DecoderTask> = (
  features: readonly Tensor4D[],
  size: { readonly height: number; readonly width: number },
  context: ForwardContext,
) => Logits<T>;

export interface DecoderFamily<T extends DecoderTask = DecoderTask> {
  readonly id: string;
  /** What it gives logits of; default `pixels`. */
  readonly predicts?: 'pixels' | 'images';
  /** Its maps have to halve from one to the next: in front of maps of one size `assembleDecoder` puts a neck. */
  readonly takesPyramid?: boolean;
  /** Gives hyperparameters their defaults, and throws for those that it does not take: seen before anything is built. */
  readonly hyperparameters?: { readonly parse: (given: unknown) => unknown };
  /** @throws InputError HYPERPARAMETERS_INVALID, DECODER_MISFIT */
  readonly build: (scope: Scope, options: DecoderOptions) => BuiltDecoder<T>;
}

/**
 * A decoder in code, which goes wherever a decoder's id goes.
 * @param id in lower case, e.g. `unet`
 */
export function defineDecoder(
  id: string,
  family: Omit<DecoderFamily<ImageTask>, 'id'> & { readonly predicts: 'images' },
): DecoderFamily<ImageTask>;
export function defineDecoder(
  id: string,
  family: Omit<DecoderFamily<PixelTask>, 'id'> & { readonly predicts?: 'pixels' },
): DecoderFamily<PixelTask>;
export function defineDecoder(id: string, family: Omit<DecoderFamily, 'id'>): DecoderFamily {
  return { id, ...family };
}

/** One for each map, e.g. `[batch, height / 16, width / 16, 384]`. */
export const featureShapes = (features: readonly FeatureSpec[]): string =>
  features
    .map(({ channels, stride }) => {
      const [height, width] = ['height', 'width'].map((side) =>
        stride === 1 ? side : `${side} / ${stride}`,
      );
      return `[batch, ${height}, ${width}, ${channels}]`;
    })
    .join(', ');

/** For maps or a task that a decoder cannot take; `assembleDecoder` adds whose maps they are. */
export const decoderMisfit = (reason: string, hint: string, cause?: unknown): InputError =>
  new InputError('DECODER_MISFIT', reason, { where: 'decoder', hint, cause });

/**
 * Fills in defaults of a decoder's hyperparameters.
 * @throws InputError HYPERPARAMETERS_INVALID
 */
export function decoderHyperparameters<H>(
  id: string,
  schema: { parse(given: unknown): H },
  given: Readonly<Record<string, unknown>> = {},
): H {
  try {
    return schema.parse(given);
  } catch (cause) {
    const issues = (cause as { issues?: readonly { path: readonly PropertyKey[]; message: string }[] })
      .issues;
    const reason = issues?.map(({ path, message }) => `${path.map(String).join('.') || 'all'}: ${message}`);
    throw new InputError(
      'HYPERPARAMETERS_INVALID',
      `The hyperparameters do not fit the decoder ${id}: ${reason?.join('; ') ?? String(cause)}`,
      { where: id, hint: 'docs/guide/decoders.md lists what each decoder takes.', cause },
    );
  }
}

/**
 * Of some hyperparameters those that are not the decoder's defaults.
 * @throws InputError HYPERPARAMETERS_INVALID
 */
export function ownHyperparameters<V>(
  { id, hyperparameters }: Pick<DecoderFamily, 'id' | 'hyperparameters'>,
  given: Readonly<Record<string, V>>,
): Readonly<Record<string, V>> {
  if (!hyperparameters || Object.keys(given).length === 0) return given;
  decoderHyperparameters(id, hyperparameters, given);
  const defaults = decoderHyperparameters(id, hyperparameters) as Readonly<Record<string, unknown>>;
  const isDefault = (name: string, value: V): boolean =>
    JSON.stringify(defaults[name]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isDefault(name, value)));
}
