import { CommanderError } from 'commander';
import { nearest, UsageError } from '../errors.js';
import { packageVersion } from '../version.js';
import { joinParameters } from './join-parameters.js';
import { buildProgram, commandNames, type Chosen } from './program.js';
import { runCommand } from './run-command.js';

/**
 * Runs one command line and returns its exit code, as `runCommand` does.
 * @param argv without node and script, e.g. `['run', 'quickstart', '--quick']`
 */
export const main = (argv: readonly string[]): Promise<number> => runCommand(argv, readCommandLine);

/** The command to run, or an exit code where the line asked for help or the version. */
function readCommandLine(argv: readonly string[]): Chosen | number {
  let chosen: Chosen | undefined;
  const program = buildProgram(packageVersion(), (choice) => (chosen = choice));
  try {
    program.parse(joinParameters(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw usageError(error, argv, commandNames(program));
  }
  return chosen ?? 0;
}

/** Commander's messages as typed errors, with the nearest command where one was mistyped. */
function usageError(error: CommanderError, argv: readonly string[], names: readonly string[]): UsageError {
  const typed = argv.filter((word) => !word.startsWith('-'));
  const help = '`gondwana --help` lists the commands.';
  if (error.code === 'commander.unknownCommand' || error.code === 'commander.help') {
    const depth = names.some((name) => name.startsWith(`${typed[0]} `)) ? 2 : 1;
    const line = typed.slice(0, depth).join(' ');
    const known = names.filter((name) => depth === 1 || name.startsWith(`${typed[0]} `));
    const guess = nearest(line, known);
    const others = depth === 2 ? `Known: ${known.join(', ')}.` : help;
    const what = line ? `There is no command "${line}".` : 'No command was given.';
    return new UsageError('COMMAND_UNKNOWN', what, {
      hint: guess ? `Did you mean "${guess}"? ${others}` : others,
    });
  }
  const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
  return new UsageError('USAGE', `${message[0]?.toUpperCase()}${message.slice(1)}.`, {
    where: ['gondwana', ...argv].join(' '),
    hint: `\`${['gondwana', ...typed.slice(0, 1), '--help'].join(' ')}\` shows its arguments and options.`,
  });
}
