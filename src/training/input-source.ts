import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { EncoderSample } from '../encoders/encoder-sample.js';
import type { NamedArray } from '../io/array-file.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Answer } from './answer.js';
import type { FeatureStore } from './feature-store.js';
import type { EncodingModel, FeatureMaps } from './task-model.js';

/** Something that a model is to see: an item, or a piece of a whole image that an evaluation cuts. */
export interface Request {
  /** Unique among all of a dataset's that see the same preprocessing. */
  readonly name: string;
  readonly read: () => Promise<Given>;
}

export interface Given {
  readonly input: EncoderSample;
  /** null: a piece whose truth belongs to the whole. */
  readonly answer: Answer | null;
  /** Site or region, where the sample names one; else ''. */
  readonly place: string;
}

/** A request answered: pixels, or the features of a frozen encoder in their place. */
export interface Prepared {
  readonly name: string;
  readonly answer: Answer | null;
  readonly place: string;
  readonly given: { readonly input: EncoderSample } | { readonly features: readonly NamedArray[] };
}

/** How requests become feature maps. */
export interface InputSource {
  readonly load: (requests: readonly Request[]) => Promise<readonly Prepared[]>;
  /** Feature maps of a batch, finest first; in the caller's tidy. */
  readonly maps: (batch: readonly Prepared[], context: ForwardContext) => FeatureMaps;
}

/** Runs the encoder at every call: of an encoder that is trained, and of inputs that never come twice. */
export const encodingSource = (model: Pick<EncodingModel, 'encode'>): InputSource => ({
  load: (requests) =>
    Promise.all(
      requests.map(async ({ name, read }) => {
        const { input, answer, place } = await read();
        return { name, answer, place, given: { input } };
      }),
    ),
  maps: (batch, context) =>
    model.encode(
      batch.map(({ given }) => {
        if ('input' in given) return given.input;
        throw new Error('These are features already.');
      }),
      context,
    ),
});

/** Computes the features of a frozen encoder once a request, in evaluation mode, and keeps them. */
export function keptSource(model: Pick<EncodingModel, 'encode'>, store: FeatureStore): InputSource {
  const compute = async (requests: readonly Request[]) => {
    const given = await Promise.all(requests.map(({ read }) => read()));
    const maps = tf.tidy(() =>
      model.encode(
        given.map(({ input }) => input),
        { training: false },
      ),
    );
    const arrays = await Promise.all(maps.map((map) => map.data() as Promise<Float32Array>));
    const shapes = maps.map(({ shape }) => shape.slice(1));
    tf.dispose(maps);
    return given.map(({ answer, place }, index) => ({
      ...{ answer, place },
      features: arrays.map((data, level) => {
        const size = data.length / given.length;
        return { data: data.slice(index * size, (index + 1) * size), shape: shapes[level]! };
      }),
    }));
  };
  return {
    async load(requests) {
      const kept = await store.get(requests, compute);
      return kept.map(({ features, answer, place }, index) => ({
        ...{ name: requests[index]!.name, answer, place },
        given: { features },
      }));
    },
    maps: (batch) => joined(batch.map(({ given }) => ('features' in given ? given.features : []))),
  };
}

/** Maps of single items as a batch. */
const joined = (items: readonly (readonly NamedArray[])[]): FeatureMaps =>
  items[0]!.map((_, level) =>
    tf.tidy(() => {
      const maps = items.map((item) => tf.tensor(item[level]!.data, [1, ...item[level]!.shape]));
      return tf.concat(maps, 0) as Tensor4D | Tensor5D;
    }),
  );
