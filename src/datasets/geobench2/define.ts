import { defineDataset, type DatasetDefinition } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import type { SampleImage, Target } from '../sample.js';
import { containerFiles, openSample, readIndex, type IndexEntry, type Row } from './container.js';
import { readImages, type RowsOf } from './images.js';

/** One sample of a container, while its file is open. */
export interface TortillaSample {
  readonly id: string;
  /** What the container's table says of it. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Its own files, in order. */
  readonly rows: readonly Row[];
  readonly where: string;
}

export type Images = Readonly<Record<string, SampleImage>>;

export interface TortillaRules {
  /** Rows of a modality in order of time. Default: the row that the manifest or `parts` names, else the one called as it. */
  readonly rowsOf?: (io: DatasetIo) => RowsOf;
  /** Row of a modality, where its name is another. */
  readonly parts?: Readonly<Record<string, string>>;
  /** The images with what has to be put right: masks, places, number types. */
  readonly images?: (images: Images, sample: TortillaSample, io: DatasetIo) => Images | Promise<Images>;
  readonly target: (sample: TortillaSample, io: DatasetIo) => Target | Promise<Target>;
  /** What else the rows say. */
  readonly facts?: (
    sample: TortillaSample,
    images: Images,
  ) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
}

/**
 * A dataset of GEO-Bench-2: tortilla containers with a row a sample, each a container of its own whose rows are the
 * sample's files. Files are read where they lie in the container.
 */
export function defineTortilla(id: string, rules: TortillaRules): DatasetDefinition {
  return defineDataset<IndexEntry>(id, {
    async entries(split, io) {
      const stored = STORED_SPLITS[split] ?? split;
      return (await readIndex(io)).filter((entry) => entry.split === stored);
    },

    /** images [time, height, width, band] by modality, in the numbers of the files. */
    async read(entry, io) {
      io.signal?.throwIfAborted();
      const opened = await openSample(entry, io);
      try {
        const { sample } = opened;
        const read = await readImages(sample.rows, io, rules.rowsOf?.(io) ?? rowsNamed(rules.parts, io));
        const images = (await rules.images?.(read, sample, io)) ?? read;
        return {
          images,
          target: await rules.target(sample, io),
          facts: { ...factsOf(sample), ...(await rules.facts?.(sample, images)) },
        };
      } finally {
        opened.close();
      }
    },

    async facts(io) {
      return { files: await containerFiles(io) };
    },
  });
}

/** Names in the containers. Rows of other splits, `extra_test`, belong to none here. */
const STORED_SPLITS: Readonly<Record<string, string>> = { train: 'train', val: 'validation', test: 'test' };

const rowsNamed =
  (parts: Readonly<Record<string, string>> = {}, io: DatasetIo): RowsOf =>
  (modality, rows) => {
    const part = parts[modality] ?? io.modality(modality).storedIn ?? modality;
    return rows.filter(({ id }) => id === part);
  };

/** Files of the sample in order, when it was taken, and the other columns of the container's table. */
function factsOf({ columns, rows }: TortillaSample): Record<string, unknown> {
  const own = Object.entries(columns).filter(([name]) => !/^(?:tortilla:|stac:|__)/.test(name));
  return {
    ...Object.fromEntries(own),
    children: rows.map(({ id, format }) => ({ id, format })),
    time_start: columns['stac:time_start'] ?? null,
  };
}
