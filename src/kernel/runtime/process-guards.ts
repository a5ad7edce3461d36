import { UsageError } from '../../errors.js';

/**
 * Keeps cells from ending the kernel by accident: `process.exit` throws, errors that nobody awaits are told.
 * @param report told of an error that no cell awaits
 * @returns the way to end the process after all
 */
export function guardProcess(report: (kind: string, error: unknown) => void): (code: number) => never {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    throw new UsageError(
      'KERNEL_EXIT',
      `process.exit(${code ?? ''}) would end the kernel with all its variables.`,
      {
        hint: 'End a cell by throwing an error; restart the kernel from the menu.',
      },
    );
  };
  process.on('uncaughtException', (error) => report('Uncaught', error));
  process.on('unhandledRejection', (error) => report('Unhandled rejection', error));
  // a warning is told once, on one line; Node's default adds its own process's number
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => process.stderr.write(`${name}: ${message}\n`));
  return exit;
}
