import { describe, expect, it } from 'vitest';
import { createRandom, fillUniform } from '../src/random.js';

const draw = (count: number, next: () => number): number[] => Array.from({ length: count }, next);

describe('random numbers', () => {
  it('are the same for the same seed and stream, and others for another seed or stream', () => {
    const numbers = (seed: number, stream: string): number[] => {
      const random = createRandom(seed).split(stream);
      return draw(5, () => random.uniform());
    };
    expect(numbers(7, 'a')).toEqual(numbers(7, 'a'));
    expect(numbers(7, 'a')).not.toEqual(numbers(8, 'a'));
    expect(numbers(7, 'a')).not.toEqual(numbers(7, 'b'));
  });

  it('of a split stream do not depend on what was drawn before', () => {
    const fresh = createRandom(3).split('x').uniform();
    const used = createRandom(3);
    draw(10, () => used.normal());
    expect(used.split('x').uniform()).toBe(fresh);
  });

  it('come in bulk as the high bits of single draws, which go on behind them', () => {
    const bulk = createRandom(5);
    const words = new Uint32Array(3);
    bulk.words(words);
    const single = createRandom(5);
    const first = single.uniform(); // of two words: 27 bits of the first, 26 of the second
    expect(Math.floor(first * 2 ** 27)).toBe(words[0]! >>> 5);
    expect(Math.floor(single.uniform() * 2 ** 27)).toBe(words[2]! >>> 5);
    const later = createRandom(5);
    later.words(new Uint32Array(4));
    single.uniform();
    expect(bulk.uniform()).not.toBe(first);
    const six = new Uint32Array(6);
    createRandom(5).words(six);
    expect(Math.floor(later.uniform() * 2 ** 27)).toBe(six[4]! >>> 5);
  });

  it('fill an array with what single draws would give', () => {
    const single = createRandom(7);
    const count = 4096 + 9; // more than a chunk
    const expected = Float32Array.from({ length: count }, () => 2 * single.uniform() - 1);
    const filled = fillUniform(new Float32Array(count), createRandom(7), (uniform) => 2 * uniform - 1);
    expect(filled).toEqual(expected);
  });

  it('are uniform: mean 1/2, variance 1/12, all tenths alike', () => {
    const random = createRandom(1);
    const values = draw(100_000, () => random.uniform());
    const mean = values.reduce((a, b) => a + b) / values.length;
    const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
    // five standard errors of the mean (0.0009) and of the variance (0.00024)
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.0046);
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.0012);
    const tenths = new Array<number>(10).fill(0);
    for (const value of values) tenths[Math.floor(value * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(5 * Math.sqrt(9000));
  });

  it('are normal: mean 0, variance 1, 68.3 % within one', () => {
    const random = createRandom(2);
    const values = draw(100_000, () => random.normal());
    const within = values.filter((value) => Math.abs(value) < 1).length / values.length;
    const mean = values.reduce((a, b) => a + b) / values.length;
    expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(100_000));
    expect(Math.abs(within - 0.6827)).toBeLessThan(5 * Math.sqrt((0.6827 * 0.3173) / 100_000));
  });

  it('permute every index once, and differently each time', () => {
    const random = createRandom(5);
    const first = random.permutation(50);
    expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect([...random.permutation(50)]).not.toEqual([...first]);
  });
});
