/**
 * How the first layer starts for bands that the checkpoint lacks: `random` as TerraTorch has it, Xavier-uniform over the
 * flattened kernel; `mean-of-rgb`: the mean of the filters of red, green and blue.
 */
export type NewBands = 'random' | 'mean-of-rgb';

/** What became of a checkpoint's bands. */
export interface BandAdaptation {
  readonly modality: string;
  /** Of the checkpoint. */
  readonly from: readonly string[];
  /** Of the model. */
  readonly to: readonly string[];
  /** Bands of the model whose filters are the checkpoint's. */
  readonly kept: readonly string[];
  /** Bands of the model whose filters are new. */
  readonly added: readonly string[];
  /** Bands of the checkpoint that the model has no place for. */
  readonly dropped: readonly string[];
  /** Bands of the model that the images lack, and get zeros. */
  readonly zeros: readonly string[];
  /** Bands of the images that the model has no place for. */
  readonly ignored: readonly string[];
  /** How the new filters start; null where there are none. */
  readonly newBands: NewBands | null;
}

export interface BandOptions {
  /** Bands of the images, of the first modality or by modality. Default: those of the manifest. */
  readonly bands?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /**
   * How filters of bands that the checkpoint lacks start, or `ignore`: such bands of the images are not used. Default: as
   * the manifest says, else `random`.
   */
  readonly newBands?: NewBands | 'ignore';
  /**
   * Bands of the checkpoint that are not among `bands`: `drop` leaves their filters out, `zero` keeps them and gives them
   * zeros. Default `drop`.
   */
  readonly missingBands?: 'drop' | 'zero';
  /** Centre wavelengths of `bands` in nanometres, by modality, for encoders that take any. Default: the sensor's. */
  readonly bandWavelengths?: Readonly<Record<string, readonly number[]>>;
  /** Whose other names of bands count, so that `red` is `B4`. Default `sentinel-2`. */
  readonly sensor?: string;
}
