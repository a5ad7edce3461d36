/** A file inside a wheel of the Python Package Index: where data and weights come from without an account. */
export interface WheelSource {
  readonly package: string;
  readonly version: string;
  /** File name of the wheel. */
  readonly wheel: string;
  readonly sha256: string;
  readonly licence: string;
}
