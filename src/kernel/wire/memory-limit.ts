import { totalmem } from 'node:os';

/** Environment variable that replaces the limit found, in MB (1 MB = 2^20 bytes). */
export const MEMORY_LIMIT_VARIABLE = 'GONDWANA_MEMORY_LIMIT_MB';

/** Share of the limit at which a cell is stopped: the rest is for saving and for freeing. */
export const INTERRUPT_SHARE = 0.9;

export interface MemoryLimit {
  readonly limitBytes: number;
  readonly source: 'environment' | 'container' | 'machine';
}

/**
 * What this process may use: the variable, else the container's limit (cgroup), else the machine's memory.
 * A value of the variable that is no positive number is passed over.
 */
export function memoryLimit(env: NodeJS.ProcessEnv = process.env): MemoryLimit {
  const wished = Number(env[MEMORY_LIMIT_VARIABLE]);
  if (Number.isFinite(wished) && wished > 0) return { limitBytes: wished * 2 ** 20, source: 'environment' };
  const machine = totalmem();
  // without a container's limit: 0, undefined or more than any machine has
  const container = process.constrainedMemory() || Infinity;
  return container < machine
    ? { limitBytes: container, source: 'container' }
    : { limitBytes: machine, source: 'machine' };
}

/** `3.6 GB`, in units of 2^30 and 2^20 bytes. */
export function describeBytes(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.round(bytes / 2 ** 20)} MB`;
}
