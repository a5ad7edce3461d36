import { describe, expect, it } from 'vitest';
import { randomCrop } from '../../src/preprocessing/crop.js';
import { createRandom } from '../../src/random.js';
import { numbersOf } from '../../src/training/answer.js';
import { tinyDataset, tinyFeed } from '../support/tiny-run.js';

const random = createRandom(7);

describe('a feed', () => {
  it('gives every sample once an epoch, in another order every epoch, the same for one seed', async () => {
    const feed = await tinyFeed({ flipProbability: 0 });
    const ids = async (epoch: number): Promise<string[]> =>
      (await feed.epoch(random.split(`epoch-${epoch}`))).map(({ id }) => id);
    const [first, again, second] = [await ids(1), await ids(1), await ids(2)];
    expect(first).toEqual(again);
    expect(second).not.toEqual(first);
    expect([...second].sort()).toEqual([...first].sort());
    expect(new Set(first).size).toBe(8);
  });

  it('cuts samples into tiles side by side and leaves out what fills none', async () => {
    const feed = await tinyFeed({ crop: { kind: 'tiles', size: 5 } });
    const items = await feed.trainingItems();
    expect(items).toHaveLength(8 * 2); // one row and two columns of 5 × 5 in 8 × 12
    const { sample, answer: cut } = await feed.read(items[1]!);
    const answer = numbersOf(cut);
    expect(items[1]!.id).toBe('train-0/r0-c5');
    expect(sample.images['optical']).toMatchObject({ height: 5, width: 5 });
    expect(answer.shape).toEqual([5, 5]);
    const whole = await feed.read((await feed.samples('train'))[0]!);
    const at = (row: number, column: number): number => numbersOf(whole.answer).data[row * 12 + column]!;
    expect(answer.data[2 * 5 + 3]).toBe(at(2, 8));
  });

  it('refuses samples that are smaller than a tile', async () => {
    const feed = await tinyFeed({ crop: { kind: 'tiles', size: 9 } });
    await expect(feed.trainingItems()).rejects.toMatchObject({ code: 'NO_TILES' });
  });

  it('draws one window of a fixed grid a sample and epoch, so that the same windows come again', async () => {
    const feed = await tinyFeed({ crop: { kind: 'grid', size: 8 }, flipProbability: 0 });
    const all = new Set((await feed.trainingItems()).map(({ id }) => id));
    expect(all.size).toBe(16); // two windows of 8 × 8 cover 8 × 12
    const drawn = await feed.epoch(random.split('grid'));
    expect(drawn).toHaveLength(8);
    expect(drawn.every(({ id }) => all.has(id))).toBe(true);
    expect(new Set(drawn.map(({ entry }) => entry.id)).size).toBe(8);
    expect(feed.isRepeating).toBe(true);
  });

  it('draws windows anew where the crop is random, and says that inputs do not come again', async () => {
    const feed = await tinyFeed({ crop: randomCrop({ size: 4 }) });
    expect(feed.isRepeating).toBe(false);
    const [item] = await feed.samples('train');
    const images = await Promise.all(
      ['a', 'b', 'a'].map(
        async (name) => (await feed.read(item!, random.split(name))).input.images['optical']!,
      ),
    );
    expect(images[0]).toMatchObject({ height: 4, width: 4 });
    expect(images[2]!.data).toEqual(images[0]!.data);
    expect(images[1]!.data).not.toEqual(images[0]!.data);
  });

  it('mirrors image and truth together', async () => {
    const feed = await tinyFeed();
    const [item] = await feed.samples('train');
    const upright = await feed.read(item!);
    const mirrored = await feed.read({ ...item!, flip: { across: true, down: true } });
    const [image, turned] = [upright, mirrored].map(({ input }) => input.images['optical']!.data);
    const last = 8 * 12 - 1;
    for (const pixel of [0, 17, 50]) {
      expect(numbersOf(mirrored.answer).data[pixel]).toBe(numbersOf(upright.answer).data[last - pixel]);
      expect(turned![pixel * 2]).toBe(image![(last - pixel) * 2]);
    }
  });

  it('lists every mirroring that an epoch may ask for', async () => {
    const both = await tinyFeed({ flips: 'both' });
    expect(both.mirrored(await both.samples('val'))).toHaveLength(4 * 4);
    const none = await tinyFeed({ flipProbability: 0 });
    expect(none.mirrored(await none.samples('val'))).toHaveLength(4);
  });

  it('reads a sample once, as long as it is kept', async () => {
    let reads = 0;
    const feed = await tinyFeed({ definition: tinyDataset(undefined, () => void reads++) });
    const [item] = await feed.samples('train');
    await feed.read(item!);
    await feed.read(item!);
    expect(reads).toBe(1);
  });
});
