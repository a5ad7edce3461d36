import { z } from 'zod';

/** A file inside a wheel of the Python Package Index: where data and weights come from without an account. */
export interface WheelSource {
  readonly package: string;
  readonly version: string;
  /** File name of the wheel. */
  readonly wheel: string;
  readonly sha256: string;
  readonly licence: string;
}

export const wheelSource = z.strictObject({
  package: z.string(),
  version: z.string(),
  wheel: z.string(),
  sha256: z.string().length(64),
  licence: z.string(),
});
