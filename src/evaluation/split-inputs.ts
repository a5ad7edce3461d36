import { InputError } from '../errors.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Feed, Item } from '../training/feed.js';
import type { InputSource, Prepared } from '../training/input-source.js';

export interface SplitInputOptions {
  readonly feed: Feed;
  readonly source: InputSource;
  readonly protocol: Pick<Protocol, 'batchSize' | 'windowStride'>;
  /** Side of a tile. */
  readonly size: number | null;
  /** Called between batches: gives the event loop a turn, and throws to stop. */
  readonly breathe: () => Promise<void>;
}

/** Inputs of one size that are predicted at once. */
export interface InputGroup {
  readonly items: readonly Item[];
  readonly batch: readonly Prepared[];
}

/** A split in batches, whole or in tiles side by side. @throws InputError SETTING_INVALID for tiles without a size */
export async function* splitInputs(
  split: string,
  evaluation: 'whole' | 'tiles',
  { feed, source, protocol: { batchSize }, size, breathe }: SplitInputOptions,
): AsyncGenerator<InputGroup> {
  const items = evaluation === 'tiles' ? await feed.tiles(split, tileSize(size)) : await feed.samples(split);
  for (let start = 0; start < items.length; start += batchSize) {
    const batch = items.slice(start, start + batchSize);
    const loaded = await source.load(batch.map((item) => feed.request(item)));
    yield* bySize(batch, loaded);
    await breathe();
  }
}

/** @throws InputError SETTING_INVALID */
function tileSize(size: number | null): number {
  if (size !== null) return size;
  throw new InputError('SETTING_INVALID', 'evaluation cannot be "tiles" without a size.', {
    where: 'settings of the study',
    hint: 'Give inputSize: the encoder takes images of any size.',
  });
}

/** Runs of inputs whose pictures and answers have one size, in their order. */
function bySize(items: readonly Item[], batch: readonly Prepared[]): InputGroup[] {
  const groups: { readonly key: string; readonly items: Item[]; readonly batch: Prepared[] }[] = [];
  for (const [at, prepared] of batch.entries()) {
    const key = sizeKey(prepared);
    let last = groups.at(-1);
    if (last?.key !== key) groups.push((last = { key, items: [], batch: [] }));
    last.items.push(items[at]!);
    last.batch.push(prepared);
  }
  return groups;
}

function sizeKey({ given, answer }: Prepared): string {
  const shapes =
    'input' in given
      ? Object.values(given.input.images).map(({ timeCount, height, width }) => [timeCount, height, width])
      : given.features.map(({ shape }) => shape);
  return [...shapes, answer!.shape].join(' ');
}
