import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDataset, type DatasetCheck } from '../../../src/datasets/check/check-dataset.js';
import { openDataset, type Dataset } from '../../../src/datasets/dataset.js';
import type { Sample, SampleImage } from '../../../src/datasets/sample.js';
import { JUPYTER_DISPLAY } from '../../../src/display/showable.js';
import { describeReal, realData } from '../../support/layouts.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const codes = ({ findings }: DatasetCheck, severity?: string): string[] =>
  findings
    .filter((finding) => severity === undefined || finding.severity === severity)
    .map(({ code }) => code);

const messageOf = ({ findings }: DatasetCheck, code: string): string =>
  findings.find((finding) => finding.code === code)?.message ?? `no ${code}`;

/** The dataset with every image changed. */
const altered = (dataset: Dataset, change: (image: SampleImage) => SampleImage): Dataset => ({
  ...dataset,
  read: async (split, entry) => {
    const sample = await dataset.read(split, entry);
    const images = Object.entries(sample.images).map(([name, image]) => [name, change(image)] as const);
    return { ...sample, images: Object.fromEntries(images) };
  },
});

function exchanged(image: SampleImage, a: number, b: number): SampleImage {
  const data = image.data.slice();
  for (let pixel = 0; pixel < data.length; pixel += image.bands.length)
    [data[pixel + a], data[pixel + b]] = [image.data[pixel + b]!, image.data[pixel + a]!];
  return { ...image, data };
}

const openHls = (root = fixture('pangaea/hlsburnscars')): Promise<Dataset> =>
  openDataset('hls-burn-scars', root);

describe('a check of a dataset', () => {
  it('compares counts, and says what numbers are compared with and how closely', async () => {
    const check = await checkDataset(await openHls());
    expect(check.splits).toMatchObject([
      { split: 'train', listed: 5, official: 486, read: 5, damaged: 0 },
      { split: 'val', listed: 1, official: 54 },
      { split: 'test', listed: 2, official: 264 },
    ]);
    expect(codes(check, 'error')).toEqual(['SPLIT_COUNT', 'SPLIT_COUNT', 'SPLIT_COUNT']);
    expect(check.isFine).toBe(false);
    expect(check.isWhole).toBe(true);
    expect(check.filesNamed).toBe(16);
    expect(check.basis[0]).toMatchObject({ modality: 'optical', source: 'PANGAEA configuration' });
    expect(check.basis[0]!.tolerance).toMatch(/standard errors.*since 5 samples say little/);
    expect(check.bands).toHaveLength(6);
    expect(check.bands.every(({ agrees }) => agrees === true)).toBe(true);
  });

  it('names red and blue where they are exchanged', async () => {
    const check = await checkDataset(altered(await openHls(), (image) => exchanged(image, 0, 2)));
    expect(codes(check, 'error')).toContain('BAND_ORDER');
    expect(messageOf(check, 'BAND_ORDER')).toMatch(
      /^B2 and B4 are exchanged: band 1 \(B2\) looks like the manifest's band 3 \(B4\); band 3 \(B4\) looks like/,
    );
  });

  it('tells another scale from another scene', async () => {
    const check = await checkDataset(
      altered(await openHls(), (image) => ({
        ...image,
        data: Float32Array.from(image.data, (value) => 10_000 * value),
      })),
    );
    expect(messageOf(check, 'BAND_SCALE')).toMatch(/^Values are about 1[0-9]000 times those of the manifest/);
    expect(codes(check)).not.toContain('BAND_ORDER');
  });

  it('finds bands that are constant, empty, or mostly without a value', async () => {
    const change = (image: SampleImage): SampleImage => {
      const data = image.data.slice();
      const valid = new Uint8Array(data.length).fill(1);
      for (let pixel = 0; pixel < data.length; pixel += image.bands.length) {
        data[pixel + 1] = 7;
        valid[pixel + 2] = 0;
        if (pixel % 5 !== 0) valid[pixel + 3] = 0;
      }
      return { ...image, data, valid };
    };
    const check = await checkDataset(altered(await openHls(), change));
    expect(messageOf(check, 'BAND_CONSTANT')).toBe('Every pixel of B3 is 7.');
    expect(messageOf(check, 'BAND_EMPTY')).toMatch(/^No pixel of B4 has a value/);
    expect(messageOf(check, 'BAND_MOSTLY_INVALID')).toMatch(/^80\.\d % of the pixels of B8A/);
  });

  it('goes on after damaged files and lists them all, each with the code of its fault', async () => {
    const root = fixtureCopy('pangaea/hlsburnscars');
    const dataset = await openHls(root);
    const [first, second, third] = await dataset.entries('train');
    const file = (entry: { id: string }): string => path.join(root, 'training', entry.id);
    truncateSync(file(first!), 700);
    writeFileSync(file(second!), '<!doctype html><title>Not found</title>');
    writeFileSync(file(third!), '');
    const check = await checkDataset(dataset);
    expect(check.splits[0]).toMatchObject({ listed: 5, read: 2, damaged: 3 });
    expect(
      codes(check, 'error')
        .filter((code) => code !== 'SPLIT_COUNT')
        .sort(),
    ).toEqual(['EMPTY_FILE', 'FILE_MISSING', 'NOT_A_RASTER', 'TRUNCATED']);
    const told = check.findings.find(({ code }) => code === 'NOT_A_RASTER')!;
    expect(told.where).toContain(second!.id);
    expect(told.hint).not.toBe('');
  });

  it('finds samples that two splits share, by their id, by their file, and by their pixels', async () => {
    const root = fixtureCopy('pangaea/sen1floods11');
    const lists = path.join(root, 'v1.1/splits/flood_handlabeled');
    const [line] = readFileSync(path.join(lists, 'flood_train_data.csv'), 'utf8').split('\n');
    writeFileSync(path.join(lists, 'flood_valid_data.csv'), `${line!}\n`);
    const twice = await checkDataset(await openDataset('sen1floods11', root));
    const leaks = twice.findings.filter(({ code }) => code === 'SPLIT_LEAK');
    expect(leaks).toMatchObject([{ where: 'train and val' }]); // once, by its id
    expect(twice.findings.find(({ where }) => where === 'val')!.message).toMatch(/^1 sample; the official/);

    const copied = fixtureCopy('pangaea/hlsburnscars');
    const dataset = await openHls(copied);
    const train = (await dataset.entries('train'))[0]!.id;
    const test = (await dataset.entries('test'))[0]!.id;
    copyFileSync(path.join(copied, 'training', train), path.join(copied, 'validation', test));
    const leaked = await checkDataset(await openHls(copied));
    const leak = leaked.findings.find(({ code }) => code === 'SPLIT_LEAK');
    expect(leak).toMatchObject({ severity: 'error', where: 'train and test' });
    expect(leak!.message).toContain(`equal pixels: ${train} and ${test}`);
  });

  it('tells labels that are no class, and files that a list names and that are gone', async () => {
    const dataset = await openDataset(
      'm-eurosat',
      fixture('geobench/m-eurosat/classification_v1.0/m-eurosat'),
    );
    const wrong: Dataset = {
      ...dataset,
      read: async (split, entry) => {
        const sample: Sample = await dataset.read(split, entry);
        return { ...sample, target: { kind: 'class', label: 10 } };
      },
    };
    expect(messageOf(await checkDataset(wrong), 'LABEL_OUTSIDE')).toContain('10 (');

    const root = fixtureCopy('pangaea/hlsburnscars');
    const hls = await openHls(root);
    await hls.entries('test');
    const [entry] = await hls.entries('test');
    rmSync(path.join(root, 'validation', entry!.id));
    expect(messageOf(await checkDataset(hls, { split: 'test' }), 'FILE_MISSING')).toMatch(/^1 of 4 files/);
  });

  it('reads samples spread over a split up to a limit, refuses a wrong one, and stops when asked to', async () => {
    const dataset = await openHls();
    const check = await checkDataset(dataset, { limit: 2, split: 'train' });
    expect(check.splits).toMatchObject([{ listed: 5, read: 2 }]);
    expect(check.isWhole).toBe(false);
    await expect(checkDataset(dataset, { limit: 0 })).rejects.toMatchObject({ code: 'OPTION_VALUE' });
    await expect(checkDataset(dataset, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'STOPPED',
    });
  });

  it('goes on to the other splits where the list of one is gone', async () => {
    const root = fixtureCopy('pangaea/mados');
    rmSync(path.join(root, 'splits/val_X.txt'));
    const check = await checkDataset(await openDataset('mados', root));
    expect(check.splits.find(({ split }) => split === 'val')).toMatchObject({ listed: null });
    expect(check.splits.find(({ split }) => split === 'test')!.read).toBeGreaterThan(0);
    expect(codes(check, 'error')).toContain('FILE_MISSING');
  });

  it('shows itself with its findings first', async () => {
    const check = await checkDataset(await openHls(), { split: 'val' });
    const show = (check as unknown as Record<symbol, () => Record<string, string>>)[JUPYTER_DISPLAY]!;
    expect(show()['text/html']).toMatch(/errors were found[\s\S]*SPLIT_COUNT/);
  });
});

describeReal('a check of published samples', () => {
  it('finds no band out of order', async () => {
    const root = path.join(realData, 'geobench2-tortilla');
    for (const id of ['gb2-benv2', 'gb2-flair2', 'gb2-treesatai']) {
      const folder = fixtureCopyOf(root, id);
      const check = await checkDataset(await openDataset(id, folder));
      expect(
        check.findings.filter(({ code, severity }) => /^BAND/.test(code) && severity === 'error'),
      ).toEqual([]);
      expect(check.bands.filter(({ agrees }) => agrees === false)).toEqual([]);
    }
  });
});

/** A folder with one container alone: others beside it are of other datasets. */
function fixtureCopyOf(root: string, id: string): string {
  const name = `${id.replace('gb2-', '')}.tortilla`;
  const folder = fixtureCopy('geobench2/caffe');
  rmSync(path.join(folder, 'geobench_caffe.tortilla'));
  copyFileSync(path.join(root, name), path.join(folder, name));
  return folder;
}
