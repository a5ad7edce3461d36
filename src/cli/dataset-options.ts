import { UsageError } from '../errors.js';
import type { Dataset } from '../datasets/dataset.js';
import type { Mode } from '../datasets/faults.js';
import { textOption, type Options } from './command.js';

/** Values of an option that may come again. */
export const valuesOf = (options: Options, name: string): readonly string[] => {
  const text = textOption(options, name);
  return text === undefined ? [] : (JSON.parse(text) as string[]);
};

/**
 * Opens the dataset that a command line names, with `--mode`, `--fault ID=on` and `--parameter NAME=VALUE`.
 * @throws UsageError OPTION_VALUE, and what openDataset throws
 */
export async function openNamed(
  id: string,
  root: string,
  options: Options,
  signal?: AbortSignal,
): Promise<Dataset> {
  const { openDataset } = await import('../datasets/dataset.js');
  return openDataset(id, root, {
    mode: modeOf(options),
    faults: Object.fromEntries(valuesOf(options, 'fault').map(faultOf)),
    parameters: Object.fromEntries(valuesOf(options, 'parameter').map(parameterOf)),
    ...(signal && { signal }),
  });
}

function modeOf(options: Options): Mode {
  const mode = textOption(options, 'mode') ?? 'corrected';
  if (mode === 'corrected' || mode === 'as-published') return mode;
  throw wrongValue('--mode', mode, 'corrected or as-published');
}

function faultOf(text: string): [string, boolean] {
  const [, id, state] = /^([^=]+)=(on|off)$/.exec(text) ?? [];
  if (id === undefined)
    throw wrongValue('--fault', text, 'the id of a fault with =on or =off, e.g. band-names=on');
  return [id, state === 'on'];
}

/** A value is JSON, else text. */
function parameterOf(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw wrongValue('--parameter', text, 'NAME=VALUE, the value as JSON or text');
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value) as unknown];
  } catch {
    return [text.slice(0, at), value];
  }
}

/** `--limit N` or `--all`; undefined: the default of the function. @throws UsageError OPTION_VALUE */
export function limitOf(options: Options): number | 'all' | undefined {
  const text = textOption(options, 'limit');
  if (options.all === true) {
    if (text !== undefined) throw wrongValue('--limit', text, 'given without --all');
    return 'all';
  }
  return text === undefined ? undefined : countOf('--limit', text);
}

/** A whole number from 1 on. @throws UsageError OPTION_VALUE */
export function countOf(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw wrongValue(name, text, 'a whole number from 1 on');
}

export const wrongValue = (name: string, value: string, wanted: string): UsageError =>
  new UsageError('OPTION_VALUE', `${name} is "${value}".`, { hint: `It can be ${wanted}.` });
