import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runLayoutParity } from '../../../src/parity/layouts/layout-parity.js';
import type { ExpectedDataset } from '../../../src/parity/layouts/expected.js';

const root = path.resolve(import.meta.dirname, '../../fixtures/layouts/pangaea');

/** Python writes NaN bare, which JSON has not. */
const readExpected = (folder: string): ExpectedDataset =>
  JSON.parse(
    readFileSync(path.join(folder, 'expected.json'), 'utf8').replace(/: NaN/g, ': "NaN"'),
  ) as ExpectedDataset;

describe('the eleven datasets of PANGAEA', () => {
  it.each([
    'ai4smallfarms',
    'biomassters',
    'croptypemapping',
    'dynamicearthnet',
    'fivebillionpixels',
    'hlsburnscars',
    'mados',
    'pastis',
    'sen1floods11',
    'spacenet7',
    'xview2',
  ])('%s has the counts, ids, numbers and labels of its fixture', async (name) => {
    const folder = path.join(root, name);
    expect(await runLayoutParity(folder, readExpected(folder), { mode: 'as-published' })).toBeUndefined();
  });
});
