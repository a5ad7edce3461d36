/** One feature map that an encoder hands to a decoder. */
export interface FeatureSpec {
  readonly channels: number;
  /** Input pixels per feature pixel. */
  readonly stride: number;
}
