import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KERNELS_SOURCE } from '../../../src/io/geotiff/kernels-wasm.js';
import { BlockFault, inflateBlock, kernelInput, unpackLzw } from '../../../src/io/geotiff/kernels.js';
import { unpackPackBits } from '../../../src/io/geotiff/codecs/packbits.js';
import { createRandom } from '../../../src/random.js';
import { packLzw } from '../../support/lzw.js';
import { root } from '../../support/needs.js';

const random = createRandom(20_261);
const below = (limit: number): number => random.integer(limit);

/** Bytes of every kind: noise, runs, few or many different values. */
function someBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const values = 1 + below(255);
  const runs = random.uniform() < 0.5 ? 300 : 2;
  for (let i = 0, run = 0, value = 0; i < length; i++, run--) {
    if (run <= 0) {
      value = below(values);
      run = below(runs);
    }
    bytes[i] = value;
  }
  return bytes;
}

describe('Deflate', () => {
  const strategies = [
    constants.Z_DEFAULT_STRATEGY,
    constants.Z_FILTERED,
    constants.Z_HUFFMAN_ONLY,
    constants.Z_RLE,
    constants.Z_FIXED,
  ];
  const pack = (bytes: Buffer): Buffer =>
    deflateSync(bytes, {
      level: below(10),
      strategy: strategies[below(5)]!,
      windowBits: 9 + below(7),
      memLevel: 1 + below(9),
    });

  it('gives back what zlib packed, at every level, strategy and window', () => {
    for (let round = 0; round < 150; round++) {
      const bytes = someBytes(Math.floor(random.uniform() ** 3 * 60_000));
      expect(Buffer.compare(inflateBlock(pack(bytes), bytes.length), bytes), `round ${round}`).toBe(0);
    }
  });

  it('takes and refuses damaged streams as zlib does', () => {
    let refused = 0;
    for (let round = 0; round < 500; round++) {
      const bytes = someBytes(1 + below(3000));
      let packed = Buffer.from(pack(bytes));
      for (let i = 0; i <= below(3); i++) packed[2 + below(packed.length - 2)]! ^= 1 << below(8);
      if (round % 5 === 0) packed = packed.subarray(0, below(packed.length));
      let due: Uint8Array | undefined;
      let got: Uint8Array | undefined;
      try {
        due = inflateSync(packed, { maxOutputLength: bytes.length });
      } catch {
        refused++;
      }
      try {
        got = inflateBlock(packed, bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(BlockFault);
      }
      expect(got && Buffer.from(got), `round ${round}`).toEqual(due);
    }
    expect(refused).toBeGreaterThan(400);
  });

  it('stops before more comes out than there is room for', () => {
    const bomb = deflateSync(Buffer.alloc(48 * 2 ** 20), { level: 9 });
    expect(() => inflateBlock(bomb, 4096)).toThrow(/unpacks to more bytes/);
  });

  it('reads what was put into its own memory, and the same from elsewhere', () => {
    const bytes = someBytes(5000);
    const packed = pack(bytes);
    const input = kernelInput(packed.length, bytes.length);
    input.set(packed);
    expect(Buffer.from(inflateBlock(input, bytes.length))).toEqual(bytes);
    expect(Buffer.from(inflateBlock(packed, bytes.length))).toEqual(bytes);
  });

  it('makes way for small blocks after a very large one', () => {
    const large = Buffer.alloc(80 * 2 ** 20, 7);
    expect(inflateBlock(deflateSync(large, { level: 1 }), large.length).length).toBe(large.length);
    expect(Buffer.from(inflateBlock(deflateSync(Buffer.from('small')), 5)).toString()).toBe('small');
  });
});

describe('LZW', () => {
  it('gives back what was packed, through all lengths of codes and fresh tables', () => {
    for (let round = 0; round < 60; round++) {
      const bytes = someBytes(below(40_000));
      expect(Buffer.compare(unpackLzw(packLzw(bytes), bytes.length), bytes), `round ${round}`).toBe(0);
    }
  });

  it('gives strings that overlap what they repeat', () => {
    const bytes = Buffer.alloc(5000, 'a');
    expect(Buffer.from(unpackLzw(packLzw(bytes), bytes.length))).toEqual(bytes);
  });

  it('leaves out what comes after the room', () => {
    const bytes = someBytes(3000);
    expect(Buffer.from(unpackLzw(packLzw(bytes), 1234))).toEqual(bytes.subarray(0, 1234));
  });

  it('gives what there is of a stream that is cut off, and refuses a code that is not made yet', () => {
    const bytes = someBytes(3000);
    const packed = packLzw(bytes);
    const half = Buffer.from(unpackLzw(packed.subarray(0, packed.length >> 1), bytes.length));
    expect(half.length).toBeLessThan(bytes.length);
    expect(half).toEqual(bytes.subarray(0, half.length));
    // code 256 (clear), then 300, both of 9 bits
    expect(() => unpackLzw(Uint8Array.of(0b10000000, 0b01001011, 0b00000000), 100)).toThrow(BlockFault);
  });

  it('names the old order of bits', () => {
    expect(() => unpackLzw(Uint8Array.of(0, 1, 2), 3)).toThrow(/old order of bits/);
  });
});

describe('PackBits', () => {
  it('unpacks runs and stretches, and passes over the byte that does nothing', () => {
    const packed = Uint8Array.of(2, 10, 11, 12, 128, 254, 7, 0, 9);
    expect([...unpackPackBits(packed, 7)]).toEqual([10, 11, 12, 7, 7, 7, 9]);
  });

  it('refuses a stretch without its bytes and a run without its value', () => {
    expect(() => unpackPackBits(Uint8Array.of(5, 1, 2), 6)).toThrow(/ends early/);
    expect(() => unpackPackBits(Uint8Array.of(254), 3)).toThrow(/ends early/);
  });
});

it('the compiled kernels are those of the source that lies beside their build', () => {
  const source = readFileSync(path.join(root, 'tools/wasm/raster-kernels.as'));
  expect(KERNELS_SOURCE).toBe(createHash('sha256').update(source).digest('hex'));
});
