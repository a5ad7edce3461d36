import type { Chosen } from './program.js';
import { runCommand } from './run-command.js';

/**
 * The command line of a task. A line of the form that our scripts have, `worker SUBMISSION [INDEX] [--code FILE]...`, is read
 * here, as the reader of all lines takes long to load; a line of any other form goes there.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const chosen = readTaskLine(argv);
  return chosen ? runCommand(argv, () => chosen) : (await import('./main.js')).main(argv);
}

/** @returns undefined for a line of any other form */
export function readTaskLine([command, ...words]: readonly string[]): Chosen | undefined {
  if (command !== 'worker') return undefined;
  const [args, code]: [string[], string[]] = [[], []];
  let isJson = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--json') isJson = true;
    else if (word === '--code' && words[0]?.startsWith('-') === false) code.push(words.shift()!);
    else if (word.startsWith('-')) return undefined;
    else args.push(word);
  }
  if (args.length === 0 || args.length > 2) return undefined;
  return {
    load: async () => (await import('./commands/worker.js')).worker,
    args,
    options: { ...(isJson && { json: true }), ...(code.length > 0 && { code: JSON.stringify(code) }) },
  };
}
