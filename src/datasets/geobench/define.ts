import { InputError } from '../../errors.js';
import { readWholeFile } from '../../io/whole-file.js';
import { defineDataset, type DatasetDefinition } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import type { SampleImage } from '../sample.js';
import { readImages } from './images.js';
import { inFolder, listPartitions, readPartition, samplesOf } from './partitions.js';
import { readSampleAttributes } from './sample-attributes.js';
import { missing } from './pickled.js';
import { openSampleFile } from './sample-file.js';
import { readTarget } from './targets.js';
import { readTaskSpecifications } from './task-specifications.js';

export interface GeoBenchRules {
  /** Folder in the release, where it is not called as the dataset. */
  readonly folder?: string;
  /** A sample's images with their right place, where the stored one is wrong. */
  readonly place?: (image: SampleImage, id: string, io: DatasetIo) => SampleImage;
}

/**
 * A dataset of GEO-Bench: one HDF5 file a sample, with an array a band; lists of samples in `*_partition.json`; labels of
 * classification and all metadata in a pickle, which is read as data and never run.
 * The folder may be the dataset's own, or one above it with or without the collection's name between.
 */
export function defineGeoBench(id: string, { folder = id, place }: GeoBenchRules = {}): DatasetDefinition {
  return defineDataset(id, {
    async entries(split, io) {
      const base = folderOf(io, folder);
      const name = String(io.parameter('partition'));
      const partition = await readPartition(name, base, io);
      return samplesOf(partition, split, io.path(inFolder(base, `${name}_partition.json`))).map((sample) => ({
        id: sample,
      }));
    },

    /** images [time, height, width, band] by modality, in the numbers of the file; several dates are rare. */
    async read({ id: sample }, io) {
      const path = io.path(inFolder(folderOf(io, folder), `${sample}.hdf5`));
      io.signal?.throwIfAborted();
      const file = await openSampleFile(path);
      try {
        const text = file.attribute('pickle');
        if (text === undefined)
          throw missing(
            'attribute "pickle"',
            path,
            'It holds order, dates and labels: the file is not of GEO-Bench.',
          );
        const attributes = readSampleAttributes(text, path);
        const images = readImages(file, attributes, io);
        const placed = Object.entries(images).map(([name, image]) => [
          name,
          place?.(image, sample, io) ?? image,
        ]);
        const first = [...attributes.arrays.values()][0];
        return {
          images: Object.fromEntries(placed) as Record<string, SampleImage>,
          target: readTarget(file, attributes, io),
          facts: {
            file: inFolder(folderOf(io, folder), `${sample}.hdf5`),
            date: first?.date ?? null,
            meta: first?.meta ?? null,
          },
        };
      } finally {
        file.close();
      }
    },

    /** Train lengths of the other partitions, and what `task_specs.pkl` and `band_stats.json` say, as stored. */
    async facts(io) {
      const base = folderOf(io, folder);
      const partitions: Record<string, number> = {};
      for (const name of await listPartitions(base, io)) {
        if (name === 'default') continue;
        const where = io.path(inFolder(base, `${name}_partition.json`));
        partitions[name] = samplesOf(await readPartition(name, base, io), 'train', where).length;
      }
      const specifications = inFolder(base, 'task_specs.pkl');
      const statistics = inFolder(base, 'band_stats.json');
      return {
        partitions,
        task_specs: io.exists(specifications)
          ? readTaskSpecifications(await readWholeFile(io.path(specifications)), io.path(specifications))
          : null,
        band_stats: io.exists(statistics) ? await io.json(statistics) : null,
      };
    },
  });
}

/** Where the samples lie below the root; '' is the root itself. @throws InputError SPLIT_FILES */
function folderOf(io: DatasetIo, folder: string): string {
  const collection = io.manifest.task === 'segmentation' ? 'segmentation_v1.0' : 'classification_v1.0';
  const candidates = ['', folder, `${collection}/${folder}`];
  const found = candidates.find((base) => MARKS.some((mark) => io.exists(inFolder(base, mark))));
  if (found !== undefined) return found;
  throw new InputError('SPLIT_FILES', 'The folder has no lists of samples.', {
    where: io.root,
    hint: `Name the folder that holds default_partition.json and the *.hdf5 files: …/${collection}/${folder} of the release.`,
  });
}

/** Files that the folder of a dataset has. */
const MARKS = ['default_partition.json', 'task_specs.pkl', 'band_stats.json'];
