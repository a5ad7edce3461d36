import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pieces, StreamJoiner, type StreamText } from '../../../src/kernel/wire/streams.js';

const collector = (delayMs?: number) => {
  const published: StreamText[] = [];
  return { published, streams: new StreamJoiner((text) => published.push(text), delayMs) };
};

describe('printed text', () => {
  it('is joined within a moment and published by itself', async () => {
    const { published, streams } = collector(10);
    streams.add({ name: 'stdout', parent: 'a', text: '1' });
    streams.add({ name: 'stdout', parent: 'a', text: '2' });
    expect(published).toEqual([]);
    await sleep(60);
    expect(published).toEqual([{ name: 'stdout', parent: 'a', text: '12' }]);
  });

  it('keeps its order over stdout, stderr and several cells', () => {
    const { published, streams } = collector();
    const texts: StreamText[] = [
      { name: 'stdout', parent: 'a', text: '1' },
      { name: 'stderr', parent: 'a', text: '2' },
      { name: 'stdout', parent: 'a', text: '3' },
      { name: 'stdout', parent: 'b', text: '4' },
    ];
    texts.forEach((text) => streams.add(text));
    streams.add({ name: 'stdout', parent: 'b', text: '' });
    streams.flush();
    expect(published).toEqual(texts);
  });

  it('is published early and in parts of less than 1 MB when there is much of it', () => {
    const { published, streams } = collector();
    const text = '€'.repeat(800_000); // 3 bytes each
    streams.add({ name: 'stdout', parent: 'a', text });
    expect(published.length).toBeGreaterThan(1);
    for (const part of published) expect(Buffer.byteLength(part.text)).toBeLessThan(1_000_000);
    expect(published.map((part) => part.text).join('')).toBe(text);
  });

  it('is never cut inside a character', () => {
    expect([...pieces('ab🛰cd', 3)]).toEqual(['ab', '🛰c', 'd']);
    expect([...pieces('', 3)]).toEqual([]);
  });
});
