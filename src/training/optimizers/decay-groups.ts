import type { Parameter, ParameterRole } from '../../layers/parameters.js';
import type { ParameterGroup } from './optimizer.js';

/** Kernels are decayed; biases, scales and offsets of norms, position tables and class tokens are not. */
const KERNELS: readonly ParameterRole[] = ['kernel', 'depthwise-kernel', 'transposed-kernel'];

export const isKernel = ({ role }: Parameter): boolean => KERNELS.includes(role);

/**
 * Two groups of one rate, of which the second is not decayed. What is never learned is in neither.
 * @param isDecayed default: kernels alone
 */
export function decayGroups(
  parameters: readonly Parameter[],
  rates: { readonly learningRate: number; readonly weightDecay: number },
  isDecayed: (parameter: Parameter) => boolean = isKernel,
): ParameterGroup[] {
  const trained = parameters.filter(({ variable }) => variable.trainable);
  return [
    { ...rates, parameters: trained.filter(isDecayed) },
    { ...rates, parameters: trained.filter((parameter) => !isDecayed(parameter)), weightDecay: 0 },
  ].filter((group) => group.parameters.length > 0);
}
