import { describeError, GondwanaError, RunError, StoppedError } from '../errors.js';
import type { CommandResult } from './command.js';
import { createNotices } from './notices.js';
import { guardOutput, writeOut } from './output-streams.js';
import type { Chosen } from './program.js';
import { watchSignals } from './signals.js';

/**
 * Runs one command line and returns its exit code: 0 done, 1 a check or a run failed, 2 usage,
 * 3 bad input, 130 interrupted. Results go to stdout, all else to stderr. Never throws.
 * @param argv without node and script, e.g. `['run', 'quickstart', '--quick']`
 * @param read the command that the line asks for, or an exit code where there is nothing more to do
 */
export async function runCommand(
  argv: readonly string[],
  read: (argv: readonly string[]) => Chosen | number,
): Promise<number> {
  const { stderr } = process;
  const json = argv.includes('--json');
  guardOutput();
  const notices = createNotices(stderr);
  const watch = watchSignals((text) => notices.say(text));
  const tell = (error: unknown): number => {
    if (json) writeOut(`${JSON.stringify({ error: asDocument(error) })}\n`);
    stderr.write(`${describeError(error)}\n`);
    return error instanceof GondwanaError ? error.exitCode : 1;
  };
  const stopWatchingExit = watchEarlyExit(() =>
    tell(watch.signal.aborted ? asStopped(undefined) : endedEarly()),
  );
  try {
    const chosen = read(argv);
    if (typeof chosen === 'number') return chosen;
    await loadPlugins(chosen.options['plugin']);
    const command = await chosen.load();
    const result = await command(
      { json, signal: watch.signal, stderr, notices, endsByItself: () => watch.leaveToCommand() },
      chosen.args,
      chosen.options,
    );
    print(result, json);
    return result.exitCode ?? 0;
  } catch (thrown) {
    return tell(watch.signal.aborted ? asStopped(thrown) : thrown);
  } finally {
    watch.stop();
    stopWatchingExit();
  }
}

/** @throws what loadPlugin throws */
async function loadPlugins(files: string | boolean | undefined): Promise<void> {
  if (typeof files !== 'string') return;
  const { loadPlugin } = await import('../studies/load-plugin.js');
  for (const file of JSON.parse(files) as string[]) await loadPlugin(file);
}

/**
 * A process that ends while its command is still waiting has done nothing: it does not end with 0. Node ends
 * so where nothing is left that could wake it up, and a study may call `process.exit`.
 * @param tell prints why and returns the exit code
 */
function watchEarlyExit(tell: () => number): () => void {
  let ranEmpty = false;
  const onEmpty = (): void => void (ranEmpty = true);
  const onExit = (code: number): void => {
    if (code === 0 || ranEmpty) process.exitCode = tell();
  };
  process.on('beforeExit', onEmpty).on('exit', onExit);
  return () => void process.off('beforeExit', onEmpty).off('exit', onExit);
}

const endedEarly = (): RunError =>
  new RunError('INTERNAL', 'The process ended before its command did.', {
    hint: 'Look in your study for a promise that nothing settles, or for process.exit; else please report it.',
  });

function print(result: CommandResult, json: boolean): void {
  if (json) writeOut(`${JSON.stringify(result.document, null, 2)}\n`);
  else if (result.text) writeOut(`${result.text}\n`);
}

const asStopped = (error: unknown): StoppedError =>
  error instanceof StoppedError
    ? error
    : new StoppedError('Stopped.', {
        hint: 'The same command goes on where this one stopped.',
        cause: error,
      });

function asDocument(error: unknown): { code: string; message: string; where: string; hint: string } {
  if (error instanceof GondwanaError) return error.toJSON();
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message, where: '', hint: 'A fault of Gondwana: its stack is on stderr.' };
}
