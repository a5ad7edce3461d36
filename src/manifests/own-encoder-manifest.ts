import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { InputError } from '../errors.js';
import {
  ownEncoderSchema,
  withSheet,
  type EncoderManifest,
  type EncoderModality,
  type EncoderWeights,
} from './encoder-manifest.js';
import { isOnnxPath, onnxDigest } from './onnx/onnx-manifest.js';
import { sha256 } from './sha256.js';

/** What the author of an encoder says of it; what is left out has a default. */
export interface OwnEncoderManifest {
  /** One of Gondwana's families, or the encoder's own code. */
  readonly family?: string;
  readonly title?: string;
  readonly reference?: string;
  /** By name: bands in the order of the first layer's channels, or more of them. */
  readonly modalities: Readonly<Record<string, readonly string[] | EncoderModality>>;
  /** Of the images that it was trained on. Default: any. */
  readonly imageSize?: readonly [height: number, width: number] | null;
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
  /** Default: it starts from random numbers. */
  readonly weights?: OwnWeights | null;
  readonly notes?: readonly string[];
}

/** A checkpoint that lies in a file, or at an address from which anyone may download it. */
export interface OwnWeights extends Partial<
  Pick<EncoderWeights, 'sha256' | 'preTraining' | 'bands' | 'newBands' | 'input'>
> {
  /** Path; relative ones start from the current folder. Of a `url`: the name it gets. */
  readonly file: string;
  readonly url?: string;
  readonly licence?: string;
}

const NOT_SAID = 'not said';

/**
 * The whole manifest of an encoder of one's own, checked like those that are shipped.
 * @throws InputError ENCODER_INVALID with the member's path
 */
export function ownEncoderManifest(id: string, own: OwnEncoderManifest): EncoderManifest {
  const { modalities, weights, ...rest } = own;
  const whole = {
    ...{ family: id, title: id, reference: NOT_SAID, imageSize: null, hyperparameters: {} },
    ...rest,
    ...{ id, features: [], parameters: null },
    modalities: Object.fromEntries(
      Object.entries(modalities).map(([name, given]) => [name, isList(given) ? { bands: given } : given]),
    ),
    weights: weights ? wholeWeights(weights) : null,
  };
  const result = ownEncoderSchema.safeParse(whole);
  if (result.success) return withSheet({ ...result.data, hash: sha256(JSON.stringify(whole)) });
  const issue = result.error.issues[0]!;
  throw new InputError('ENCODER_INVALID', `${issue.path.join('.') || 'The manifest'}: ${issue.message}`, {
    where: `encoder "${id}"`,
    hint: 'Correct what defineEncoder is given; docs/guide/encoders.md has one that works.',
  });
}

function wholeWeights({ file, url, licence = NOT_SAID, ...rest }: OwnWeights): object {
  const absolute = path.resolve(file);
  const source =
    url === undefined ? { page: pathToFileURL(absolute).href, licence } : { page: url, url, licence };
  const isOnnx = url === undefined && isOnnxPath(file) && existsSync(absolute);
  return {
    ...{ sha256: isOnnx ? onnxDigest(absolute) : null, preTraining: NOT_SAID, input: null },
    ...rest,
    ...{ source, file: url === undefined ? absolute : path.basename(file) },
  };
}

const isList = (given: readonly string[] | EncoderModality): given is readonly string[] =>
  Array.isArray(given);
