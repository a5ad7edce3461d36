import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../src/datasets/dataset.js';
import { getDatasetDefinition } from '../../src/datasets/registry.js';
import { getDecoder } from '../../src/decoders/registry.js';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { loadedPlugins, loadPlugin } from '../../src/studies/load-plugin.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { tempFolder } from '../support/temp-folder.js';

function write(text: string, name = 'plugin.ts'): string {
  const file = path.join(tempFolder(), name);
  writeFileSync(file, text);
  return file;
}

function pipe(): string {
  const file = path.join(tempFolder(), 'pipe.ts');
  spawnSync('mkfifo', [file]);
  return file;
}

const DECODER = `export const mine = { id: 'my-decoder', build: () => () => { throw new Error('never run'); } };\n`;
const DATASET = `import { defineDataset } from 'gondwana';
export const fields = defineDataset('my-fields', {
  manifest: { task: 'segmentation', modalities: { optical: { bands: ['red', 'nir'] } }, classes: ['no', 'yes'], splits: ['train'] },
  entries: (split: string) => [{ id: split + '-1' }],
  read: () => Promise.resolve({ images: {}, target: { kind: 'class', label: 1 } }),
});\n`;

describe('a plugin', () => {
  it('adds its datasets and decoders, whose ids go where an id goes', async () => {
    const file = write(`${DATASET}${DECODER}export const note = 'left alone';\n`);
    expect(await loadPlugin(file)).toEqual({
      file,
      datasets: ['my-fields'],
      encoders: [],
      decoders: ['my-decoder'],
    });
    expect(loadedPlugins()).toContain(file);
    expect(listManifests('datasets')).toContain('my-fields');
    expect(readDatasetManifest('my-fields').modalities['optical']!.bands.map(({ id }) => id)).toEqual([
      'red',
      'nir',
    ]);
    expect((await getDatasetDefinition('my-fields')).id).toBe('my-fields');
    const dataset = await openDataset('my-fields', path.dirname(file));
    expect((await dataset.read('train', 'train-1')).target).toEqual({ kind: 'class', label: 1 });
    expect((await getDecoder('my-decoder')).id).toBe('my-decoder');
  });

  it('is part of the identity of the runs that use it, wherever its file lies, and of no others', async () => {
    const study = {
      name: 'mine',
      title: 'Mine?',
      protocol: 'neon-crowns',
      datasets: ['neon-crowns'],
      encoders: ['efficientnet-lite0'],
      decoders: ['my-decoder', 'unet'],
      seeds: [0],
    };
    const planned = async (): Promise<(readonly [string, string, unknown])[]> =>
      (await planStudy(study)).runs.map(({ id, definition }) => [id, definition.decoder, definition.own]);
    await loadPlugin(write(DECODER));
    const first = await planned();
    expect(first[0]![2]).toEqual({ 'my-decoder': expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(first.slice(1).map(([, , own]) => own)).toEqual([undefined, undefined, undefined]);
    await loadPlugin(write(DECODER));
    expect(await planned()).toEqual(first);
    await loadPlugin(write(`${DECODER}// changed\n`));
    const changed = await planned();
    expect(changed[0]![0]).not.toBe(first[0]![0]);
    expect(changed.slice(1)).toEqual(first.slice(1));
  });

  it.each([
    ['that is not there', () => 'nowhere.ts', 'PLUGIN_FILE'],
    ['that exports nothing of use', () => write('export const a = 1;'), 'PLUGIN_EMPTY'],
    ['that is not TypeScript', () => write('export const ='), 'PLUGIN_FILE'],
    ['that is a pipe, which nobody writes to', () => pipe(), 'PLUGIN_FILE'],
    ['that throws', () => write('throw new Error("as planned");'), 'PLUGIN_FILE'],
    ['that ends the process', () => write('process.exit(0);'), 'PLUGIN_FILE'],
    ['that takes an id of ours', () => write(DECODER.replace('my-decoder', 'unet')), 'ID_TAKEN'],
    ['that takes a dataset of ours', () => write(DATASET.replace('my-fields', 'm-eurosat')), 'ID_TAKEN'],
  ])('%s is refused by name', async (_, make, code) => {
    await expect(loadPlugin(make())).rejects.toMatchObject({ code });
  });
});
