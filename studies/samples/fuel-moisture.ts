import path from 'node:path';
import { defineDataset, readNpy } from 'gondwana';
import { imageInMemory, once } from './folder.ts';

/** Columns of a series by modality of Presto. */
const COLUMNS = {
  sar: { bands: ['VV', 'VH'], from: [0, 1] },
  optical: {
    bands: ['B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B8A', 'B11', 'B12'],
    from: [2, 3, 4, 5, 6, 7, 8, 9, 11, 12],
  },
  era5: { bands: ['temperature', 'precipitation'], from: [13, 14] },
  srtm: { bands: ['elevation', 'slope'], from: [15, 16] },
} as const;
const COLUMN_COUNT = 18;
/** The files say no year, and the encoder reads the month alone. */
const YEAR = 2018;

const tablesOf = once(async (folder) => {
  const read = async (name: string) => readNpy(path.join(folder, `${name}.npy`));
  const [series, cover, place, month, target, isTest] = await Promise.all(
    ['s1_s2_era5_srtm', 'dynamic_world', 'latlon', 'month', 'target', 'is_test'].map(read),
  );
  const numbers = (table: typeof series): ArrayLike<number> =>
    Float64Array.from(table!.data as never, Number);
  return {
    ...{ series: numbers(series), cover: numbers(cover), place: numbers(place), month: numbers(month) },
    ...{ target: numbers(target), isTest: numbers(isTest), dateCount: series!.shape[1]! },
  };
});

const bandsOf = (names: readonly string[]): { bands: readonly string[] } => ({ bands: names });

/** Series of single pixels and a number each: live fuel moisture in %, or severity of algae blooms. */
function pixelSeries(id: string, title: string) {
  return defineDataset(id, {
    manifest: {
      title,
      task: 'regression',
      modalities: {
        optical: { sensor: 'sentinel-2', bands: COLUMNS.optical.bands },
        sar: { sensor: 'sentinel-1', bands: COLUMNS.sar.bands },
        era5: bandsOf(COLUMNS.era5.bands),
        srtm: bandsOf(COLUMNS.srtm.bands),
        'dynamic-world': { bands: ['class'] },
      },
      classes: ['value'],
      splits: ['train', 'test'],
    },
    async entries(split, { root }) {
      const { isTest } = await tablesOf(root);
      return Array.from(isTest, (value, row) => ({ id: `series-${row}`, row, isTest: value === 1 })).filter(
        (entry) => entry.isTest === (split === 'test'),
      );
    },
    async read({ row }, { root }) {
      const { series, cover, place, month, target, dateCount } = await tablesOf(root);
      const range = Array.from({ length: dateCount }, (_, date) => row * dateCount + date);
      const first = month[range[0]!]!;
      const dates = range.map((_, date) => {
        const months = first + date;
        return `${YEAR + Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
      });
      const at = {
        crs: 'EPSG:4326',
        // a pixel whose middle is the place
        transform: [1e-4, 0, place[row * 2 + 1]! - 5e-5, 0, -1e-4, place[row * 2]! + 5e-5],
      } as const;
      const image = (bands: readonly string[], numbers: readonly number[]) =>
        imageInMemory(Float32Array.from(numbers), { height: 1, width: 1, bands, dates }, at);
      const images = Object.fromEntries(
        Object.entries(COLUMNS).map(([name, { bands, from }]) => [
          name,
          image(
            bands,
            range.flatMap((step) => from.map((column) => series[step * COLUMN_COUNT + column]!)),
          ),
        ]),
      );
      const land = image(
        ['class'],
        range.map((step) => cover[step]!),
      );
      return {
        images: { ...images, 'dynamic-world': land },
        target: { kind: 'values', values: Float64Array.of(target[row]!), height: 1, width: 1, valid: null },
      };
    },
  });
}

export const fuelMoisture = pixelSeries('fuel-moisture', 'Live fuel moisture, %');
export const algaeBlooms = pixelSeries('algae-blooms', 'Severity of algae blooms, 1 … 5');
