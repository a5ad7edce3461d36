import { describe, expect, it } from 'vitest';
import { polygonMask } from '../../../src/datasets/geobench2/polygon-mask.js';

/** Drawn by Pillow 13: `ImageDraw.Draw(Image.new('L', (11, 8))).polygon(corners, outline=1, fill=1)`. */
const drawings: readonly (readonly [name: string, corners: readonly number[], rows: readonly string[]])[] = [
  [
    'a rectangle with its far edges',
    [2, 1, 6, 1, 6, 4, 2, 4],
    [
      '...........',
      '..#####....',
      '..#####....',
      '..#####....',
      '..#####....',
      '...........',
      '...........',
      '...........',
    ],
  ],
  [
    'a triangle',
    [1, 1, 9, 3, 4, 7],
    [
      '...........',
      '.#.........',
      '..####.....',
      '..########.',
      '...######..',
      '...####....',
      '....##.....',
      '....#......',
    ],
  ],
  [
    'fractions cut off',
    [1.9, 1.9, 8.7, 2.2, 5.5, 7.8],
    [
      '...........',
      '.#.........',
      '..#######..',
      '..######...',
      '...#####...',
      '....###....',
      '....###....',
      '.....#.....',
    ],
  ],
  [
    'a closed ring',
    [3, 1, 8, 5, 2, 6, 3, 1],
    [
      '...........',
      '...#.......',
      '...##......',
      '...###.....',
      '..######...',
      '..#######..',
      '..#........',
      '...........',
    ],
  ],
  [
    'a flat corner that hangs together with the rest',
    [0, 2, 10, 3, 10, 4],
    [
      '...........',
      '...........',
      '#####......',
      '.....######',
      '..........#',
      '...........',
      '...........',
      '...........',
    ],
  ],
  [
    'a bow tie',
    [1, 1, 9, 7, 9, 1, 1, 7],
    [
      '...........',
      '.#.......#.',
      '.##.....##.',
      '.####.####.',
      '.#########.',
      '.####.####.',
      '.##.....##.',
      '.#.......#.',
    ],
  ],
  [
    'a part outside',
    [-4, 3, 5, -3, 13, 6, 4, 10],
    [
      '.########..',
      '##########.',
      '##########.',
      '###########',
      '###########',
      '###########',
      '###########',
      '.##########',
    ],
  ],
  [
    'a line',
    [1, 2, 8, 6],
    [
      '...........',
      '...........',
      '.##........',
      '...#.......',
      '...........',
      '......#....',
      '.......##..',
      '...........',
    ],
  ],
];

const rowsOf = (polygons: readonly (readonly number[])[], height = 8, width = 11): string[] => {
  const { data } = polygonMask(polygons, height, width);
  return Array.from({ length: height }, (_, row) =>
    Array.from(data.subarray(row * width, (row + 1) * width), (one) => (one === 1 ? '#' : '.')).join(''),
  );
};

describe('polygonMask', () => {
  it.each(drawings)('draws %s as Pillow does', (_, corners, rows) => {
    expect(rowsOf([corners])).toEqual(rows);
  });

  it('draws several polygons into one mask', () => {
    const both = polygonMask(
      [
        [0, 0, 1, 0, 1, 1, 0, 1],
        [5, 5, 6, 5, 6, 6, 5, 6],
      ],
      8,
      11,
    );
    expect(both.data.filter((one) => one === 1)).toHaveLength(8);
  });

  it('draws nothing of a single corner, of none, and of numbers that are none', () => {
    expect(rowsOf([[], [3], [NaN, 1, Infinity, 2]]).join('')).not.toContain('#');
  });

  it('ends at once for corners far away', () => {
    const far = polygonMask([[-1e9, -1e9, 1e9, -1e9, 1e9, 1e9, -1e9, 1e9]], 4, 4);
    expect(far.data.every((one) => one === 1)).toBe(true);
  });
});
