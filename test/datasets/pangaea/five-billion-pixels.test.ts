import { renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

describe('five-billion-pixels', () => {
  it('reads near infrared first, and keeps class 0 as what is left out', async () => {
    const dataset = await openDataset('five-billion-pixels', fixture('pangaea/fivebillionpixels'));
    const [entry] = await dataset.entries('val');
    const { images, target } = await dataset.read('val', entry!);
    expect(images.optical!.bands).toEqual(['B8', 'B4', 'B3', 'B2']);
    expect(dataset.manifest.labels.ignoreIndex).toBe(0);
    expect(target).toMatchObject({ kind: 'mask', labels: { height: 40, width: 40 } });
  });

  it('pairs images and labels by their places, whatever the labels are called', async () => {
    const folder = fixtureCopy('pangaea/fivebillionpixels');
    const labels = path.join(folder, 'val/labels');
    const name = 'GF2_PMS2__L1A0000607681-MSS2_0_0';
    renameSync(path.join(labels, `${name}.tif`), path.join(labels, `${name}_24label.tif`));
    const dataset = await openDataset('five-billion-pixels', folder);
    expect((await dataset.read('val', `${name}.tif`)).target).toMatchObject({ kind: 'mask' });
  });
});
