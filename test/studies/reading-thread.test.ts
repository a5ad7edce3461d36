import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { JUPYTER_DISPLAY } from '../../src/display/showable.js';
import { openDataset, type Dataset, type Entry } from '../../src/datasets/dataset.js';
import { readAside } from '../../src/studies/reading-thread.js';
import { fixture } from '../support/fixture-copy.js';
import { tinyDataset } from '../support/tiny-run.js';

/** More than are read before a thread is started. */
const MANY = 40;

describe('readAside', () => {
  const stops: AbortController[] = [];
  afterEach(() => stops.splice(0).forEach((stop) => stop.abort()));

  /** A dataset that counts what is read here, and how its samples are read aside. */
  const aside = (dataset: Dataset) => {
    const stop = new AbortController();
    stops.push(stop);
    const counted = { count: 0 };
    const read = (split: string, entry: Entry | string): ReturnType<Dataset['read']> => {
      counted.count += 1;
      return dataset.read(split, entry);
    };
    const { id, root, mode } = dataset;
    const data = { dataset: id, root, options: { mode }, plugins: [] };
    return { counted, stop, read: readAside({ ...dataset, read }, data, stop.signal) };
  };

  const scars = (): Promise<Dataset> => openDataset('hls-burn-scars', fixture('pangaea/hlsburnscars'));

  it('gives the samples that the dataset gives, with their look in a notebook', async () => {
    const dataset = await scars();
    const { counted, read } = aside(dataset);
    const entries = await dataset.entries('train');
    const asked = Array.from({ length: MANY }, (_, at) => entries[at % entries.length]!);
    const samples = await Promise.all(asked.map((entry) => read('train', entry)));
    for (const [at, sample] of samples.entries())
      expect(sample).toEqual(await dataset.read('train', asked[at]!));
    expect(counted.count).toBeLessThan(MANY);
    expect(samples.every((sample) => JUPYTER_DISPLAY in sample)).toBe(true);
  });

  it('fails as the dataset fails', async () => {
    const dataset = await scars();
    const { read } = aside(dataset);
    const [entry] = await dataset.entries('train');
    for (let at = 0; at < MANY / 2; at++) await read('train', entry!);
    const lost = { ...entry!, id: 'lost', image: 'lost.tif', stem: 'lost' };
    const thrown = await dataset.read('train', lost).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'InputError' });
    await expect(read('train', lost)).rejects.toEqual(thrown);
  });

  it('reads here what no thread can: a dataset that this process alone knows', async () => {
    const dataset = await openDataset(tinyDataset(), fixture('pangaea'));
    const { counted, read, stop } = aside(dataset);
    const entries = await dataset.entries('train');
    for (let at = 0; at < MANY; at++) {
      const entry = entries[at % entries.length]!;
      expect(await read('train', entry)).toEqual(await dataset.read('train', entry));
    }
    expect(counted.count).toBe(MANY);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('ends with its signal', async () => {
    const dataset = await scars();
    const { counted, read, stop } = aside(dataset);
    const [entry] = await dataset.entries('train');
    for (let at = 0; at < MANY / 2; at++) await read('train', entry!);
    const before = counted.count;
    stop.abort();
    await read('train', entry!);
    expect(counted.count).toBe(before + 1);
  });
});
