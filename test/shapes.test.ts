import { describe, expect, it } from 'vitest';
import { checkShape, sizeOf } from '../src/shapes.js';

describe('shape checks', () => {
  it('accept the declared sizes, null standing for any', () => {
    expect(() =>
      checkShape('image', [2, 7, 5, 3], { batch: null, height: 7, width: 5, band: 3 }),
    ).not.toThrow();
  });

  it('name the axis that differs', () => {
    const wrong = () => checkShape('image', [2, 7, 5, 4], { batch: null, height: 7, width: 5, band: 3 });
    expect(wrong).toThrowError(/image has band 4, expected 3/);
  });

  it('name the number of axes', () => {
    expect(() => checkShape('image', [2, 7], { height: 2, width: 7, band: 3 })).toThrowError(
      /2 axes, expected 3/,
    );
  });

  it('count the elements of a shape, one of a scalar', () => {
    expect(sizeOf([2, 3, 4])).toBe(24);
    expect(sizeOf([])).toBe(1);
  });
});
