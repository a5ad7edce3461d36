import { InputError } from '../errors.js';
import { isDangerousName } from '../io/pickle-dangerous.js';
import type { PickleGlobal } from '../io/pickle.js';

/**
 * Nothing is executed here whatever a file names; one that names functions which run code was made to do harm
 * elsewhere, so it is refused, for all that its tensors may be worth.
 * @throws InputError CHECKPOINT_HOSTILE
 */
export function refuseDangerous(global: PickleGlobal, where: string): void {
  if (!isDangerousName(global)) return;
  throw new InputError(
    'CHECKPOINT_HOSTILE',
    `The checkpoint names ${global.fullName}, which no weights need.`,
    {
      where,
      hint: 'Nothing was executed. Do not open this file with other tools; get the weights from their publisher.',
    },
  );
}
