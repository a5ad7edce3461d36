/**
 * NumPy's legacy generator (`numpy.random.RandomState(seed)`): the Mersenne Twister MT19937, bit for bit, as far as
 * splits of published benchmarks draw from it. New randomness of our own comes from `random.ts`.
 */
export interface NumpyRandom {
  /** 32 random bits. */
  bits(): number;
  /** `rk_interval`: uniform integer on [0, max]. */
  interval(max: number): number;
  /** `random_sample()`: uniform on [0, 1), 53 bits. */
  uniform(): number;
  /** `permutation(count)`. */
  permutation(count: number): Int32Array;
  /** `shuffle(items)`, in place. */
  shuffle<T>(items: T[]): void;
  /** `choice(items, count, replace=False)`. */
  choice<T>(items: readonly T[], count: number): T[];
}

const SIZE = 624;
const SHIFT = 397;

/** @param seed 0 … 2³² − 1 */
export function numpyRandom(seed: number): NumpyRandom {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const before = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = Math.imul(1812433253, before) + i;
  }
  let at = SIZE;

  const bits = (): number => {
    if (at === SIZE) {
      twist(state);
      at = 0;
    }
    let word = state[at++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };

  const random: NumpyRandom = {
    bits,
    interval(max) {
      if (max === 0) return 0;
      const mask = 0xffffffff >>> Math.clz32(max); // all ones, as wide as max
      for (;;) {
        const value = (bits() & mask) >>> 0;
        if (value <= max) return value;
      }
    },
    uniform: () => ((bits() >>> 5) * 67108864 + (bits() >>> 6)) / 9007199254740992,
    permutation(count) {
      const order = Array.from({ length: count }, (_, i) => i);
      random.shuffle(order);
      return Int32Array.from(order);
    },
    shuffle(items) {
      for (let i = items.length - 1; i > 0; i--) {
        const j = random.interval(i);
        [items[i], items[j]] = [items[j]!, items[i]!];
      }
    },
    choice: (items, count) =>
      [...random.permutation(items.length).subarray(0, count)].map((at) => items[at]!),
  };
  return random;
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const mixed = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
    state[i] = state[(i + SHIFT) % SIZE]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
  }
}
