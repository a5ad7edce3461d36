import { z } from 'zod';

/** Schema of a `WheelSource`. */
export const wheelSource = z.strictObject({
  package: z.string(),
  version: z.string(),
  wheel: z.string(),
  sha256: z.string().length(64),
  licence: z.string(),
});
