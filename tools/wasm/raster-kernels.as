// Kernels of the GeoTIFF reader that JavaScript is too slow for: Deflate (RFC 1950, 1951) and TIFF's LZW.
// AssemblyScript; `node tools/wasm/build.mjs` compiles it into src/io/geotiff/kernels-wasm.ts.
//
// Memory: tables below 64 KiB, then the caller's input and output. The caller leaves 320 bytes free behind each:
// fast loops read and write a few bytes past the end of what counts.

// ---- layout of the tables
const LITERALS: usize = 1024; // 2^13 entries and their second levels, 4 bytes each
const DISTANCES: usize = 45056; // 2^8 entries and their second levels
const LENGTHS: usize = 49152; // code lengths of both tables, one byte each
const COUNTS: usize = 49664; // codes per length
const PLACES: usize = 49728; // first place of each length in SORTED
const SORTED: usize = 49792; // symbols by code length, uint16
const CODE_LENGTHS: usize = 53248; // 2^7 entries
const IDENTITY: usize = 54272; // bytes 0 … 255: strings of length one for LZW
const STRINGS: usize = 1024; // LZW: address and length of each code's string, 8 bytes each (shares LITERALS)
// constants lie from 60 KiB (--memoryBase)

const ORDER: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

const LITERAL_BITS: u32 = 13;
const LITERAL_MASK: u32 = 8191;
const DISTANCE_BITS: u32 = 8;

// An entry: bits 0–5 bits to drop, 6 literal, 7 two literals, 8–12 how many literals, or length of the code alone, or
// bits of the second level, 13 end of block, 14 second level, 15 any but a plain value, 16–31 value. A shift takes the
// low 6 bits.
const IS_LITERAL: u32 = 1 << 6;
const ARE_TWO: u32 = 1 << 7;
const IS_END: u32 = 1 << 13;
const IS_SECOND: u32 = 1 << 14;
const IS_SPECIAL: u32 = 1 << 15;

export const CORRUPT: i32 = -1;
export const TOO_LONG: i32 = -2;
export const CUT_OFF: i32 = -3;

/** Bytes of the input that the last `inflate` read. */
export let consumed: i32 = 0;

function literalEntry(symbol: u32): u32 {
  if (symbol < 256) return IS_LITERAL | (symbol << 16);
  if (symbol == 256) return IS_SPECIAL | IS_END;
  const index = symbol - 257;
  if (index > 28) return IS_SPECIAL;
  if (index == 28) return 258 << 16;
  if (index < 8) return (index + 3) << 16;
  const extra = (index >> 2) - 1;
  return ((((4 + (index & 3)) << extra) + 3) << 16) | extra;
}

function distanceEntry(symbol: u32): u32 {
  if (symbol > 29) return IS_SPECIAL;
  if (symbol < 4) return (symbol + 1) << 16;
  const extra = (symbol >> 1) - 1;
  return ((((2 + (symbol & 1)) << extra) + 1) << 16) | extra;
}

/** Builds a table from code lengths. kind: 0 literals and lengths, 1 distances, 2 code lengths. False: no such code. */
function build(lengths: usize, count: u32, table: usize, bits: u32, kind: i32): bool {
  memory.fill(COUNTS, 0, 128);
  for (let i: u32 = 0; i < count; i++) {
    const at = COUNTS + (<usize>load<u8>(lengths + i) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let left: i32 = 1;
  let used: u32 = 0;
  for (let length: usize = 1; length < 16; length++) {
    const codes = load<u32>(COUNTS + (length << 2));
    left = (left << 1) - <i32>codes;
    if (left < 0) return false;
    store<u32>(PLACES + (length << 2), used);
    used += codes;
  }
  for (let i: u32 = 0; i < count; i++) {
    const length = <usize>load<u8>(lengths + i);
    if (length == 0) continue;
    const place = load<u32>(PLACES + (length << 2));
    store<u16>(SORTED + (<usize>place << 1), <u16>i);
    store<u32>(PLACES + (length << 2), place + 1);
  }
  if (left > 0) {
    // an incomplete code may only be empty or a single code of one bit
    if (kind == 2 || used > 1 || (used == 1 && load<u32>(COUNTS + 4) != 1)) return false;
    for (let i: usize = 0; i < 1 << bits; i++) store<u32>(table + (i << 2), IS_SPECIAL);
    if (used == 0) return true;
  }
  let code: u32 = 0; // its bits reversed, as they come in the stream
  let next: usize = 0;
  let secondStart: u32 = 1 << bits;
  let prefixNow: i32 = -1;
  let secondBits: u32 = 0;
  for (let length: u32 = 1; length < 16; length++) {
    let codes = load<u32>(COUNTS + (<usize>length << 2));
    for (; codes > 0; codes--) {
      const symbol = <u32>load<u16>(SORTED + (next << 1));
      next++;
      let entry = kind == 0 ? literalEntry(symbol) : kind == 1 ? distanceEntry(symbol) : symbol << 16;
      const extra = entry & 63;
      entry &= ~63;
      if (length <= bits) {
        entry |= ((entry & IS_LITERAL ? 1 : length) << 8) | (length + extra);
        for (let i = code; i < 1 << bits; i += 1 << length) store<u32>(table + (<usize>i << 2), entry);
      } else {
        const prefix = code & ((1 << bits) - 1);
        if (<i32>prefix != prefixNow) {
          prefixNow = <i32>prefix;
          secondBits = length - bits;
          let room = (1 << secondBits) - <i32>codes;
          let longer = length;
          while (room > 0 && longer < 15) {
            longer++;
            secondBits++;
            room = (room << 1) - <i32>load<u32>(COUNTS + (<usize>longer << 2));
          }
          store<u32>(
            table + (<usize>prefix << 2),
            IS_SPECIAL | IS_SECOND | (secondStart << 16) | (secondBits << 8) | bits,
          );
          secondStart += 1 << secondBits;
        }
        const start = load<u32>(table + (<usize>prefix << 2)) >> 16;
        entry |= ((length - bits) << 8) | (length - bits + extra);
        for (let i = code >> bits; i < 1 << secondBits; i += 1 << (length - bits)) {
          store<u32>(table + (<usize>(start + i) << 2), entry);
        }
      }
      let bit: u32 = 1 << (length - 1);
      while (code & bit) bit >>= 1;
      code = bit ? (code & (bit - 1)) | bit : 0;
    }
  }
  return true;
}

/** Joins two literals in one entry where their codes fit. From the top: what an entry points to lies below it. */
function joinLiterals(): void {
  for (let i = <usize>LITERAL_MASK; i > 0; i--) {
    const first = load<u32>(LITERALS + (i << 2));
    if (!(first & IS_LITERAL)) continue;
    const bits = first & 63;
    if (bits >= LITERAL_BITS) continue;
    const second = load<u32>(LITERALS + ((i >> bits) << 2));
    if (!(second & IS_LITERAL) || second & ARE_TWO || bits + (second & 63) > LITERAL_BITS) continue;
    const values = (first & 0xff0000) | ((second & 0xff0000) << 8);
    store<u32>(LITERALS + (i << 2), values | IS_LITERAL | ARE_TWO | (2 << 8) | (bits + (second & 63)));
  }
}

/** Inflates raw Deflate data. Returns the bytes written, at most `room`; or CORRUPT, TOO_LONG, CUT_OFF. */
export function inflate(input: usize, inputLength: usize, output: usize, room: usize): i32 {
  let at = input;
  const end = input + inputLength;
  let out = output;
  const outEnd = output + room;
  let buffer: u64 = 0;
  let left: u32 = 0; // bits in the buffer; in the fast loop only its low 6 bits count
  const fastEnd: usize = inputLength > 32 ? end - 32 : 0; // a round reads 29 bytes at most
  const fastOutEnd: usize = room > 300 ? outEnd - 300 : 0; // a round writes 8 + 258 + 15 bytes at most
  let isLast = false;
  while (!isLast) {
    while (left < 48 && at < end) { buffer |= <u64>load<u8>(at++) << left; left += 8; }
    if (left < 3) return CUT_OFF;
    isLast = <bool>(buffer & 1);
    const type = <u32>(buffer >> 1) & 3;
    buffer >>= 3;
    left -= 3;
    if (type == 3) return CORRUPT;
    if (type == 0) {
      at -= left >> 3; // whole bytes that were read ahead; the rest of this byte is padding
      buffer = 0;
      left = 0;
      if (at + 4 > end) return CUT_OFF;
      const length = <usize>load<u16>(at);
      if ((length ^ 0xffff) != <usize>load<u16>(at + 2)) return CORRUPT;
      at += 4;
      if (at + length > end) return CUT_OFF;
      if (out + length > outEnd) return TOO_LONG;
      memory.copy(out, at, length);
      at += length;
      out += length;
      continue;
    }
    if (type == 1) {
      memory.fill(LENGTHS, 8, 144);
      memory.fill(LENGTHS + 144, 9, 112);
      memory.fill(LENGTHS + 256, 7, 24);
      memory.fill(LENGTHS + 280, 8, 8);
      build(LENGTHS, 288, LITERALS, LITERAL_BITS, 0);
      memory.fill(LENGTHS, 5, 32);
      build(LENGTHS, 32, DISTANCES, DISTANCE_BITS, 1);
    } else {
      if (left < 14) return CUT_OFF;
      const literals = (<u32>buffer & 31) + 257;
      const distances = (<u32>(buffer >> 5) & 31) + 1;
      const codes = (<u32>(buffer >> 10) & 15) + 4;
      if (literals > 286 || distances > 30) return CORRUPT;
      buffer >>= 14;
      left -= 14;
      memory.fill(LENGTHS, 0, 19);
      for (let i: usize = 0; i < codes; i++) {
        while (left < 48 && at < end) { buffer |= <u64>load<u8>(at++) << left; left += 8; }
        if (left < 3) return CUT_OFF;
        store<u8>(LENGTHS + <usize>load<u8>(ORDER + i), <u8>buffer & 7);
        buffer >>= 3;
        left -= 3;
      }
      if (!build(LENGTHS, 19, CODE_LENGTHS, 7, 2)) return CORRUPT;
      const total = literals + distances;
      let previous: u8 = 0;
      memory.fill(LENGTHS, 0, 320);
      for (let i: u32 = 0; i < total; ) {
        while (left < 48 && at < end) { buffer |= <u64>load<u8>(at++) << left; left += 8; }
        const entry = load<u32>(CODE_LENGTHS + (<usize>(buffer & 127) << 2));
        const symbol = entry >> 16;
        const extra: u32 = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
        const bits = entry & 63;
        if (left < bits + extra) return CUT_OFF;
        const more = <u32>(buffer >> bits) & ((1 << extra) - 1);
        buffer >>= bits + extra;
        left -= bits + extra;
        if (symbol < 16) {
          previous = <u8>symbol;
          store<u8>(LENGTHS + i++, previous);
          continue;
        }
        if (symbol == 16) {
          if (i == 0) return CORRUPT;
        } else previous = 0;
        const repeats = more + (symbol == 18 ? 11 : 3);
        if (i + repeats > total) return CORRUPT;
        memory.fill(LENGTHS + i, previous, repeats);
        i += repeats;
      }
      if (load<u8>(LENGTHS + 256) == 0) return CORRUPT;
      if (!build(LENGTHS + literals, distances, DISTANCES, DISTANCE_BITS, 1)) return CORRUPT;
      if (!build(LENGTHS, literals, LITERALS, LITERAL_BITS, 0)) return CORRUPT;
      joinLiterals();
    }

    let isDone = false;
    if (at < fastEnd && out < fastOutEnd) {
      buffer |= load<u64>(at) << left; at += 7 - ((left >> 3) & 7); left |= 56;
      let entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
      while (at < fastEnd && out < fastOutEnd) {
        if (entry & IS_LITERAL) {
          buffer >>= entry; left -= entry; store<u16>(out, <u16>(entry >> 16)); out += (entry >> 8) & 31;
          entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
          if (entry & IS_LITERAL) {
            buffer >>= entry; left -= entry; store<u16>(out, <u16>(entry >> 16)); out += (entry >> 8) & 31;
            entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
            if (entry & IS_LITERAL) {
              buffer >>= entry; left -= entry; store<u16>(out, <u16>(entry >> 16)); out += (entry >> 8) & 31;
              entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
              if (entry & IS_LITERAL) {
                buffer >>= entry; left -= entry; store<u16>(out, <u16>(entry >> 16)); out += (entry >> 8) & 31;
                buffer |= load<u64>(at) << left; at += 7 - ((left >> 3) & 7); left |= 56;
                entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
                continue;
              }
            }
          }
          buffer |= load<u64>(at) << left; at += 7 - ((left >> 3) & 7); left |= 56;
        }
        if (entry & IS_SPECIAL) {
          if (entry & IS_SECOND) {
            buffer >>= LITERAL_BITS; left -= LITERAL_BITS;
            const bits = (entry >> 8) & 31;
            entry = load<u32>(LITERALS + (<usize>((entry >> 16) + (<u32>buffer & ((1 << bits) - 1))) << 2));
            if (entry & IS_LITERAL) {
              buffer >>= entry; left -= entry; store<u8>(out++, <u8>(entry >> 16));
              buffer |= load<u64>(at) << left; at += 7 - ((left >> 3) & 7); left |= 56;
              entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
              continue;
            }
          }
          if (entry & IS_SPECIAL) {
            if (!(entry & IS_END)) return CORRUPT;
            buffer >>= entry; left -= entry;
            isDone = true;
            break;
          }
        }
        // 56 bits were there: 20 of the length and 28 of the distance need no refill between
        const length = (entry >> 16) + (<u32>(buffer & ((<u64>1 << entry) - 1)) >> ((entry >> 8) & 31));
        buffer >>= entry; left -= entry;
        let far = load<u32>(DISTANCES + (<usize>(<u32>buffer & 255) << 2));
        if (far & IS_SPECIAL) {
          if (!(far & IS_SECOND)) return CORRUPT;
          buffer >>= DISTANCE_BITS; left -= DISTANCE_BITS;
          const bits = (far >> 8) & 31;
          far = load<u32>(DISTANCES + (<usize>((far >> 16) + (<u32>buffer & ((1 << bits) - 1))) << 2));
          if (far & IS_SPECIAL) return CORRUPT;
        }
        const distance = <usize>((far >> 16) + (<u32>(buffer & ((<u64>1 << far) - 1)) >> ((far >> 8) & 31)));
        buffer >>= far; left -= far;
        buffer |= load<u64>(at) << left; at += 7 - ((left >> 3) & 7); left |= 56;
        entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
        if (out - output < distance) return CORRUPT;
        let from = out - distance;
        const stop = out + length;
        // the stretch that repeats doubles until it has 8 bytes
        while (out - from < 8) { store<u64>(out, load<u64>(from)); out += out - from; }
        do { store<u64>(out, load<u64>(from)); out += 8; from += 8; } while (out < stop);
        out = stop;
      }
      left &= 63;
      buffer &= (<u64>1 << left) - 1; // the refill leaves bits above `left`
      if (isDone) continue;
    }

    // near either end: every step is checked
    for (;;) {
      while (left < 56 && at < end) { buffer |= <u64>load<u8>(at++) << left; left += 8; }
      let entry = load<u32>(LITERALS + (<usize>(<u32>buffer & LITERAL_MASK) << 2));
      if (entry & IS_SECOND && entry & IS_SPECIAL) {
        if (left < LITERAL_BITS) return CUT_OFF;
        buffer >>= LITERAL_BITS;
        left -= LITERAL_BITS;
        const bits = (entry >> 8) & 31;
        entry = load<u32>(LITERALS + (<usize>((entry >> 16) + (<u32>buffer & ((1 << bits) - 1))) << 2));
      }
      const bits = entry & 63;
      if (left < bits) return CUT_OFF;
      if (entry & IS_LITERAL) {
        const two = (entry >> 7) & 1;
        if (out + two >= outEnd) return TOO_LONG;
        buffer >>= bits;
        left -= bits;
        store<u8>(out++, <u8>(entry >> 16));
        if (two) store<u8>(out++, <u8>(entry >> 24));
        continue;
      }
      if (entry & IS_SPECIAL) {
        if (!(entry & IS_END)) return CORRUPT;
        buffer >>= bits;
        left -= bits;
        break;
      }
      const length = <usize>((entry >> 16) + (<u32>(buffer & ((<u64>1 << bits) - 1)) >> ((entry >> 8) & 31)));
      buffer >>= bits;
      left -= bits;
      while (left < 56 && at < end) { buffer |= <u64>load<u8>(at++) << left; left += 8; }
      let far = load<u32>(DISTANCES + (<usize>(<u32>buffer & 255) << 2));
      if (far & IS_SPECIAL) {
        if (!(far & IS_SECOND)) return CORRUPT;
        if (left < DISTANCE_BITS) return CUT_OFF;
        buffer >>= DISTANCE_BITS;
        left -= DISTANCE_BITS;
        const second = (far >> 8) & 31;
        far = load<u32>(DISTANCES + (<usize>((far >> 16) + (<u32>buffer & ((1 << second) - 1))) << 2));
        if (far & IS_SPECIAL) return CORRUPT;
      }
      const farBits = far & 63;
      if (left < farBits) return CUT_OFF;
      const distance = <usize>((far >> 16) + (<u32>(buffer & ((<u64>1 << farBits) - 1)) >> ((far >> 8) & 31)));
      buffer >>= farBits;
      left -= farBits;
      if (out - output < distance) return CORRUPT;
      if (out + length > outEnd) return TOO_LONG;
      let from = out - distance;
      const stop = out + length;
      while (out < stop) store<u8>(out++, load<u8>(from++));
    }
  }
  consumed = <i32>(at - (left >> 3) - input);
  return <i32>(out - output);
}

/** Adler-32 of a stretch of memory. */
export function adler32(at: usize, length: usize): u32 {
  let a: u32 = 1;
  let b: u32 = 0;
  const high = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
  const low = i16x8(8, 7, 6, 5, 4, 3, 2, 1);
  while (length >= 16) {
    let rounds: usize = length < 5552 ? length >> 4 : 347; // 5552 bytes keep the sums below 2^32
    length -= rounds << 4;
    b += a * (<u32>rounds << 4);
    let sum = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    let before = i32x4.splat(0);
    for (; rounds > 0; rounds--) {
      const bytes = v128.load(at);
      at += 16;
      before = i32x4.add(before, sum);
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(bytes), high));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(bytes), low));
    }
    weighted = i32x4.add(weighted, i32x4.shl(before, 4));
    a += total(sum);
    b += total(weighted);
    a %= 65521;
    b %= 65521;
  }
  for (; length > 0; length--) {
    a += load<u8>(at++);
    b += a;
  }
  return ((b % 65521) << 16) | (a % 65521);
}

function total(v: v128): u32 {
  return (
    <u32>i32x4.extract_lane(v, 0) + <u32>i32x4.extract_lane(v, 1) + <u32>i32x4.extract_lane(v, 2) + <u32>i32x4.extract_lane(v, 3)
  );
}

/**
 * TIFF's LZW: codes of 9 to 12 bits, high bit first, one longer a code early. Every string is a stretch of what was
 * written already, so the table holds places and lengths. Stops where `room` is full.
 * Returns the bytes written, or CORRUPT.
 */
export function lzw(input: usize, inputLength: usize, output: usize, room: usize): i32 {
  for (let i: usize = 0; i < 256; i++) {
    store<u8>(IDENTITY + i, <u8>i);
    store<u32>(STRINGS + (i << 3), <u32>(IDENTITY + i));
    store<u32>(STRINGS + (i << 3) + 4, 1);
  }
  const bitEnd = <u64>inputLength << 3;
  let bit: u64 = 0;
  let width: u64 = 9;
  let next: u32 = 258;
  let grows: u32 = 511; // a code before it is needed
  let before: usize = 0; // the string written last; 0: none since the table was cleared
  let beforeLength: u32 = 0;
  let out = output;
  const outEnd = output + room;
  while (out < outEnd) {
    if (bit + width > bitEnd) break; // no end code: the caller sees whether bytes are missing
    const code = <u32>((bswap<u64>(load<u64>(input + <usize>(bit >> 3))) << (bit & 7)) >> (64 - width));
    bit += width;
    if (code == 256) {
      width = 9;
      next = 258;
      grows = 511;
      before = 0;
      continue;
    }
    if (code == 257) break;
    if (before != 0 && next < 4096) {
      store<u32>(STRINGS + (<usize>next << 3), <u32>before);
      store<u32>(STRINGS + (<usize>next << 3) + 4, beforeLength + 1);
      next++;
      if (next == grows && width < 12) { width++; grows = (grows << 1) | 1; }
    }
    if (code >= next) return CORRUPT;
    let from = <usize>load<u32>(STRINGS + (<usize>code << 3));
    const length = load<u32>(STRINGS + (<usize>code << 3) + 4);
    before = out;
    beforeLength = length;
    const stop = out + length;
    if (stop > outEnd) {
      while (out < outEnd) store<u8>(out++, load<u8>(from++));
      break;
    }
    // a code just made reads its last byte from what it writes: the first byte of `out`
    while (out - from < 8) { store<u64>(out, load<u64>(from)); out += out - from; }
    do { store<u64>(out, load<u64>(from)); out += 8; from += 8; } while (out < stop);
    out = stop;
  }
  return <i32>(out - output);
}
