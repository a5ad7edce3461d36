import type { Dataset, Entry } from '../datasets/dataset.js';
import type { Sample } from '../datasets/sample.js';
import type { EncoderSample } from '../encoders/encoder-sample.js';
import { InputError } from '../errors.js';
import { coveringWindows, gridWindows, type Window } from '../io/window.js';
import { cropSample } from '../preprocessing/crop.js';
import { flipMove } from '../preprocessing/grid-move.js';
import { frameOf, moveSample } from '../preprocessing/move-sample.js';
import { preprocess } from '../preprocessing/preprocess.js';
import { stepContext, type InputWarning, type PreprocessingStep } from '../preprocessing/step.js';
import type { Random } from '../random.js';
import type { Answer } from './answer.js';
import type { Given, Request } from './input-source.js';
import type { SampleCache } from './sample-cache.js';

/** One input of a run: a sample, or a window of it. */
export interface Item {
  /** Sample and corner, e.g. `yell-528000/x1792/r448-c0`; without a window that of the sample. */
  readonly id: string;
  readonly split: string;
  readonly entry: Entry;
  readonly window: Window | null;
  readonly flip: Flip;
}

/** Which axes are mirrored. */
export interface Flip {
  readonly across: boolean;
  readonly down: boolean;
}

const UPRIGHT: Flip = { across: false, down: false };

/** An item, read and preprocessed. */
export interface Example extends Given {
  readonly answer: Answer;
  /** Cut, not yet preprocessed: for pictures. */
  readonly raw: Sample;
  readonly sample: Sample;
}

export interface FeedOptions {
  readonly dataset: Dataset;
  /** Entries by split; for splits that are left out, those of the dataset. */
  readonly entries?: ReadonlyMap<string, readonly Entry[]>;
  /** What a training image is cut to: `window` and `grid` name their windows, a step draws one, null takes it whole. */
  readonly crop: { readonly kind: 'tiles' | 'grid'; readonly size: number } | PreprocessingStep | null;
  readonly flipProbability: number;
  readonly flips: 'horizontal' | 'both';
  /** Bands, normalisation, size; without draws. */
  readonly steps: (split: string) => readonly PreprocessingStep[];
  /** What the encoder takes of a preprocessed sample beside its pixels. */
  readonly describe: (sample: Sample) => Promise<EncoderSample>;
  readonly answer: (sample: Sample) => Answer;
  /** Looks at a whole sample before anything is cut from it, and throws for what would be lost then. Default: nothing. */
  readonly check?: (sample: Sample) => void;
  readonly onWarning: (warning: InputWarning) => void;
  /** Of this dataset. */
  readonly cache: SampleCache;
  /** Most items of a split; a check takes a few. */
  readonly limit?: number;
}

/** Where a run's inputs come from: items by split, read when asked for, the last samples kept. */
export class Feed {
  readonly options: FeedOptions;
  readonly #cache: SampleCache;
  readonly #items = new Map<string, Promise<readonly Item[]>>();

  constructor(options: FeedOptions) {
    this.options = options;
    this.#cache = options.cache;
  }

  /** Whether the same items come every epoch, but for mirroring: only then can features be kept. */
  get isRepeating(): boolean {
    const { crop } = this.options;
    return crop === null || 'kind' in crop || !crop.isRandom;
  }

  /** Samples of a split, whole. */
  async samples(split: string): Promise<readonly Item[]> {
    const { dataset, entries, limit } = this.options;
    const all = entries?.get(split) ?? (await dataset.entries(split));
    return all.slice(0, limit).map((entry) => itemOf(split, entry, null));
  }

  /**
   * Tiles of a split, side by side; what does not fill a tile is left out.
   * @throws InputError NO_TILES for a sample smaller than a tile
   */
  tiles(split: string, size: number): Promise<readonly Item[]> {
    return this.#windows(`tiles/${split}`, split, ({ height, width }, id) => {
      const windows = gridWindows(height, width, size);
      if (windows.length > 0) return windows;
      throw new InputError(
        'NO_TILES',
        `${id} is ${height} × ${width} pixels, smaller than a tile of ${size}.`,
        {
          where: `dataset ${this.options.dataset.id}, split ${split}`,
          hint: 'Choose a smaller inputSize.',
        },
      );
    });
  }

  /** Windows that cover every sample of a split. */
  grid(split: string, size: number, stride: number | null): Promise<readonly Item[]> {
    return this.#windows(`grid/${split}`, split, ({ height, width }) =>
      coveringWindows(height, width, size, stride ?? size),
    );
  }

  #windows(
    key: string,
    split: string,
    windowsOf: (frame: { readonly height: number; readonly width: number }, id: string) => readonly Window[],
  ): Promise<readonly Item[]> {
    const known = this.#items.get(key);
    if (known) return known;
    const listing = this.samples(split).then(async (samples) => {
      const items: Item[] = [];
      for (const { entry } of samples) {
        const frame = frameOf(await this.#cache.read(split, entry));
        items.push(...windowsOf(frame, entry.id).map((window) => itemOf(split, entry, window)));
        if (items.length >= (this.options.limit ?? Infinity)) break;
      }
      return items.slice(0, this.options.limit);
    });
    this.#items.set(key, listing);
    listing.catch(() => this.#items.delete(key));
    return listing;
  }

  /** Everything that training may ask for, where that can be listed: for features that are computed ahead. */
  async trainingItems(): Promise<readonly Item[]> {
    const { crop } = this.options;
    if (crop && 'kind' in crop)
      return crop.kind === 'tiles' ? this.tiles('train', crop.size) : this.grid('train', crop.size, null);
    return this.samples('train');
  }

  /** Items of one epoch in the order in which they are trained on. */
  async epoch(random: Random): Promise<readonly Item[]> {
    const { crop, flipProbability, flips } = this.options;
    const all = await this.trainingItems();
    const drawn =
      crop && 'kind' in crop && crop.kind === 'grid' ? onePerSample(all, random.split('window')) : all;
    const mirror = random.split('mirror');
    return [...random.split('order').permutation(drawn.length)].map((index) => {
      const item = drawn[index]!;
      if (flipProbability === 0) return item;
      const across = mirror.uniform() < flipProbability;
      const down = flips === 'both' && mirror.uniform() < flipProbability;
      return { ...item, flip: { across, down } };
    });
  }

  /** Items with each mirroring that an epoch may ask for. */
  mirrored(items: readonly Item[]): readonly Item[] {
    const { flipProbability, flips } = this.options;
    if (flipProbability === 0) return items;
    const turns = flips === 'both' ? [false, true] : [false];
    return items.flatMap((item) =>
      turns.flatMap((down) => [false, true].map((across) => ({ ...item, flip: { across, down } }))),
    );
  }

  /**
   * Reads and preprocesses an item.
   * @param random of drawn crops; without it none is drawn
   * @throws what the dataset and the steps throw
   */
  async read(item: Item, random?: Random): Promise<Example> {
    const { dataset, crop, steps, describe, answer, check, onWarning } = this.options;
    const whole = await this.whole(item);
    check?.(whole);
    const context = stepContext({ dataset, ...(random && { random }) });
    let raw = item.window ? cropSample(whole, item.window, context) : whole;
    if (random && crop && !('kind' in crop)) raw = crop.apply(raw, context);
    if (item.flip.across || item.flip.down)
      raw = moveSample(raw, flipMove(item.flip.across, item.flip.down), context);
    const sample = preprocess(raw, steps(item.split), { dataset, onWarning });
    const { place } = raw.facts;
    return {
      ...{ raw, sample },
      answer: answer(sample),
      place: typeof place === 'string' ? place : '',
      input: await describe(sample),
    };
  }

  /** The sample that an item is cut from, as the dataset reads it. @throws what the dataset throws */
  whole({ split, entry }: Pick<Item, 'split' | 'entry'>): Promise<Sample> {
    return this.#cache.read(split, entry);
  }

  /** What is thrown where a split that is needed has no sample. */
  emptySplit(split: string): InputError {
    const { dataset } = this.options;
    return new InputError('SPLIT_EMPTY', `The split "${split}" has no sample.`, {
      where: `dataset ${dataset.id}, ${dataset.root}`,
      hint: 'Check the folder with `gondwana data check`, or take a larger labelFraction.',
    });
  }

  /** An item as a request; `random` as for `read`. */
  request(item: Item, random?: Random): Request {
    return { name: nameOf(item), read: () => this.read(item, random) };
  }
}

/** Names an item among all of a dataset. */
const nameOf = ({ id, split, flip, window }: Item): string =>
  [
    ...[split, id, window ? `${window.height}x${window.width}` : 'whole'],
    ...(flip.across ? ['across'] : []),
    ...(flip.down ? ['down'] : []),
  ].join('/');

const itemOf = (split: string, entry: Entry, window: Window | null): Item => ({
  id: window ? `${entry.id}/r${window.row}-c${window.column}` : entry.id,
  ...{ split, entry, window, flip: UPRIGHT },
});

/** One of the windows of each sample, drawn. */
function onePerSample(items: readonly Item[], random: Random): Item[] {
  const bySample = new Map<Entry, Item[]>();
  for (const item of items) {
    const list = bySample.get(item.entry) ?? [];
    bySample.set(item.entry, list);
    list.push(item);
  }
  return [...bySample.values()].map((windows) => windows[random.integer(windows.length)]!);
}
