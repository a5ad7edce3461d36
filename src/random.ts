/**
 * Seeded random numbers. A generator is always an argument, never a global: same seed, same numbers.
 * Streams are split by name, so that adding a draw in one place changes no other place.
 */
export interface Random {
  /** Uniform on [0, 1), 53 bits. */
  uniform(): number;
  /** Uniform integer on [0, limit). */
  integer(limit: number): number;
  /** Fills with 32 random bits each: many draws at once, for resampling. */
  words(into: Uint32Array): void;
  /** Standard normal. */
  normal(): number;
  /** A random order of 0 … count − 1. */
  permutation(count: number): Int32Array;
  /** An independent generator for the named purpose; does not advance this one. */
  split(name: string): Random;
}

/** xoshiro128** seeded by splitmix32 over the seed and the stream's name. */
export function createRandom(seed: number, stream = ''): Random {
  const state = new Uint32Array(4);
  let mix = hashText(`${seed}/${stream}`);
  for (let i = 0; i < 4; i++) {
    mix = (mix + 0x9e3779b9) | 0;
    let word = mix ^ (mix >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    state[i] = word ^ (word >>> 15);
  }

  const next = (): number => {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const scrambled = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    state[2] = c ^ a;
    state[3] = d ^ b;
    state[1] = b ^ state[2]!;
    state[0] = a ^ state[3]!;
    state[2] = state[2]! ^ (b << 9);
    state[3] = rotateLeft(state[3]!, 11);
    return scrambled;
  };

  let spare: number | undefined;
  const random: Random = {
    uniform: () => unitOf(next(), next()),
    integer: (limit) => Math.floor(random.uniform() * limit),
    words(into) {
      let [a, b, c, d] = state as unknown as [number, number, number, number];
      for (let i = 0; i < into.length; i++) {
        into[i] = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9);
        const shifted = b << 9;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = rotateLeft(d, 11);
      }
      state.set([a, b, c, d]);
    },
    normal() {
      if (spare !== undefined) {
        const value = spare;
        spare = undefined;
        return value;
      }
      // Box–Muller; 1 − u keeps the logarithm away from zero
      const radius = Math.sqrt(-2 * Math.log(1 - random.uniform()));
      const angle = 2 * Math.PI * random.uniform();
      spare = radius * Math.sin(angle);
      return radius * Math.cos(angle);
    },
    permutation(count) {
      const order = Int32Array.from({ length: count }, (_, i) => i);
      for (let i = count - 1; i > 0; i--) {
        const j = random.integer(i + 1);
        [order[i], order[j]] = [order[j]!, order[i]!];
      }
      return order;
    },
    split: (name) => createRandom(seed, `${stream}/${name}`),
  };
  return random;
}

const rotateLeft = (x: number, k: number): number => (x << k) | (x >>> (32 - k));

const CHUNK = 4096;

/**
 * Fills with what `change` makes of the numbers that `random.uniform()` would give one by one; many times as fast where
 * there are many.
 */
export function fillUniform(
  into: Float32Array,
  random: Pick<Random, 'words'>,
  change: (uniform: number) => number,
): Float32Array {
  const words = new Uint32Array(2 * Math.min(CHUNK, into.length));
  for (let start = 0; start < into.length; start += CHUNK) {
    const count = Math.min(CHUNK, into.length - start);
    random.words(words.subarray(0, 2 * count));
    for (let at = 0; at < count; at++) into[start + at] = change(unitOf(words[2 * at]!, words[2 * at + 1]!));
  }
  return into;
}

/** On [0, 1) with 53 bits, of two times 32. */
const unitOf = (high: number, low: number): number =>
  ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;

/** FNV-1a with a final avalanche. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
