import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../src/io/hdf5/blocks.js';
import { unshuffle } from '../../../src/io/hdf5/chunks.js';
import { decodeLzf, LzfFault } from '../../../src/io/hdf5/lzf.js';

describe('LZF', () => {
  it('gives runs as they are, and repeats that overlap themselves', () => {
    // three letters, then nine bytes from two back: a b c b c b c …
    const packed = Uint8Array.of(2, 97, 98, 99, (7 << 5) | 0, 0, 1);
    expect(Buffer.from(decodeLzf(packed, 12)).toString()).toBe('abcbcbcbcbcb');
  });

  it.each([
    ['a repeat before the start', [0, 97, 0x20, 5]],
    ['a run that is cut off', [5, 1, 2]],
    ['a repeat that is cut off', [0, 97, 0x20]],
    ['bytes too many', [2, 1, 2, 3]],
    ['bytes too few', [0, 1]],
  ])('refuses %s', (_, packed) => {
    expect(() => decodeLzf(Uint8Array.from(packed), 2)).toThrow(LzfFault);
  });
});

describe('shuffled bytes', () => {
  it('come back number by number; what is left over stays', () => {
    expect([...unshuffle(Uint8Array.of(1, 3, 5, 2, 4, 6, 9), 2)]).toEqual([1, 2, 3, 4, 5, 6, 9]);
    expect([...unshuffle(Buffer.of(1, 3, 5, 2, 4, 6, 9), 2)]).toEqual([1, 2, 3, 4, 5, 6, 9]); // as zlib gives them
  });
});

describe('blocks of a large selection', () => {
  it('follow one another without gaps, and end at whole chunks', () => {
    const rows = [...blocksOf({ start: [3, 0], count: [10_000, 4096] }, 4, [256, 256])];
    expect(rows[0]).toEqual({ start: [3, 0], count: [1024 - 3, 4096] }); // 16 MiB are 1024 rows
    expect(rows[1]!.start).toEqual([1024, 0]);
    expect(rows.reduce((sum, { count }) => sum + count[0]!, 0)).toBe(10_000);
  });

  it('go one by one along axes whose steps are too large', () => {
    const blocks = [...blocksOf({ start: [1, 0, 0], count: [2, 5000, 4096] }, 4, null)];
    expect(blocks.map(({ start }) => start.slice(0, 2))).toEqual([
      ...[0, 1024, 2048, 3072, 4096].map((row) => [1, row]),
      ...[0, 1024, 2048, 3072, 4096].map((row) => [2, row]),
    ]);
    expect(blocks.every(({ count }) => count[0] === 1)).toBe(true);
  });
});
