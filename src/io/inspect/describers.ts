import type { Describer } from './description.js';

/** Describers by kind of file: those of `formatOf`. The kind `checkpoint` has its own elsewhere. */
export const describers = {
  raster: async () => (await import('./raster.js')).describeRaster,
  hdf5: async () => (await import('./hdf5.js')).describeHdf5,
  npy: async () => (await import('./npy.js')).describeNpy,
  npz: async () => (await import('./npy.js')).describeNpz,
  zarr: async () => (await import('./zarr.js')).describeZarr,
  parquet: async () => (await import('./parquet.js')).describeParquet,
  taco: async () => (await import('./taco.js')).describeTaco,
  csv: async () => (await import('./table.js')).describeCsv,
  geojson: async () => (await import('./table.js')).describeGeoJson,
} satisfies Readonly<Record<string, () => Promise<Describer>>>;

export type DescribedFormat = keyof typeof describers;
