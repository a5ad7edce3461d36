/** When an image was taken, in UTC. */
export interface AcquisitionTime {
  readonly year: number;
  /** 1 … 366 */
  readonly dayOfYear: number;
  /** 0 ≤ hour < 24; undefined where only the day is known. */
  readonly hour?: number;
}

/** Degrees, north and east positive. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}
