import { config } from 'zod/mini';
import english from 'zod/v4/locales/en.js';

// `zod/mini`, which documents that a task of a cluster reads are checked with, says only "Invalid input" until it has words
config(english());
