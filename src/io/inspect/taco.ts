import { readTacoItems, TacoFile, type TacoItem } from '../taco/taco-file.js';
import {
  describePart,
  factOf,
  firstParts,
  type Describer,
  type DescribeOptions,
  type FileDescription,
} from './description.js';

/** Samples whose inner items are listed. */
const MAX_OPENED = 20;
/** Columns that say where an item lies, which the facts say already. */
const PLACE = /^tortilla:(id|offset|length|file_format|data_split)$/;

/** A TACO or tortilla container: splits, items, and what lies inside of them. */
export const describeTaco: Describer = async (path, options = {}) => {
  const file = await TacoFile.open(path);
  try {
    const { chosen, notes } = firstParts(file.items, options, 'items');
    const parts: FileDescription[] = [];
    for (const [index, item] of chosen.entries()) {
      options.signal?.throwIfAborted();
      const isOpened = item.format === 'TORTILLA' && index < MAX_OPENED;
      parts.push(await describePart('item', item.id, () => describeItem(item, isOpened, options)));
    }
    const closed = chosen.slice(MAX_OPENED).filter(({ format }) => format === 'TORTILLA').length;
    if (closed > 0) notes.push(`the items inside of ${closed} more samples are not shown`);
    return {
      kind: 'TACO',
      facts: {
        items: file.items.length,
        splits: counts(file.items.map(({ split }) => split ?? 'none')),
        formats: counts(file.items.map(({ format }) => format)),
      },
      parts,
      notes,
    };
  } finally {
    file.close();
  }
};

async function describeItem(
  item: TacoItem,
  isOpened: boolean,
  options: DescribeOptions,
): Promise<FileDescription> {
  const columns = Object.entries(item.columns).filter(([name, value]) => !PLACE.test(name) && value !== null);
  const facts = {
    format: item.format,
    ...(item.split !== null && { split: item.split }),
    offset: item.offset,
    bytes: item.length,
    ...(columns.length > 0 && { columns: factOf(Object.fromEntries(columns)) }),
  };
  if (!isOpened) return { kind: 'item', name: item.id, facts };
  const { chosen, notes } = firstParts(await readTacoItems(item.source), options, 'items');
  const parts: FileDescription[] = [];
  for (const inner of chosen)
    parts.push(
      await describePart('item', inner.id, () => describeItem(inner, inner.format === 'TORTILLA', options)),
    );
  return { kind: 'item', name: item.id, facts, parts, notes };
}

function counts(names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) found[name] = (found[name] ?? 0) + 1;
  return found;
}
