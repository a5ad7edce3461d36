import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ExpectedDataset } from '../../../src/parity/layouts/expected.js';
import { datasetsOfFolder, runLayoutParity } from '../../../src/parity/layouts/layout-parity.js';
import { layout, readJson } from '../../support/layouts.js';

const units = readdirSync(layout('geobench2', '')).flatMap((name) =>
  datasetsOfFolder('geobench2', name).map((dataset) => ({ name, dataset })),
);

describe('the nineteen datasets of GEO-Bench-2', () => {
  it.each(units)('$dataset has the counts, ids, numbers and labels of $name', async ({ name, dataset }) => {
    const folder = layout('geobench2', name);
    const expected = readJson(`${folder}/expected.json`) as ExpectedDataset;
    expect(await runLayoutParity(folder, expected, { mode: 'as-published', dataset })).toBeUndefined();
  });

  it('are all there', () => expect(units).toHaveLength(19));
});
