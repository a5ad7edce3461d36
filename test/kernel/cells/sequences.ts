import type { Sequence } from './sequence.js';
import { asynchronous } from './sequences/async.js';
import { classes } from './sequences/classes.js';
import { closures } from './sequences/closures.js';
import { declarations } from './sequences/declarations.js';
import { errors } from './sequences/errors.js';
import { modules } from './sequences/modules.js';
import { syntax } from './sequences/syntax.js';
import { types } from './sequences/types.js';

/** What cells compute, on every engine. */
export const sequences: readonly Sequence[] = [
  ...declarations,
  ...closures,
  ...classes,
  ...asynchronous,
  ...errors,
  ...types,
  ...modules,
  ...syntax,
];
