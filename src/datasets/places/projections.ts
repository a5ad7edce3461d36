import { toLonLat, type ToLonLat } from '../../io/lon-lat.js';
import type { Affine } from '../sample.js';
import { cornersOf } from './footprint.js';

export type Degrees = [longitude: number, latitude: number];

/** Projections of the coordinate systems that were met. */
export class Projections {
  private readonly known = new Map<string, ToLonLat | undefined>();

  get unknown(): string[] {
    return [...this.known].flatMap(([crs, project]) => (project ? [] : [crs.slice(0, 60)]));
  }

  /** Where the middle of an image lies; null where its coordinate system is not known. */
  async middleOf(image: {
    readonly crs: string;
    readonly transform: Affine;
    readonly height: number;
    readonly width: number;
  }): Promise<Degrees | null> {
    const { crs } = image;
    if (!this.known.has(crs)) this.known.set(crs, await toLonLat(crs));
    const corners = cornersOf(image);
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    return this.known.get(crs)?.(mean(corners.map(([x]) => x)), mean(corners.map(([, y]) => y))) ?? null;
  }
}
