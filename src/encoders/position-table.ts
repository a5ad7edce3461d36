import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor3D, type Tensor4D } from '../engine/tf.js';

export interface PositionResizing {
  readonly mode: 'bicubic-antialias' | 'bicubic' | 'bilinear' | 'bilinear-antialias';
  /** Default false. */
  readonly alignCorners?: boolean;
  /**
   * Added to the target's rows and columns when the factor is computed that places the samples (DINO: 0.1); default
   * none, the sizes alone say where they are.
   */
  readonly factorMargin?: number;
}

/**
 * A table of positions for another grid; that of its own grid is given back as it is.
 * @param table [1, prefix + row · column, width]; the prefix rows stay
 * @param from grid of the table, [rows, columns]
 * @param to grid of the image
 * @returns [1, prefix + to[0] · to[1], width]
 */
export function resizePositions(
  table: Tensor3D,
  prefixCount: number,
  from: readonly [number, number],
  to: readonly [number, number],
  { mode, alignCorners = false, factorMargin }: PositionResizing,
): Tensor3D {
  if (from[0] === to[0] && from[1] === to[1]) return table;
  const width = table.shape[2];
  const factor = (axis: 0 | 1): number => (to[axis] + factorMargin!) / from[axis];
  return tf.tidy(() => {
    const prefix = tf.slice(table, [0, 0, 0], [-1, prefixCount, -1]);
    const map = tf.reshape(tf.slice(table, [0, prefixCount, 0], [-1, -1, -1]), [1, ...from, width]);
    const resized = resize(map as Tensor4D, to, {
      mode: mode.startsWith('bilinear') ? 'bilinear' : 'bicubic',
      alignCorners,
      antialias: mode.endsWith('antialias'),
      ...(factorMargin !== undefined && { scale: [factor(0), factor(1)] as const }),
    });
    const rows = tf.reshape(resized, [1, to[0] * to[1], width]) as Tensor3D;
    return prefixCount === 0 ? rows : tf.concat([prefix, rows], 1);
  });
}
