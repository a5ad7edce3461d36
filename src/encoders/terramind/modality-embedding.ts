import { tf, type Tensor, type Tensor3D, type Tensor4D } from '../../engine/tf.js';
import { dense } from '../../layers/dense.js';
import { normal, type Scope } from '../../layers/parameters.js';
import { tokensOf } from '../../layers/patch-embedding.js';
import { resizePositions } from '../position-table.js';
import { patchRows } from '../whole-patches.js';

export interface ModalityEmbeddingOptions {
  readonly bandCount: number;
  readonly patchSize: number;
  readonly width: number;
  /** Pixels of the images that the position table belongs to. */
  readonly imageSize: readonly [number, number];
}

/** One modality on its way into the transformer. */
export interface EmbeddedModality {
  /** [batch, row · column, width] */
  readonly tokens: Tensor3D;
  readonly grid: readonly [number, number];
}

/**
 * The patches of one modality, with their positions and what all patches of it share.
 * @returns images [batch, height, width, band] → tokens; `told` hears of `x` (patches) and `emb` (what is added)
 */
export function modalityEmbedding(
  scope: Scope,
  { bandCount, patchSize, width, imageSize }: ModalityEmbeddingOptions,
): (images: Tensor4D, told: (part: 'x' | 'emb', value: Tensor) => void) => EmbeddedModality {
  const project = dense(scope.child('proj'), bandCount * patchSize * patchSize, width, { bias: false });
  const [rows, columns] = imageSize.map((pixels) => Math.floor(pixels / patchSize)) as [number, number];
  const shared = scope.parameter('mod_emb', [1, 1, width], normal(0.02), 'table') as unknown as Tensor3D;
  const positions = scope.parameter('pos_emb', [1, rows * columns, width], normal(0.02), 'constant');
  return (images, told) => {
    // the pixels of a patch in rows, each with its bands
    const patches = patchRows(images, patchSize, 'block-first');
    const grid = [patches.shape[1], patches.shape[2]] as const;
    const x = project(tokensOf(patches));
    const resized = resizePositions(positions as unknown as Tensor3D, 0, [rows, columns], grid, {
      mode: 'bicubic',
    });
    const added: Tensor3D = tf.add(resized, shared);
    told('x', x);
    told('emb', added);
    return { tokens: tf.add(x, added), grid };
  };
}
