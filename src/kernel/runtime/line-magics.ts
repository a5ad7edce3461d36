import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';
import { tableBundle } from '../../display/table.js';
import type { DisplaySink } from '../../display/sink.js';
import { InputError, UsageError } from '../../errors.js';
import { statOf } from '../modules/stamp.js';
import { strictnessLevels, type CellEngine, type LanguageClient, type Strictness } from '../cell-engine.js';
import { magicHelp, type Magic } from './magics.js';
import type { Results } from './results.js';
import { runShellCommand } from './shell-command.js';
import type { Streams } from './streams.js';

/** What magics may use. */
export interface MagicContext {
  readonly engine: CellEngine;
  readonly language: LanguageClient;
  readonly streams: Streams;
  readonly results: Results;
  readonly sink: DisplaySink;
  readonly signal: AbortSignal;
}

/**
 * Does what one line magic asks for; `%time` and `%timeit` are about the code below them and do nothing here.
 * @throws UsageError MAGIC_ARGUMENT; InputError FILE_MISSING where `%cd` names no folder or `%pwd` is in one that is
 * gone, STORE_MISSING
 */
export async function runLineMagic(magic: Magic, context: MagicContext): Promise<void> {
  const { engine, language, streams, results, sink, signal } = context;
  const print = (text: string): void => streams.write('stdout', `${text}\n`);
  switch (magic.name) {
    case 'time':
    case 'timeit':
      return;
    case 'who':
      return listVariables(engine, sink, print);
    case 'reset':
      engine.reset();
      results.reset();
      return;
    case 'pwd':
      return print(workingFolder());
    case 'lsmagic': {
      const rows = magicHelp.map(([form, meaning]) => ({ magic: form, does: meaning }));
      return sink.show(tableBundle(rows, { maximumRows: rows.length }));
    }
    case 'cd':
      process.chdir(folder(magic.argument));
      return print(process.cwd());
    case 'env':
      return environment(magic.argument, print);
    case 'shell': {
      const status = await runShellCommand(magic.command, streams, signal);
      if (status !== 0 && !signal.aborted)
        streams.write('stderr', `[!${magic.command}] ended with ${status}\n`);
      return;
    }
    case 'gondwana':
      return gondwana(magic.argument, { language, sink, print });
  }
}

function listVariables(engine: CellEngine, sink: DisplaySink, print: (text: string) => void): void {
  const rows = [...engine.variables()]
    .filter(([name]) => !name.startsWith('__'))
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => ({ name, type: typeName(value), value: oneLine(value) }));
  if (rows.length === 0) return print('No variables so far.');
  sink.show(tableBundle(rows, { maximumRows: rows.length }));
}

function typeName(value: unknown): string {
  if (typeof value === 'function')
    return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object';
}

function oneLine(value: unknown): string {
  const text =
    typeof value === 'function'
      ? value.name
      : inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 });
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** @throws InputError FILE_MISSING where it was removed */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new InputError('FILE_MISSING', 'The working folder is gone.', {
      where: process.env.PWD ?? '',
      hint: '%cd FOLDER goes to another; %cd alone to your home folder.',
      cause,
    });
  }
}

function folder(argument: string): string {
  const named = argument.trim().replace(/^(['"])(.*)\1$/, '$2');
  const wished = named === '' ? homedir() : named.replace(/^~(?=$|\/)/, homedir());
  const target = path.isAbsolute(wished) ? wished : path.resolve(workingFolder(), wished);
  if (statOf(target)?.isDirectory()) return target;
  throw new InputError('FILE_MISSING', `There is no folder "${named || wished}".`, {
    where: target,
    hint: '%pwd says where you are; !ls lists what is there.',
  });
}

function environment(argument: string, print: (text: string) => void): void {
  const [, name, value] = /^([^\s=]*)(?:\s*=\s*|\s+)?(.*)$/s.exec(argument)!;
  if (!name) {
    return print(
      Object.entries(process.env)
        .map(([key, text]) => `${key}=${SECRET.test(key) ? '…' : text}`)
        .sort()
        .join('\n'),
    );
  }
  if (value === '' && !argument.includes('=')) {
    const known = process.env[name];
    return print(known === undefined ? `${name} is not set` : known);
  }
  process.env[name] = value;
  print(`${name}=${value}`);
}

/** Values that do not belong in a saved notebook. */
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

async function gondwana(
  argument: string,
  { language, sink, print }: Pick<MagicContext, 'language' | 'sink'> & { print: (text: string) => void },
): Promise<void> {
  const [what = '', value = ''] = argument.trim().split(/\s+/, 2);
  if (what === 'types') {
    const level = strictnessLevels.find((known) => known === value) as Strictness | undefined;
    if (!level) throw badArgument(`"${value}" is no strictness.`, `Known: ${strictnessLevels.join(', ')}.`);
    language.setStrictness(level);
    return print(`Types are checked: ${level}.`);
  }
  if (what === 'engine') {
    const { engineRows } = await import('./library-facts.js');
    return sink.show(tableBundle(await engineRows()));
  }
  if (what === 'store') {
    const { storeRows } = await import('./library-facts.js');
    return sink.show(tableBundle(storeRows(value || 'results')));
  }
  throw badArgument(
    what === '' ? '%gondwana needs a word that says what to show.' : `%gondwana knows no "${what}".`,
    'Known: %gondwana engine, %gondwana store [FOLDER], %gondwana types off|loose|strict.',
  );
}

const badArgument = (what: string, hint: string): UsageError =>
  new UsageError('MAGIC_ARGUMENT', what, { hint });
