import path from 'node:path';
import { startKernel, type KernelClient, type KernelOptions } from './client.js';

export interface StandInOptions extends Omit<KernelOptions, 'argv' | 'spec'> {
  /** Started by the launcher, as under Jupyter. */
  readonly launcher?: boolean;
  /** A cell is stopped at 90 % of it. */
  readonly memoryLimitMb?: number;
}

/** A kernel with the real wire thread and JavaScript cells (`stand-in-kernel.mjs` says what they may call). */
export function startStandIn(options: StandInOptions = {}): Promise<KernelClient> {
  const script = options.launcher ? 'stand-in-launcher.mjs' : 'stand-in-kernel.mjs';
  const argv = ['node'];
  if (!options.launcher) argv.push('--no-force-async-hooks-checks'); // the launcher gives this flag
  argv.push(path.join(import.meta.dirname, script), '{connection_file}');
  if (options.memoryLimitMb !== undefined) argv.push(String(options.memoryLimitMb));
  return startKernel({ ...options, argv });
}
