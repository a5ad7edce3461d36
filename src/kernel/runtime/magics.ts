import { UsageError, nearest } from '../../errors.js';

/** What stands at the top of a cell before its code. */
export type Magic =
  | { readonly name: 'time' }
  | { readonly name: 'timeit'; readonly runs?: number }
  | { readonly name: 'who' | 'pwd' | 'lsmagic' | 'reset' }
  | { readonly name: 'env' | 'cd' | 'gondwana'; readonly argument: string }
  | { readonly name: 'shell'; readonly command: string };

/** A cell taken apart. */
export interface MagicCell {
  /** In order; `time` and `timeit` are about the code, the others happen before it. */
  readonly magics: readonly Magic[];
  /**
   * The rest, with the magics' lines left empty so that line numbers stay; text after `%time` keeps its column
   * too.
   */
  readonly code: string;
  /** `name?` or `name??`: the cell asks for help and runs nothing. */
  readonly help?: { readonly expression: string; readonly source: boolean };
}

export const magicHelp: readonly (readonly [string, string])[] = [
  ['%time CODE', 'runs the line, or the whole cell, and says how long it took'],
  ['%timeit [-n RUNS] CODE', 'runs it often; median and spread'],
  ['%who', 'variables with type and value'],
  ['%reset', 'forgets all variables, `Out` and the modules of the project'],
  ['%env [NAME[=VALUE]]', 'environment variables'],
  ['%pwd, %cd FOLDER', 'working folder'],
  ['!COMMAND', 'runs a shell command'],
  ['%gondwana engine', 'the engine that computes: device, threads, versions'],
  [
    '%gondwana store [FOLDER]',
    'what is done, failed and missing in a store; without one, of all in `results`',
  ],
  ['%gondwana types off|loose|strict', 'how strictly TypeScript checks cells'],
  ['NAME? , NAME??', 'documentation of a name; with its source'],
  ['%lsmagic', 'this list'],
];

const NAMES = ['time', 'timeit', 'who', 'reset', 'env', 'pwd', 'cd', 'gondwana', 'lsmagic'] as const;

/**
 * Reads the magics at the top of a cell: lines that begin with `%` or `!` before any line of code.
 * TypeScript has no statement that begins with `%`. A cell of code may begin with `!`, so that is a command only
 * where a program's name or path follows that is no variable, and no call or property: `!ls -la`, `! ./run.sh`.
 * @param isVariable whether cells have declared the name
 * @throws UsageError MAGIC_UNKNOWN, MAGIC_ARGUMENT
 */
export function readMagics(cell: string, isVariable: (name: string) => boolean): MagicCell {
  const help = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$.\u200c\u200d]*)(\?\??)\s*$/u.exec(cell);
  if (help) {
    return { magics: [], code: '', help: { expression: help[1]!, source: help[2] === '??' } };
  }
  const magics: Magic[] = [];
  const lines = cell.split('\n');
  let at = 0;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const text = line.trim();
    if (text === '' || text.startsWith('//')) continue;
    if (text.startsWith('!') && isCommand(text.slice(1), isVariable)) {
      magics.push({ name: 'shell', command: text.slice(1).trim() });
      lines[at] = '';
      continue;
    }
    if (!text.startsWith('%')) break;
    const { magic, code } = readMagic(text);
    magics.push(magic);
    lines[at] = code === '' ? '' : code.padStart(line.trimEnd().length);
    if (code !== '') break;
  }
  return { magics, code: lines.join('\n') };
}

function readMagic(text: string): { magic: Magic; code: string } {
  const [, name = '', argument = ''] = /^%{1,2}\s*([A-Za-z_]*)\s*(.*)$/s.exec(text)!;
  switch (name) {
    case 'time':
      return { magic: { name }, code: argument };
    case 'timeit': {
      const [, runs, code] = /^(?:-n\s*(\d+)\s*)?(.*)$/s.exec(argument)!;
      return { magic: { name, ...(runs && { runs: Number(runs) }) }, code: code! };
    }
    case 'who':
    case 'pwd':
    case 'lsmagic':
    case 'reset':
      // IPython's `%reset -f`, `%reset -sf`: nothing is asked here, so the flag says nothing new
      if (argument !== '' && !(name === 'reset' && argument.startsWith('-'))) throw tooMuch(name, argument);
      return { magic: { name }, code: '' };
    case 'env':
    case 'cd':
    case 'gondwana':
      return { magic: { name, argument }, code: '' };
    default: {
      // of two letters any word is near
      const guess = name.length > 2 ? nearest(name, NAMES) : undefined;
      throw new UsageError('MAGIC_UNKNOWN', `There is no magic "%${name}".`, {
        where: text,
        hint: `${guess ? `Did you mean "%${guess}"? ` : ''}%lsmagic lists them; !${name || 'COMMAND'} runs a command of the shell.`,
      });
    }
  }
}

const tooMuch = (name: string, argument: string): UsageError =>
  new UsageError('MAGIC_ARGUMENT', `%${name} takes no argument, it got "${argument}".`, {
    hint: 'Write the code on a line of its own below.',
  });

/** Words that may follow a `!` in TypeScript and begin an expression. */
const EXPRESSION_WORDS = new Set(
  'await new typeof void delete this super function class import true false null undefined globalThis'.split(
    ' ',
  ),
);

function isCommand(rest: string, isVariable: (name: string) => boolean): boolean {
  const text = rest.trim();
  if (/^(\.{0,2}|~)\//.test(text)) return true;
  const word = /^[A-Za-z_][\w.+-]*/.exec(text)?.[0];
  if (!word) return false;
  const after = text.slice(word.length);
  if (after !== '' && !/^[\s;|&<>]/.test(after)) return false; // a call, an index, an operator
  const name = /^[\w$]+/.exec(word)![0];
  return !EXPRESSION_WORDS.has(name) && !isVariable(name) && !(name in globalThis);
}
