import type { BandManifest, ModalityManifest } from '../../manifests/dataset-manifest.js';
import { findBand, readSensorManifest } from '../../manifests/sensor-manifest.js';

/** Whether a fixture's name of a band means what `id` holds: the id, the stored name, or a name of the sensor's band. */
export function isBand(name: string, { id, stored }: BandManifest, { sensor }: ModalityManifest): boolean {
  return name === id || name === stored || meansSame(name, id, sensor);
}

/** Whether it means what the reference takes the band for. */
export const isReference = (
  name: string,
  { reference }: BandManifest,
  { sensor }: ModalityManifest,
): boolean => name === reference || meansSame(name, reference, sensor);

function meansSame(name: string, id: string, sensor: string): boolean {
  const band = findBand(readSensorManifest(sensor), name);
  return band !== undefined && band.name === findBand(readSensorManifest(sensor), id)?.name;
}
