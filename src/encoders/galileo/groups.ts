/** What the tokens of a group vary over. */
export type GroupKind = 'space-time' | 'space' | 'time' | 'static';

/** Bands that share a token. */
export interface BandGroup {
  /** In the checkpoint. */
  readonly name: string;
  /** Image of the batch that holds them. */
  readonly image: string;
  /** Bands of that image. */
  readonly columns: readonly number[];
}

const group = (name: string, image: string, columns: readonly number[]): BandGroup => ({
  name,
  image,
  columns,
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Groups by kind, in the order of the checkpoint's tables. */
export const GALILEO_GROUPS: Readonly<Record<GroupKind, readonly BandGroup[]>> = {
  'space-time': [
    group('S1', 'sar', [0, 1]),
    group('S2_RGB', 'optical', [0, 1, 2]),
    group('S2_Red_Edge', 'optical', [3, 4, 5]),
    group('S2_NIR_10m', 'optical', [6]),
    group('S2_NIR_20m', 'optical', [7]),
    group('S2_SWIR', 'optical', [8, 9]),
    group('NDVI', 'ndvi', [0]),
  ],
  space: [
    group('SRTM', 'srtm', [0, 1]),
    group('DW', 'dynamic-world', upTo(9)),
    group('WC', 'world-cover', upTo(5)),
  ],
  time: [
    group('ERA5', 'era5', [0, 1]),
    group('TC', 'terra-climate', [0, 1, 2]),
    group('VIIRS', 'viirs', [0]),
  ],
  static: [
    group('LS', 'landscan', [0]),
    group('location', 'location', [0, 1, 2]),
    group('DW_static', 'dynamic-world-static', upTo(9)),
    group('WC_static', 'world-cover-static', upTo(5)),
  ],
};

/** Bands of an image that the groups divide among them. */
export const bandCountOf = (image: string): number =>
  Object.values(GALILEO_GROUPS)
    .flat()
    .filter((entry) => entry.image === image)
    .reduce((sum, { columns }) => sum + columns.length, 0);
