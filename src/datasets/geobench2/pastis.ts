import { defineTortilla, type Images, type TortillaSample } from './define.js';
import { rowNamed, type Row } from './container.js';
import type { LabelArray } from '../../io/raster.js';
import type { DatasetIo } from '../dataset-io.js';
import { objectsOf } from './object-raster.js';
import { readPlane } from './row-readers.js';
import { takeSteps } from '../take-steps.js';
import { spreadPlaces, wantedSteps } from './time-steps.js';

/**
 * PASTIS-R: crops, 18 kinds with background and void, 128 × 128 px; series of Sentinel-2 and of Sentinel-1 from both orbits,
 * all dates.
 * Bands, classes, splits, known faults: data-manifests/datasets/gb2-pastis.json
 */
export const pastis = defineTortilla('gb2-pastis', {
  images: chosenFrames,
  target: async ({ rows }, io) => {
    const mask = io.mapLabels(await semantic(rows), rowNamed(rows, 'semantic').where);
    return { ...mask, parts: { instances: await readPlane(rowNamed(rows, 'instance')) } };
  },
});

/** The same files as single parcels. data-manifests/datasets/gb2-pastis-panoptic.json */
export const pastisPanoptic = defineTortilla('gb2-pastis-panoptic', {
  images: chosenFrames,
  target: async ({ rows }, io) => {
    const { labels } = io.mapLabels(await semantic(rows), rowNamed(rows, 'semantic').where);
    const instances = await readPlane(rowNamed(rows, 'instance'));
    const objects = objectsOf(instances, labels, {
      label: io.isOn('smallest-class') ? 'smallest' : 'commonest',
      areEdgesInclusive: io.isOn('boxes-inclusive'),
    });
    return { kind: 'instances', objects, labels, instances };
  },
});

/** Classes stand in the first plane of three. */
const semantic = (rows: readonly Row[]): Promise<LabelArray> => readPlane(rowNamed(rows, 'semantic'), 0);

/** Frames evenly spread over each series. The reference gives them the dates of the last ones. */
function chosenFrames(images: Images, _: TortillaSample, io: DatasetIo): Images {
  const wanted = wantedSteps(io);
  if (wanted === null) return images;
  const chosen = Object.entries(images).map(([name, image]) => {
    const taken = takeSteps(image, spreadPlaces(image.timeCount, wanted));
    const dates = io.isOn('last-dates') ? image.dates.slice(-wanted) : taken.dates;
    const absent = taken.dates.slice(0, wanted - dates.length); // steps in front that are none
    return [name, { ...taken, dates: [...absent, ...dates] }];
  });
  return Object.fromEntries(chosen) as Images;
}
