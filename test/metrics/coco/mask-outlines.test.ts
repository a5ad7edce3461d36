import { describe, expect, it } from 'vitest';
import { maskOutlines } from '../../../src/metrics/coco/mask-outlines.js';
import { polygonMask } from '../../../src/metrics/coco/polygon-mask.js';
import { maskPixels, runLengthMask } from '../../../src/metrics/coco/run-length-mask.js';
import { createRandom } from '../../../src/random.js';

/** A mask drawn with letters, `#` inside. */
const draw = (...lines: readonly string[]) =>
  runLengthMask(
    Uint8Array.from(lines.join(''), (letter) => (letter === '#' ? 1 : 0)),
    lines.length,
    lines[0]!.length,
  );

describe('the outlines of a mask', () => {
  it('run clockwise along the edges of its pixels, and have no corner on a straight line', () => {
    expect(maskOutlines(draw('.....', '..##.', '..##.', '..##.'))).toEqual([[[2, 1, 4, 1, 4, 4, 2, 4]]]);
    expect(maskOutlines(draw('...', '...'))).toEqual([]);
  });

  it('have holes behind them, against the clock', () => {
    const [rings, ...others] = maskOutlines(draw('####', '#..#', '####'));
    expect(others).toEqual([]);
    expect(rings).toEqual([
      [0, 0, 4, 0, 4, 3, 0, 3],
      [1, 2, 3, 2, 3, 1, 1, 1],
    ]);
  });

  it('tell parts apart that touch at a corner', () => {
    expect(maskOutlines(draw('##..', '..##'))).toEqual([
      [[0, 0, 2, 0, 2, 1, 0, 1]],
      [[2, 1, 4, 1, 4, 2, 2, 2]],
    ]);
  });

  it('never meet themselves where a hole touches the outside at a corner', () => {
    const rings = maskOutlines(draw('.##', '#.#', '###')).flat();
    expect(rings).toHaveLength(2);
    for (const ring of rings) {
      const corners = Array.from(
        { length: ring.length / 2 },
        (_, at) => `${ring[2 * at]} ${ring[2 * at + 1]}`,
      );
      expect(new Set(corners).size).toBe(corners.length);
    }
  });

  it('give the mask again when they are filled, for any mask', () => {
    const random = createRandom(5);
    for (const [height, width] of [
      [7, 11],
      [13, 6],
      [1, 9],
    ] as const) {
      const pixels = Uint8Array.from({ length: height * width }, () => (random.uniform() < 0.6 ? 1 : 0));
      const parts = maskOutlines(runLengthMask(pixels, height, width));
      const filled = new Int8Array(pixels.length);
      for (const [outline, ...holes] of parts) {
        for (const [at, inside] of maskPixels(polygonMask([outline!], height, width)).entries())
          filled[at]! += inside;
        for (const hole of holes)
          for (const [at, inside] of maskPixels(polygonMask([hole], height, width)).entries())
            filled[at]! -= inside;
      }
      expect([...filled]).toEqual([...pixels]);
    }
  });
});
