import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOf } from '../../src/display/bundle.js';
import { textOf } from '../../src/display/mime.js';
import { openDataset } from '../../src/datasets/dataset.js';
import { tf } from '../../src/engine/tf.js';
import { readGeoJson } from '../../src/io/geojson.js';
import { frameOf } from '../../src/preprocessing/move-sample.js';
import { createRandom } from '../../src/random.js';
import { openStore } from '../../src/results/store.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { detectRaster, type DetectRasterOptions } from '../../src/studies/detect-raster.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { openDetector, prepareDetector } from '../../src/studies/open-detector.js';
import { runStudy } from '../../src/studies/run-study.js';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { fixtureFolders } from '../support/study-fixtures.js';
import { writeTiff, type TiffTag } from '../support/tiff-writer.js';

const plugin = path.join(root, 'test/fixtures/plugins/tiny-pyramid.ts');
const small = {
  ...{ pyramidChannels: 8, headWidth: 16, anchorSizes: [8, 16, 32, 64] },
  ...{ trainingProposals: 50, proposals: 20, anchorBatch: 32, boxBatch: 16, minScore: 0 },
};
const masks = { ...small, headConvolutions: [8], maskConvolutions: [8], maskWidth: 8 };

const datasets = ['gb2-nz-cattle', 'gb2-substation'];

const [height, width] = [150, 210];
/** Half a metre a pixel, UTM 60 South. */
const place: readonly TiffTag[] = [
  [33550, 12, [0.5, 0.5, 0]],
  [33922, 12, [0, 0, 0, 300_000, 5_200_000, 0]],
  [34735, 3, [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32760]],
];

describe('a raster and a trained run', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-detect-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => path.join(folder, name);
  const store = file('store');
  let boxes: RunRecord;
  let instances: RunRecord;

  beforeAll(async () => {
    await loadPlugin(plugin);
    const run = async (dataset: string, decoder: object, encoderMode: string) => {
      const { records, failed } = await runStudy(
        {
          ...{ name: dataset, title: 'What is found?', protocol: 'geobench2', datasets: [dataset] },
          ...{ encoders: ['tiny-pyramid'], decoders: [decoder as { id: string }], seeds: [0] },
          ...{ keepWeights: true, data: fixtureFolders(datasets) },
          settings: { epochs: 1, batchSize: 2, inputSize: 64, encoderMode },
        },
        { store: path.join(store, dataset) },
      );
      expect(failed.map(({ error }) => error)).toEqual([]);
      return records.find(({ definition }) => definition.encoder !== 'none')!;
    };
    boxes = await run('gb2-nz-cattle', { id: 'faster-rcnn', options: small }, 'fine-tuned');
    instances = await run('gb2-substation', { id: 'mask-rcnn', options: masks }, 'frozen');
    const random = createRandom(4);
    const pixels = Uint8Array.from({ length: height * width * 3 }, () => random.integer(256));
    writeFileSync(file('place.tif'), writeTiff(pixels, { height, width, bands: 3 }, place));
    const bands = 13; // those of Sentinel-2
    const many = Uint8Array.from({ length: height * width * bands }, () => random.integer(256));
    writeFileSync(file('sentinel.tif'), writeTiff(many, { height, width, bands }, place));
    writeFileSync(file('nowhere.tif'), writeTiff(pixels, { height, width, bands: 3 }));
    writeFileSync(
      file('grey.tif'),
      writeTiff(pixels.subarray(0, height * width), { height, width, bands: 1 }, place),
    );
  });

  it('give polygons in the coordinates of the raster, by one command', async () => {
    const out = file('cattle.geojson');
    const args = [
      'detect',
      path.join(store, 'gb2-nz-cattle'),
      '--run',
      boxes.id.slice(0, 10),
      '--plugin',
      plugin,
    ];
    const { code, stdout, stderr } = await gondwana([
      ...[...args, '--input', file('place.tif'), '--out', out, '--min-score', '0', '--json'],
      ...['--window', '64', '--overlap', '20'],
    ]);
    expect(code, stderr).toBe(0);
    const document = JSON.parse(stdout) as { detections: number; window: number; run: string };
    expect(document).toMatchObject({ run: boxes.id, window: 64, overlap: 20, minScore: 0 });
    const { features, crs } = readGeoJson(out);
    expect(crs).toBe('urn:ogc:def:crs:EPSG::32760');
    expect(features.length).toBe(document.detections);
    expect(features.length).toBeGreaterThan(0);
    const corners = features.flatMap(({ geometry }) =>
      (geometry as unknown as { coordinates: number[][][] }).coordinates.flat(),
    );
    for (const [x, y] of corners) {
      expect(x).toBeGreaterThanOrEqual(300_000 - 1e-6);
      expect(x).toBeLessThanOrEqual(300_000 + 0.5 * width + 1e-3); // sides are float32
      expect(y).toBeLessThanOrEqual(5_200_000 + 1e-6);
      expect(y).toBeGreaterThanOrEqual(5_200_000 - 0.5 * height - 1e-3);
    }
    // somewhere beyond the first window
    expect(Math.max(...corners.map(([x]) => x!))).toBeGreaterThan(300_000 + 0.5 * 70);
    expect(features[0]!.properties).toMatchObject({ label: 1 });
  });

  it('give the same again, and masks of Mask R-CNN as polygons of whole pixels', async () => {
    const options = {
      store: path.join(store, 'gb2-substation'),
      run: instances.id,
      file: file('sentinel.tif'),
    };
    const seen: number[] = [];
    const notices: string[] = [];
    const found = await detectRaster({
      ...{ ...options, minScore: 0, window: 96, onProgress: (share) => void seen.push(share) },
      onNotice: (text) => void notices.push(text),
    });
    expect(found.overlap).toBe(24);
    expect(textOf(await bundleOf(found))).toMatch(/^\d+ detections\n +raster/);
    expect(notices.join()).toContain('A pixel of the raster is 0.5 m wide, of gb2-substation 10 m');
    expect(seen.at(-1)).toBe(1);
    expect(await detectRaster({ ...options, minScore: 0, window: 96 })).toMatchObject({
      detections: found.detections,
    });
    const masked = found.detections.filter(({ mask }) => mask !== undefined);
    expect(masked.length).toBeGreaterThan(0);
    for (const { mask } of masked) {
      expect(mask!.row + mask!.mask.height).toBeLessThanOrEqual(height);
      expect(mask!.column + mask!.mask.width).toBeLessThanOrEqual(width);
    }
    await found.writeGeoJson(file('stations.geojson'));
    expect(readGeoJson(file('stations.geojson')).features).toHaveLength(found.detections.length);
  });

  it('are refused by name before anything is computed', async () => {
    const options = { store: path.join(store, 'gb2-nz-cattle'), run: boxes.id, file: file('place.tif') };
    const refused = async (change: Partial<DetectRasterOptions>, code: string) =>
      expect(detectRaster({ ...options, ...change })).rejects.toMatchObject({ code });
    await refused({ run: 'ffff' }, 'RUN_UNKNOWN');
    await refused({ run: '' }, 'RUN_UNKNOWN');
    await refused({ file: file('nowhere.tif') }, 'GEOREFERENCE_MISSING');
    await refused({ file: file('grey.tif') }, 'RASTER_BANDS');
    await refused({ bands: ['red', 'green'] }, 'RASTER_BANDS');
    await refused({ window: 64, overlap: 64, run: 'ffff' }, 'STEP_OPTION');
    await refused({ overlap: 64 }, 'STEP_OPTION'); // longer than the images of the run
    await refused({ window: 12.5 }, 'STEP_OPTION');
    await refused({ minScore: NaN }, 'OPTION_VALUE');
    await refused({ file: path.join(options.store, 'study.json') }, 'NOT_A_RASTER');
    const trivial = openStore(options.store)
      .readAll()
      .records.find(({ definition }) => definition.encoder === 'none')!;
    await refused({ run: trivial.id }, 'TASK_OTHER');
    const stopped = detectRaster({ ...options, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('know the side of what the run was trained on: of images that it resizes, theirs', async () => {
    const data = fixtureFolders(datasets);
    const options = { store: openStore(path.join(store, 'gb2-nz-cattle')), study: { data } };
    const resized = await prepareDetector(boxes, options);
    const dataset = await openDataset('gb2-nz-cattle', data['gb2-nz-cattle']!);
    const [first] = await dataset.entries('train');
    const image = frameOf(await dataset.read('train', first!));
    expect(boxes.definition.settings).toMatchObject({ crop: 'resize', inputSize: 64 });
    expect(resized.size).toBe(Math.max(image.height, image.width));
    expect(resized.gsdM).toBe(dataset.manifest.gsdM);
    const settings = { ...boxes.definition.settings, crop: 'tiles' };
    const tiled = { ...boxes, definition: { ...boxes.definition, settings } };
    expect((await prepareDetector(tiled, options)).size).toBe(64);
  });

  it('leave nothing in memory, a frozen encoder neither', async () => {
    const options = {
      store: openStore(path.join(store, 'gb2-substation')),
      study: { data: fixtureFolders(datasets) },
    };
    const opened = async (): Promise<number> => {
      const detector = await openDetector(instances, options);
      detector.dispose();
      return tf.memory().numTensors;
    };
    expect(await opened()).toBe(await opened());
  });

  it('need their options', async () => {
    const { code, stdout } = await gondwana([
      'detect',
      path.join(store, 'gb2-nz-cattle'),
      '--run',
      'a',
      '--json',
    ]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'OPTION_MISSING' } });
    expect(readFileSync(path.join(store, 'gb2-nz-cattle', 'study.json'), 'utf8')).toContain('keepWeights');
  });
});
