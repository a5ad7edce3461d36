import { z } from 'zod';
import { readManifest } from './read-manifest.js';

export interface SensorBand {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Centre wavelength. */
  readonly wavelengthNm: number;
  /** Ground sampling distance. */
  readonly gsdM: number;
}

export interface SensorManifest {
  readonly id: string;
  readonly title: string;
  readonly bands: readonly SensorBand[];
  readonly hash: string;
}

const schema = z.strictObject({
  id: z.string(),
  title: z.string(),
  bands: z.array(
    z.strictObject({
      name: z.string(),
      aliases: z.array(z.string()),
      wavelengthNm: z.number().positive(),
      gsdM: z.number().positive(),
    }),
  ),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readSensorManifest = (id: string): SensorManifest => readManifest('sensors', id, schema);
