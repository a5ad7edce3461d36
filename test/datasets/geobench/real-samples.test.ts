import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import {
  bandNumbers,
  describeReal,
  differences,
  histogram,
  readJson,
  realData,
} from '../../support/layouts.js';

const samples = [
  ['m-sa-crop-type', 'm-SA-crop-type', 'ref_south_africa_crops_competition_v1_train_labels_0001_0'],
  ['m-brick-kiln', 'm-brick-kiln', 'examples_0_12'],
  ['m-chesapeake-landcover', 'm-chesapeake', 'id_000051'],
  ['m-eurosat', 'm-eurosat', 'id_0000'],
  ['m-eurosat', 'm-eurosat', 'id_0003'],
] as const;

describeReal('released samples of GEO-Bench', () => {
  it.each(samples)('%s: every array of %s/%s has its numbers', async (id, folder, name) => {
    const answers = readJson(path.join(realData, 'expected-real.json'))[
      `geobench-hdf5/${folder}/${name}.hdf5`
    ];
    const dataset = await openDataset(id, path.join(realData, 'geobench-hdf5', folder));
    const { images, target } = await dataset.read('train', { id: name });
    const image = images.optical!;
    const keys = image.sources!.map(({ key }) => key);
    expect([...keys].sort()).toEqual(
      Object.keys(answers)
        .filter((key) => key !== 'label')
        .sort(),
    );
    for (const [place, key] of keys.entries()) {
      expect(differences(bandNumbers(image, [place]), answers[key])).toEqual([]);
      expect([image.height, image.width]).toEqual(answers[key].shape);
      expect(image.sources![place]!.storedType).toBe(answers[key].dtype);
    }
    if (target.kind === 'mask') expect(histogram(target.stored)).toEqual(answers.label.histogram);
    else expect(target).toEqual({ kind: 'class', label: 0 });
  });

  it('early builds name older modules and lack the order of the bands', async () => {
    const folder = path.join(realData, 'geobench-hdf5', 'm-eurosat');
    const { task_specs, band_stats } = await (await openDataset('m-eurosat', folder)).facts();
    expect(task_specs).toMatchObject({
      dataset_name: 'eurosat',
      label_type: 'Classification',
      n_classes: 10,
    });
    expect(Object.keys(band_stats as object)).toContain('12 - SWIR');
  });

  it('the land cover of m-chesapeake-landcover holds no data, which is a void class', async () => {
    const dataset = await openDataset(
      'm-chesapeake-landcover',
      path.join(realData, 'geobench-hdf5', 'm-chesapeake'),
    );
    const { target } = await dataset.read('train', { id: 'id_000051' });
    expect(histogram((target as TargetOf<'mask'>).labels)['6']).toBe(1115);
    expect(dataset.manifest.labels.voidClasses).toEqual([6]);
  });
});
