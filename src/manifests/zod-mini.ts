import { config } from 'zod/mini';
import english from 'zod/v4/locales/en.js';

/** `zod/mini` for documents that a task of a cluster reads: zod without what a small program does not use (docs/decisions/0027). */
export * from 'zod/mini';

// by itself it says only "Invalid input" of whatever is wrong
config(english());
