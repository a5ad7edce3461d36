import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type OpenOptions } from '../../../src/datasets/dataset.js';
import { datasetPlaces } from '../../../src/datasets/places/dataset-places.js';
import { JUPYTER_DISPLAY } from '../../../src/display/showable.js';
import { placesChart } from '../../../src/report/charts/places.js';
import { isGround, previewColors, viridis } from '../../../src/report/preview/colors.js';
import { previewDataset } from '../../../src/report/preview/preview-dataset.js';
import {
  colorView,
  labelView,
  outlineView,
  overlayView,
  planeOf,
  stretchOf,
} from '../../../src/report/preview/raster-view.js';
import { writePreview } from '../../../src/report/preview/write-preview.js';
import { renderChart } from '../../../src/report/render-chart.js';
import { fixture } from '../../support/fixture-copy.js';
import { tempFolder } from '../../support/temp-folder.js';

const bundleOf = (value: object): Record<string, string> =>
  (value as Record<symbol, () => Record<string, string>>)[JUPYTER_DISPLAY]!();

const preview = async (id: string, folder: string, options: OpenOptions = {}) =>
  previewDataset(await openDataset(id, fixture(folder), options), { count: 1 });

describe('a preview', () => {
  it('shows itself in a notebook as one picture, never with HTML beside it', async () => {
    const found = await preview('hls-burn-scars', 'pangaea/hlsburnscars');
    for (const shown of [found, found.samples[0]!]) {
      const bundle = bundleOf(shown);
      expect(Object.keys(bundle).sort()).toEqual(['image/png', 'text/plain']);
      expect(Buffer.from(bundle['image/png']!, 'base64').subarray(1, 4).toString()).toBe('PNG');
    }
    expect(bundleOf(found)['text/plain']).toContain('32 × 32 px');
  });

  it.each([
    [
      'colours and labels with a legend',
      'hls-burn-scars',
      'pangaea/hlsburnscars',
      ['true colour', 'B12, B8A, B4', 'labels over image', 'Burn scar 11.0 %'],
    ],
    [
      'radar, heights, and pixels without a value',
      'gb2-kuro-siwo',
      'geobench2/kuro_siwo',
      ['VV, VH, VV / VH in dB', 'post_event', 'height, m', '>no value<'],
    ],
    [
      'dates and objects',
      'gb2-pastis-panoptic',
      'geobench2/pastis',
      ['6 dates', '2018-09-17', 'outlines', 'instances'],
    ],
    ['before and after', 'xview2', 'pangaea/xview2', ['>before<', '>after<']],
    ['boxes', 'gb2-everwatch', 'geobench2/everwatch', ['boxes', '<polygon', 'Roseate Spoonbill: 1']],
    [
      'values with a bar of colours',
      'biomassters',
      'pangaea/biomassters',
      ['above-ground biomass', '2nd to 98th percentile'],
    ],
    ['a class in words', 'm-eurosat', 'geobench/m-eurosat/classification_v1.0/m-eurosat', ['class: ']],
    ['several classes in words', 'gb2-treesatai', 'geobench2/treesatai', ['classes: ', 'nir, red, green']],
  ])('draws %s', async (_name, id, folder, words) => {
    const { samples, damaged } = await preview(id, folder);
    expect(damaged).toEqual([]);
    for (const word of words) expect(samples[0]!.svg).toContain(word);
  });

  it('takes the samples that are named, and refuses unknown ones', async () => {
    const dataset = await openDataset('gb2-caffe', fixture('geobench2/caffe'));
    const { samples } = await previewDataset(dataset, { samples: ['sample_1'] });
    expect(samples.map(({ id }) => id)).toEqual(['sample_1']);
    await expect(previewDataset(dataset, { samples: ['sample_99'] })).rejects.toMatchObject({
      code: 'SAMPLE_UNKNOWN',
    });
  });

  it('is written as a page that fetches nothing, with a map, and a PNG a sample beside it', async () => {
    const dataset = await openDataset('hls-burn-scars', fixture('pangaea/hlsburnscars'));
    const found = await previewDataset(dataset, { count: 2 });
    const out = path.join(tempFolder(), 'page');
    const files = await writePreview(dataset, found, { out, places: await datasetPlaces(dataset) });
    expect(readdirSync(out).sort()).toEqual(files.map((file) => path.basename(file)).sort());
    expect(files).toHaveLength(3);
    const html = readFileSync(files[0]!, 'utf8');
    expect(html).toContain('Where the samples lie');
    expect(html.match(/aria-label="pictures of sample/g)).toHaveLength(2);
    expect(html).not.toMatch(/(?:src|href)="https?:/);
    // ids of patterns differ, or the first one would fill all
    expect(new Set(html.match(/id="hatch-\w+"/g)).size).toBe(2);
  });
});

describe('what is drawn', () => {
  const image = {
    data: Float32Array.from([0, 9, 1, 9, 2, NaN, 3, 9]),
    valid: Uint8Array.from([1, 1, 1, 1, 1, 1, 0, 1]),
    timeCount: 1,
    height: 2,
    width: 2,
    bands: ['a', 'b'],
  };

  it('hatches pixels without a value, and only those', () => {
    const plane = planeOf(image, 0, 0, 2);
    expect([...plane.values]).toEqual([0, 1, 2, NaN]);
    const { pixels, isHatched } = colorView([plane], [[0, 2]], 2);
    expect(isHatched).toBe(true);
    expect([...pixels.data.subarray(0, 12)]).toEqual([0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255]);
    expect(colorView([planeOf({ ...image, valid: null }, 0, 0, 2)], [[0, 3]], 2).isHatched).toBe(false);
  });

  it('stretches over the pixels that count', () => {
    expect(stretchOf(planeOf(image, 0, 0, 2))).toEqual([0, 2]);
    expect(stretchOf({ values: Float32Array.from([NaN]), height: 1, width: 1 })).toBeNull();
  });

  it('averages a larger image, leaving out what has no value', () => {
    expect([...planeOf(image, 0, 0, 1).values]).toEqual([1]);
  });

  it('lays labels over an image where there are any, and outlines where objects change', () => {
    const under = colorView([planeOf(image, 0, 0, 2)], [[0, 2]], 2);
    const labels = { data: Int16Array.from([0, -1, 0, -1]), height: 2, width: 2 };
    const over = overlayView(under, labels, (label) => (label === 0 ? [200, 0, 100] : undefined));
    expect([...over.pixels.data.subarray(0, 8)]).toEqual([100, 0, 50, 255, 128, 128, 128, 255]);
    expect([...labelView(labels, () => undefined, 2).pixels.data.subarray(0, 3)]).toEqual([226, 228, 231]);
    const objects = { data: Int32Array.from([1, 1, 1, 2]), height: 2, width: 2 };
    expect([...outlineView(under, objects).pixels.data.subarray(12, 15)]).toEqual([255, 235, 60]);
  });

  it('has a colour for each of many classes, none twice, and grey for the ground', () => {
    const names = [
      'background',
      'water',
      'forest',
      ...Array.from({ length: 40 }, (_, index) => `kind ${index}`),
    ];
    const colors = previewColors(names);
    expect(new Set(colors.map(String)).size).toBe(names.length);
    const [, water, forest] = colors;
    expect(water![2]).toBeGreaterThan(water![0]);
    expect(forest![1]).toBeGreaterThan(Math.max(forest![0], forest![2]));
    expect(['No building', 'unlabeled', 'clear', 'No damage'].map(isGround)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(viridis(0)).not.toEqual(viridis(1));
  });
});

describe('the map of places', () => {
  const at = (longitude: number, latitude: number) => ({ sample: 'a', split: 'train', longitude, latitude });
  const chartOf = (...places: ReturnType<typeof at>[]) =>
    placesChart({ dataset: 'x', places, looked: places.length + 1, without: 1, unknownCrs: [] });

  it('shows the part of the Earth that holds all places, across the date line too', () => {
    expect(chartOf(at(10, 50), at(20, 45)).projection).toMatchObject({
      type: 'mercator',
      rotate: [-15, 0, 0],
    });
    const { rotate } = chartOf(at(176, -38), at(-178, -40)).projection as { rotate: number[] };
    expect(Math.abs(rotate[0]!)).toBe(179);
  });

  it('shows the whole Earth where places are far apart or near a pole', () => {
    expect(chartOf(at(-120, 40), at(30, 10), at(140, -30)).projection).toEqual({ type: 'equalEarth' });
    expect(chartOf(at(0, 85)).projection).toEqual({ type: 'equalEarth' });
  });

  it('is drawn without a browser and says how many samples have no place', async () => {
    const chart = chartOf(at(10, 50), at(20, 45));
    expect((chart.usermeta as { notes: string[] }).notes).toEqual(['1 of 3 samples say no place.']);
    const { svg, warnings } = await renderChart(chart);
    expect(warnings).toEqual([]);
    expect(svg).toContain('aria-roledescription="circle"');
  });
});
