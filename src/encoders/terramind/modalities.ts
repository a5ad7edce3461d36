export interface TerramindModality {
  /** Name of its embedding in the checkpoints. */
  readonly embedding: string;
  /** In the order of the checkpoints. */
  readonly bands: readonly string[];
}

const LEVEL_2A = [
  ...['COASTAL_AEROSOL', 'BLUE', 'GREEN', 'RED', 'RED_EDGE_1', 'RED_EDGE_2', 'RED_EDGE_3'],
  ...['NIR_BROAD', 'NIR_NARROW', 'WATER_VAPOR', 'SWIR_1', 'SWIR_2'],
];
const LEVEL_1C = [...LEVEL_2A.slice(0, 10), 'CIRRUS', ...LEVEL_2A.slice(10)];

/** The modalities of pixels that the published checkpoints know. */
export const TERRAMIND_MODALITIES: Readonly<Record<string, TerramindModality>> = {
  S2L2A: { embedding: 'untok_sen2l2a@224', bands: LEVEL_2A },
  S2L1C: { embedding: 'untok_sen2l1c@224', bands: LEVEL_1C },
  RGB: { embedding: 'untok_sen2rgb@224', bands: ['RED', 'GREEN', 'BLUE'] },
  S1GRD: { embedding: 'untok_sen1grd@224', bands: ['VV', 'VH'] },
  S1RTC: { embedding: 'untok_sen1rtc@224', bands: ['VV', 'VH'] },
  DEM: { embedding: 'untok_dem@224', bands: ['DEM'] },
};
