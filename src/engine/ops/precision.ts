import { RunError } from '../../errors.js';
import { hasKernel } from './onednn.js';

/** Of the factors of linear layers; sums, and everything else, are float32 in any case. */
export type Precision = 'float32' | 'bfloat16';

let current: Precision = 'float32';

export const currentPrecision = (): Precision => current;

/**
 * Runs `f` with linear layers in a precision; gradients are taken in that of their forward pass.
 * @throws RunError PRECISION_UNSUPPORTED
 */
export function inPrecision<T>(precision: Precision, f: () => T): T {
  checkPrecision(precision);
  const before = current;
  current = precision;
  try {
    return f();
  } finally {
    current = before;
  }
}

/** @throws RunError PRECISION_UNSUPPORTED where the engine has no such products */
export function checkPrecision(precision: Precision): void {
  if (precision === 'float32' || hasKernel('linear-bfloat16')) return;
  throw new RunError('PRECISION_UNSUPPORTED', 'This engine does not compute in bfloat16.', {
    where: 'precision',
    hint: 'Leave the precision at float32, or use the native engine on the processor (npx gondwana engine install).',
  });
}
