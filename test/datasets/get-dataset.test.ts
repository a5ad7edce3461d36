import { describe, expect, it } from 'vitest';
import { datasetSource, getDataset } from '../../src/datasets/get-dataset.js';
import { JUPYTER_DISPLAY } from '../../src/display/showable.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { tempFolder } from '../support/temp-folder.js';

describe('where a dataset is to be had', () => {
  it.each(listManifests('datasets'))(
    'is said with licence, citation and steps that end with a check: %s',
    (id) => {
      const { licence, citation, steps, way, files } = datasetSource(id);
      expect([licence, citation].every((text) => text.trim() !== '')).toBe(true);
      if (way === 'package') expect(steps).toEqual([`gondwana data get ${id}`]);
      else expect(steps.at(-1)).toBe(`gondwana data check ${id} DIR`);
      if (way === 'files')
        expect(files.every(({ url, name }) => url!.endsWith(name.split('/').at(-1)!))).toBe(true);
    },
  );

  it('takes other names, and shows itself with addresses and checksums', () => {
    const source = datasetSource('HLSBurnScars');
    expect(source.id).toBe('hls-burn-scars');
    const show = (datasetSource('gb2-caffe') as unknown as Record<symbol, () => Record<string, string>>)[
      JUPYTER_DISPLAY
    ]!;
    expect(show()['text/plain']).toMatch(
      /sha256 8b2a2e10[\s\S]*geobench_caffe\.tortilla[\s\S]*1\. gondwana data get gb2-caffe/,
    );
  });

  it('is an error with the steps where nothing can be fetched', async () => {
    await expect(getDataset('xview2', tempFolder())).rejects.toMatchObject({
      code: 'DATASET_BY_HAND',
      hint: expect.stringContaining('Register') as string,
    });
  });
});
