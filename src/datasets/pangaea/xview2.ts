import { InputError } from '../../errors.js';
import type { LabelArray } from '../../io/raster.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { sampleImage, stackTimes } from '../image.js';
import type { SampleImage, TargetOf } from '../sample.js';
import { stratifiedSplit } from '../splits/train-test-split.js';
import { readFootprints, type Footprints } from './xview2-labels.js';

const ENDING = '_pre_disaster.png';

/**
 * xView2 (xBD): damage of buildings, an image before and one after a disaster, 1024 × 1024 px, 3 bands, about 0.5 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/xview2.json
 */
export const xview2 = defineDataset<Place>('xview2', {
  /** `test` is its folder, sorted; the rest is cut from the folders train and tier3, each sorted, train first. */
  async entries(split, io) {
    if (split === 'test') return placesIn('test', split, io);
    const places = [...(await placesIn('train', split, io)), ...(await placesIn('tier3', split, io))];
    const disasters = places.map(({ disaster }) => disaster);
    const { train, test } = stratifiedSplit(disasters, 0.1, 23);
    return [...(split === 'val' ? test : train)].map((place) => places[place]!);
  },

  /** Images with damage come several times in training; which ones, the fault `oversampling` says. */
  async epoch(entries, io) {
    const epoch: Place[] = [];
    for (const entry of entries) {
      const times = entry.split === 'train' ? await timesInEpoch(entry, io) : 1;
      for (let time = 0; time < times; time++) epoch.push(entry);
    }
    return epoch;
  },

  /**
   * optical [time = 2, height, width, band = 3], 8-bit numbers of blue, green and red; target [height, width], 0 = no
   * building, 1 = undamaged … 4 = destroyed; its part `before` is 1 where a building was. Masks are those of the folder
   * masks, else they are drawn from the outlines in labels.
   */
  async read(entry, io) {
    const [before, after] = [await footprintsOf(entry, 'pre', io), await footprintsOf(entry, 'post', io)];
    const images = [
      await readImage(entry, 'pre', before?.date ?? null, io),
      await readImage(entry, 'post', after?.date ?? null, io),
    ];
    const target = await readMask(entry, 'post', after, images[1]!, io);
    const buildings = await readMask(entry, 'pre', before, images[0]!, io);
    return {
      images: { optical: stackTimes(images, io.path(imageOf(entry, 'post'))) },
      target: { ...target, parts: { before: buildings.labels } },
      facts: { disaster: entry.disaster, ...(after && { disasterType: after.disasterType }) },
    };
  },
});

interface Place {
  readonly id: string;
  readonly split: string;
  /** `train`, `tier3` or `test`. */
  readonly folder: string;
  readonly disaster: string;
}

type Moment = 'pre' | 'post';

async function placesIn(folder: string, split: string, io: DatasetIo): Promise<Place[]> {
  const names = (await io.list(`${folder}/images`)).filter((name) => name.endsWith(ENDING));
  if (names.length === 0) {
    throw new InputError('SPLIT_FILES', `There is no image "…${ENDING}".`, {
      where: io.path(`${folder}/images`),
      hint: 'The root holds the folders train, tier3 and test of the release, unpacked.',
    });
  }
  return names.map((name) => {
    const id = name.slice(0, -ENDING.length);
    return { id, split, folder, disaster: id.split('_')[0]! };
  });
}

const imageOf = ({ folder, id }: Place, moment: Moment): string =>
  `${folder}/images/${id}_${moment}_disaster.png`;

async function readImage(
  entry: Place,
  moment: Moment,
  date: string | null,
  io: DatasetIo,
): Promise<SampleImage> {
  const file = imageOf(entry, moment);
  const raster = await io.pixels(file, [2, 1, 0]); // the files hold red, green, blue
  const bands = io.modality().bands.map(({ id }) => id);
  return sampleImage({ ...raster, bands, dates: [date] }, io.path(file));
}

async function footprintsOf(
  { folder, id }: Place,
  moment: Moment,
  io: DatasetIo,
): Promise<Footprints | null> {
  const file = `${folder}/labels/${id}_${moment}_disaster.json`;
  return io.exists(file) ? readFootprints(await io.json(file), moment, io.path(file)) : null;
}

async function readMask(
  entry: Place,
  moment: Moment,
  footprints: Footprints | null,
  size: { readonly height: number; readonly width: number },
  io: DatasetIo,
): Promise<TargetOf<'mask'>> {
  const file = `${entry.folder}/masks/${entry.id}_${moment}_disaster.png`;
  if (io.exists(file)) return io.labels(file);
  if (footprints) return io.mapLabels(footprints.draw(size), io.path(file));
  throw new InputError('FILE_MISSING', `There is neither a mask nor a file of outlines for ${entry.id}.`, {
    where: io.path(file),
    hint: 'Unpack the folder labels of the release beside images.',
  });
}

const timesKnown = new WeakMap<DatasetIo, Map<string, number>>();

/** How often an image comes in an epoch; its mask is read once. */
async function timesInEpoch(entry: Place, io: DatasetIo): Promise<number> {
  const known = timesKnown.get(io) ?? new Map<string, number>();
  timesKnown.set(io, known);
  let times = known.get(entry.id);
  if (times === undefined) {
    const footprints = await footprintsOf(entry, 'post', io);
    const size = footprints?.size ?? { height: 1024, width: 1024 };
    times = timesFor((await readMask(entry, 'post', footprints, size, io)).labels, io.isOn('oversampling'));
    known.set(entry.id, times);
  }
  return times;
}

/** Classes: 1 undamaged, 2 minor, 3 major damage, 4 destroyed. */
function timesFor({ data }: LabelArray, isPublished: boolean): number {
  const present = new Set<number>(data);
  const isPartly = present.has(2) || present.has(3);
  const isDamaged = isPartly || present.has(4);
  if (isPublished) return 1 + Number(isDamaged) + Number(isPartly);
  return isDamaged ? 3 : present.has(1) ? 2 : 1;
}
