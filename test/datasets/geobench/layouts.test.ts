import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ExpectedDataset } from '../../../src/parity/layouts/expected.js';
import { datasetsOfFolder, runLayoutParity } from '../../../src/parity/layouts/layout-parity.js';
import { layout, readJson } from '../../support/layouts.js';

const folders = readdirSync(layout('geobench', ''));

describe('the twelve datasets of GEO-Bench', () => {
  it.each(folders)('%s has the counts, ids, numbers and labels of its fixture', async (name) => {
    const folder = layout('geobench', name);
    const expected = readJson(`${folder}/expected.json`) as ExpectedDataset;
    expect(datasetsOfFolder('geobench', name)).toHaveLength(1);
    expect(await runLayoutParity(folder, expected, { mode: 'as-published' })).toBeUndefined();
  });

  it('are all there', () => expect(folders).toHaveLength(12));
});
