import { describe, expect, it } from 'vitest';
import { boxMask } from '../../src/datasets/box-mask.js';

describe('box masks', () => {
  it('fill rows and columns up to, not including, the far edges', () => {
    const { data } = boxMask([{ xmin: 1, ymin: 0, xmax: 3, ymax: 2 }], 3, 4, 'a.xml');
    expect([...data]).toEqual([0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
  });

  it('cut fractions off and clip to the image', () => {
    const { data } = boxMask([{ xmin: -2.5, ymin: 1.9, xmax: 1.9, ymax: 9 }], 3, 4, 'a.xml');
    expect([...data]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  });

  it.each([
    ['no area', { xmin: 2, ymin: 0, xmax: 2, ymax: 3 }],
    ['corners exchanged', { xmin: 3, ymin: 2, xmax: 1, ymax: 0 }],
    ['a place outside', { xmin: 4, ymin: 0, xmax: 6, ymax: 2 }],
  ])('refuse a box with %s and name it', (_, box) => {
    const good = { xmin: 0, ymin: 0, xmax: 1, ymax: 1 };
    expect(() => boxMask([good, box], 3, 4, 'a.xml')).toThrowError(
      expect.objectContaining({
        code: 'BOX_INVALID',
        where: 'a.xml',
        message: expect.stringContaining('Box 2'),
      }),
    );
  });
});
