import * as z from './zod-mini.js';

const range = { low: z.number(), high: z.number(), scale: z.optional(z.enum(['linear', 'log'])) };
const dimension = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('float'), ...range }),
  z.strictObject({ kind: z.literal('int'), ...range, step: z.optional(z.int()) }),
  z.strictObject({
    kind: z.literal('categorical'),
    choices: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).check(z.minLength(1)),
  }),
]);
/** A space of settings by name; apart from its reader, so that types for users mention no zod. */
export const searchSpace = z.record(z.string(), dimension);
