import { z } from 'zod';
import { listManifests, readManifest } from './read-manifest.js';

export interface SensorBand {
  readonly name: string;
  /** Other names of the same band, in releases and encoders. */
  readonly aliases: readonly string[];
  /** Centre wavelength; null for radar, heights and masks. */
  readonly wavelengthNm: number | null;
  /** Ground sampling distance; null where it is that of the flight. */
  readonly gsdM: number | null;
}

export interface SensorManifest {
  readonly id: string;
  readonly title: string;
  readonly kind: 'optical' | 'radar' | 'elevation';
  /** Empty where bands have no names of their own. */
  readonly bands: readonly SensorBand[];
  readonly hash: string;
}

const schema = z.strictObject({
  id: z.string(),
  title: z.string(),
  kind: z.enum(['optical', 'radar', 'elevation']),
  bands: z.array(
    z.strictObject({
      name: z.string(),
      aliases: z.array(z.string()),
      wavelengthNm: z.number().positive().nullable(),
      gsdM: z.number().positive().nullable(),
    }),
  ),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readSensorManifest = (id: string): SensorManifest => readManifest('sensors', id, schema);

/** Undefined for a sensor without a manifest: a dataset of one's own may name any, or none. */
export const findSensorManifest = (id: string): SensorManifest | undefined =>
  listManifests('sensors').includes(id) ? readSensorManifest(id) : undefined;

/** The sensor's band of that name or alias, or undefined. A name goes before an alias. */
export const findBand = ({ bands }: SensorManifest, name: string): SensorBand | undefined =>
  bands.find((band) => band.name === name) ?? bands.find((band) => band.aliases.includes(name));
