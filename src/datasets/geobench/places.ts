import type { DatasetIo } from '../dataset-io.js';
import type { Affine, SampleImage } from '../sample.js';

/** Puts an image of a sample where it belongs, unless a fault is on. */
export type PlaceRule = (image: SampleImage, sample: string, io: DatasetIo) => SampleImage;

/**
 * The stored transform is of something else than the image (a whole scene, a single place for all), and the right one
 * is not to be had: the image then has none.
 * @param fault id in the manifest
 * @param appliesTo samples with the wrong transform; default all
 */
export const withoutPlace =
  (fault: string, appliesTo: (sample: string) => boolean = () => true): PlaceRule =>
  (image, sample, io) =>
    io.isOn(fault) || !appliesTo(sample) ? image : { ...image, transform: null };

/** Length of a degree of latitude, as the converters take it. */
const METRES_A_DEGREE = 111_320;

/**
 * The stored transform counts metres as degrees. The sample's name says where its centre lies: `…_longitude,latitude…`.
 * @param pixelM side of a pixel
 */
export const placeByName =
  (fault: string, pixelM: number): PlaceRule =>
  (image, sample, io) => {
    if (io.isOn(fault)) return image;
    const [, longitude, latitude] = /_(-?\d+\.\d+),(-?\d+\.\d+)(?:_|$)/.exec(sample) ?? [];
    if (longitude === undefined) return { ...image, transform: null };
    return { ...image, transform: centredAt(Number(longitude), Number(latitude), pixelM, image) };
  };

function centredAt(
  longitude: number,
  latitude: number,
  pixelM: number,
  { height, width }: SampleImage,
): Affine {
  const down = pixelM / METRES_A_DEGREE;
  const across = down / Math.cos((latitude * Math.PI) / 180);
  return [across, 0, longitude - (width / 2) * across, 0, -down, latitude + (height / 2) * down];
}
