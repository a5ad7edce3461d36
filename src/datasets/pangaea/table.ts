import { InputError } from '../../errors.js';
import type { DatasetIo } from '../dataset-io.js';

/** Fields of one line of a list; quotes around a field are taken off. */
export const fieldsOf = (line: string): string[] =>
  line.split(',').map((field) => field.trim().replace(/^"(.*)"$/, '$1'));

/**
 * Columns by name of a list with a head line, one row a sample.
 * @throws InputError SPLIT_LIST where the list lacks a column or a row lacks a field
 */
export async function readColumns<Name extends string>(
  file: string,
  names: readonly Name[],
  io: DatasetIo,
): Promise<Record<Name, string>[]> {
  const [head = '', ...lines] = await io.lines(file);
  const known = fieldsOf(head.replace(/^\uFEFF/, ''));
  const places = names.map((name) => {
    const place = known.indexOf(name);
    if (place >= 0) return place;
    throw new InputError('SPLIT_LIST', `The list has no column "${name}".`, {
      where: io.path(file),
      hint: `Its columns are ${known.slice(0, 20).join(', ')}: restore the list of the release.`,
    });
  });
  return lines.map((line, row) => {
    const fields = fieldsOf(line);
    const values = places.map((place, index) => {
      const value = fields[place];
      if (value !== undefined && value !== '') return [names[index]!, value] as const;
      throw new InputError('SPLIT_LIST', `Row ${row + 1} has no ${names[index]!}.`, {
        where: io.path(file),
        hint: 'The list is damaged or cut off: restore it from the release.',
      });
    });
    return Object.fromEntries(values) as Record<Name, string>;
  });
}
