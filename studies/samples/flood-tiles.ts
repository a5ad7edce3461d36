import path from 'node:path';
import { defineDataset, readRaster, type SampleImage, type SampleParts } from 'gondwana';
import { imageInMemory, once } from './folder.ts';

const CHIP = 'Spain_7370579';
/** Side of a tile, pixels; the chip has 512. */
const SIDE = 16;
const TILES = 512 / SIDE;
const DATES = { optical: '2019-09-18', sar: '2019-09-17' };
const BANDS = {
  optical: ['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B8A', 'B9', 'B10', 'B11', 'B12'],
  sar: ['VV', 'VH'],
  ndvi: ['NDVI'],
};

const chipOf = once(async (folder) => {
  const read = (kind: string) => readRaster(path.join(folder, `${CHIP}_${kind}Hand.tif`));
  const [optical, sar, labels] = await Promise.all([read('S2'), read('S1'), read('Label')]);
  return { optical, sar, labels };
});

type Chip = Awaited<ReturnType<typeof chipOf>>;

interface Tile {
  readonly id: string;
  readonly row: number;
  readonly column: number;
}

/**
 * Columns of tiles. The halves are those of the reference; its test of pixels leaves one column between them. Every eighth
 * tile on the left chooses the epoch.
 */
function tilesOf(split: string, columns: { readonly train: number; readonly test: number }): Tile[] {
  const all = Array.from({ length: TILES * TILES }, (_, index) => ({
    row: Math.floor(index / TILES),
    column: index % TILES,
  }));
  const isVal = ({ row, column }: { row: number; column: number }): boolean => (row + column) % 8 === 0;
  return all
    .filter((tile) => {
      if (split === 'test') return tile.column >= columns.test;
      return tile.column < columns.train && isVal(tile) === (split === 'val');
    })
    .map((tile) => ({ ...tile, id: `r${tile.row}-c${tile.column}` }));
}

function tileOf(chip: Chip, { row, column }: Tile): { images: SampleParts['images']; labels: Int16Array } {
  const cut = (data: ArrayLike<number>, bandCount: number): Float32Array =>
    Float32Array.from({ length: SIDE * SIDE * bandCount }, (_, at) => {
      const [pixel, band] = [Math.floor(at / bandCount), at % bandCount];
      const [y, x] = [row * SIDE + Math.floor(pixel / SIDE), column * SIDE + (pixel % SIDE)];
      return data[(y * 512 + x) * bandCount + band]!;
    });
  const image = (name: 'optical' | 'sar', data: Float32Array): SampleImage => ({
    ...imageInMemory(data, { height: SIDE, width: SIDE, bands: BANDS[name], dates: [DATES[name]] }),
    valid: Uint8Array.from(data, (value) => (Number.isNaN(value) ? 0 : 1)),
  });
  const optical = cut(chip.optical.data, BANDS.optical.length);
  const ndvi = Float32Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [red, infrared] = [3, 7].map((band) => optical[pixel * BANDS.optical.length + band]!);
    return infrared! + red! === 0 ? 0 : (infrared! - red!) / (infrared! + red!);
  });
  return {
    images: {
      optical: image('optical', optical),
      sar: image('sar', cut(chip.sar.data, BANDS.sar.length)),
      ndvi: imageInMemory(ndvi, { height: SIDE, width: SIDE, bands: BANDS.ndvi, dates: [DATES.optical] }),
    },
    labels: Int16Array.from(cut(chip.labels.data, 1)),
  };
}

const modalities = {
  optical: { sensor: 'sentinel-2', bands: BANDS.optical },
  sar: { sensor: 'sentinel-1', bands: BANDS.sar },
  ndvi: { bands: BANDS.ndvi },
};
const common = { modalities, gsdM: 10, imageSize: [SIDE, SIDE] } as const;

const NO_DATA = 255;

/** Water, pixel by pixel: train left of column 256, test from column 272. */
export const floodTiles = defineDataset('flood-tiles', {
  manifest: {
    ...common,
    title: 'Tiles of one flood chip',
    task: 'segmentation',
    classes: ['land', 'water'],
    labels: { ignoreIndex: NO_DATA },
  },
  entries: (split) => tilesOf(split, { train: 16, test: 17 }),
  async read(tile, { root }) {
    const { images, labels } = tileOf(await chipOf(root), tile);
    const data = Uint8Array.from(labels, (label) => (label < 0 ? NO_DATA : label));
    const map = { data, height: SIDE, width: SIDE };
    return { images, target: { kind: 'mask', labels: map, stored: map } };
  },
});

/** Share of water of every tile, left half against right half. */
export const floodShare = defineDataset('flood-share', {
  manifest: { ...common, title: 'Share of water of a tile', task: 'regression', classes: ['share of water'] },
  entries: (split) => tilesOf(split, { train: 16, test: 16 }),
  async read(tile, { root }) {
    const { images, labels } = tileOf(await chipOf(root), tile);
    const values = Float32Array.from(labels, (label) => (label === 1 ? 1 : 0));
    const valid = Uint8Array.from(labels, (label) => (label < 0 ? 0 : 1));
    return { images, target: { kind: 'values', values, height: SIDE, width: SIDE, valid } };
  },
});

/** Whether more than half of a tile is water. */
export const floodClass = defineDataset('flood-class', {
  manifest: {
    ...common,
    title: 'Tiles that are mostly water',
    task: 'classification',
    classes: ['land', 'water'],
  },
  entries: (split) => tilesOf(split, { train: 16, test: 16 }),
  async read(tile, { root }) {
    const { images, labels } = tileOf(await chipOf(root), tile);
    const water = labels.filter((label) => label === 1).length;
    return { images, target: { kind: 'class', label: water > (SIDE * SIDE) / 2 ? 1 : 0 } };
  },
});
