import { z } from 'zod';

/** Of TerraTorch's pixel head, as members of a decoder's own. */
export const headHyperparameters = {
  /** Of 3 × 3 convolutions in front of the last layer; default none. */
  headChannels: z.array(z.int().positive()).optional(),
  /** Doublings of the size by learned convolutions in front of a regression's head. */
  upscaleLayers: z.int().nonnegative().default(0),
};
