import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createDatasetIo } from '../../../src/datasets/dataset-io.js';
import { openDataset } from '../../../src/datasets/dataset.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { readDatasetManifest } from '../../../src/manifests/dataset-manifest.js';
import {
  bandNumbers,
  describeReal,
  differences,
  histogram,
  readJson,
  realData,
} from '../../support/layouts.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Answer {
  readonly bands: readonly Record<string, number>[];
  readonly transform: readonly number[];
  readonly histogram: Record<string, number>;
}

const answerOf = (file: string): Answer =>
  (readJson(path.join(realData, 'expected-real.json')) as Record<string, Answer>)[file]!;

describeReal('released samples of PANGAEA', () => {
  it('sen1floods11: a chip of Spain has its numbers, dates, places and labels', async () => {
    const folder = tempFolder();
    const source = path.join(realData, 'sen1floods11-sample');
    const chip = 'Spain_7370579';
    for (const layer of ['S1Hand', 'S2Hand', 'LabelHand']) {
      const files = path.join(folder, 'v1.1/data/flood_events/HandLabeled', layer);
      mkdirSync(files, { recursive: true });
      symlinkSync(path.join(source, `${chip}_${layer}.tif`), path.join(files, `${chip}_${layer}.tif`));
    }
    const metadata = 'Sen1Floods11_Metadata.geojson';
    symlinkSync(path.join(source, metadata), path.join(folder, 'v1.1', metadata));
    const lists = path.join(folder, 'v1.1/splits/flood_handlabeled');
    mkdirSync(lists, { recursive: true });
    writeFileSync(path.join(lists, 'flood_test_data.csv'), `${chip}_S1Hand.tif,${chip}_LabelHand.tif\n`);

    const { images, target } = await (await openDataset('sen1floods11', folder)).read('test', chip);
    for (const [modality, layer] of [
      ['optical', 'S2Hand'],
      ['sar', 'S1Hand'],
    ] as const) {
      const image = images[modality]!;
      const { bands, transform } = answerOf(`sen1floods11-sample/${chip}_${layer}.tif`);
      expect(image.bands).toHaveLength(bands.length);
      for (const [place, band] of bands.entries())
        expect(differences(bandNumbers(image, [place]), band)).toEqual([]);
      expect([image.crs, image.transform]).toEqual(['EPSG:4326', transform]);
    }
    expect(images.optical).toMatchObject({ storedType: 'int16', nodata: 0, dates: ['2019-09-18'] });
    expect(images.sar).toMatchObject({ storedType: 'float32', dates: ['2019-09-17'] });
    const { labels } = target as TargetOf<'mask'>;
    expect(histogram(labels)).toEqual(answerOf(`sen1floods11-sample/${chip}_LabelHand.tif`).histogram);
  });

  it('hls-burn-scars: a mask has its labels, its place, and no EPSG code', async () => {
    const manifest = readDatasetManifest('hls-burn-scars');
    const io = createDatasetIo({ manifest, root: path.join(realData, 'hls'), faults: {} });
    const file = 'subsetted_512x512_HLS.S30.T10TGS.2018285.v1.4.mask.tif';
    const { labels, source } = await io.labels(file);
    const { histogram: counts, transform } = answerOf(`hls/${file}`);
    expect(histogram(labels)).toEqual(counts);
    expect(source).toMatchObject({ storedType: 'int16', nodata: -1, transform });
    expect(source!.crs?.startsWith('EPSG:') ?? false).toBe(false);
  });
});
