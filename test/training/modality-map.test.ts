import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { mapModalities } from '../../src/training/modality-map.js';

const map = (encoder: string, dataset: string, choice: Partial<Parameters<typeof mapModalities>[2]> = {}) =>
  mapModalities(readEncoderManifest(encoder), readDatasetManifest(dataset), {
    ...{ modalities: 'all', modalityMap: '', isRandom: false },
    ...choice,
  });

describe('modalities of a dataset and an encoder', () => {
  it.each([
    ['croma-joint', 'pastis-r', { optical: 'optical', sar: 'sar' }],
    ['croma-sar', 'pastis-r', { sar: 'sar' }],
    ['terramind-v1-base', 'gb2-benv2', { S2L2A: 's2', S1GRD: 's1' }],
    ['dofa-base', 'gb2-so2sat', { optical: 's2', sar: 's1' }],
    ['prithvi-v1-100m', 'gb2-cloudsen12', { optical: 's2' }],
    ['ssl4eo-mae-sar', 'sen1floods11', { sar: 'sar' }],
  ])('%s on %s', (encoder, dataset, expected) => {
    expect(map(encoder, dataset)).toEqual(expected);
  });

  it('are those that are named', () => {
    expect(map('croma-joint', 'pastis-r', { modalities: 'optical' })).toEqual({ optical: 'optical' });
    expect(map('dofa-base', 'gb2-pastis', { modalityMap: 'sar=s1_desc' })).toMatchObject({ sar: 's1_desc' });
  });

  it('go into one image where they are named together and the encoder starts at random', () => {
    const choice = { modalities: 'optical+sar', isRandom: true };
    expect(map('unet', 'sen1floods11', choice)).toEqual({ optical: 'optical+sar' });
    expect(map('unet', 'sen1floods11', { ...choice, isRandom: false })).toEqual({ optical: 'optical' });
  });

  it.each([
    [{ modalities: 'radar' }, 'There is no modality "radar" in dataset pastis-r'],
    [{ modalityMap: 'optical=s2' }, 'There is no modality "s2"'],
    [{ modalityMap: 'infrared=optical' }, 'in encoder croma-joint'],
  ])('refuse %o', (choice, message) => {
    expect(() => map('croma-joint', 'pastis-r', choice)).toThrowError(
      expect.objectContaining({ code: 'MODALITIES', message: expect.stringContaining(message) as string }),
    );
  });

  it('refuse an encoder of radar for a dataset that has none', () => {
    expect(() => map('croma-joint', 'm-forestnet', { modalityMap: '' })).not.toThrow();
    expect(() => map('terramind-v1-base', 'gb2-caffe')).toThrowError(
      expect.objectContaining({ code: 'MODALITIES' }),
    );
  });
});
