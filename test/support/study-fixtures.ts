import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixture, fixtureCopy } from './fixture-copy.js';

const LAYOUTS: Readonly<Record<string, string>> = {
  biomassters: 'pangaea/biomassters',
  'crop-type-mapping-ss': 'pangaea/croptypemapping',
  'dynamic-earthnet': 'pangaea/dynamicearthnet',
  'five-billion-pixels': 'pangaea/fivebillionpixels',
  'hls-burn-scars': 'pangaea/hlsburnscars',
  mados: 'pangaea/mados',
  'pastis-r': 'pangaea/pastis',
  sen1floods11: 'pangaea/sen1floods11',
  xview2: 'pangaea/xview2',
  'gb2-burn-scars': 'geobench2/burn_scars',
  'gb2-cloudsen12': 'geobench2/cloudsen12',
  'gb2-everwatch': 'geobench2/everwatch',
  'gb2-flair2': 'geobench2/flair2',
  'gb2-nz-cattle': 'geobench2/nzcattle',
  'gb2-pastis-panoptic': 'geobench2/pastis',
  'gb2-spacenet2': 'geobench2/spacenet2',
  'gb2-spacenet7': 'geobench2/spacenet7',
  'gb2-substation': 'geobench2/substation',
};

/** Folders of fixtures by the ids of these datasets, as a study's `data`. */
export const fixtureFolders = (datasets: readonly string[]): Record<string, string> =>
  Object.fromEntries(datasets.map((id) => [id, LAYOUTS[id] ? fixture(LAYOUTS[id]) : geobenchCopy(id)]));

/**
 * The fixture has the lists of whole splits and one file of each: a copy whose lists name the files that are there.
 */
function geobenchCopy(id: string): string {
  const folder = fixtureCopy(`geobench/${id}`);
  const [kind] = readdirSync(folder).filter((name) => /_v1\.0$/.test(name)) as [string];
  const inner = path.join(folder, kind, id);
  const file = path.join(inner, 'default_partition.json');
  const lists = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>;
  const there = Object.entries(lists).map(([split, names]) => [
    split,
    names.filter((name) => existsSync(path.join(inner, `${name}.hdf5`))),
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(there)));
  return folder;
}

/**
 * Whose fixture has every split. SpaceNet 7's has sites of the training split alone; xView2, the other set of changes,
 * stands for it.
 */
export const withFixture = (id: string): string => (id === 'spacenet7-change' ? 'xview2' : id);
