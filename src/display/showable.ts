import type { MimeBundle } from './mime.js';

/** The method by which an object says how a notebook shows it. Deno's kernel calls the same one. */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for('Jupyter.display');

/** The method by which an object gives its row where a list of such objects is shown as a table. */
export const TABLE_ROW: unique symbol = Symbol.for('gondwana.table-row');

/** How objects of one kind look. */
export interface Appearance<T> {
  /** The object alone. An empty bundle: it shows nothing. */
  readonly bundle: (value: T) => MimeBundle | Promise<MimeBundle>;
  /** The object in a list of its kind: values by column. */
  readonly row?: (value: T) => object;
}

/**
 * Gives an object its look in a notebook. Its other uses stay as they are: the methods lie under symbols that are not
 * enumerable, which JSON, copies by spreading, structured clones and comparisons pass over.
 * @returns the same object
 */
export function showAs<T extends object>(value: T, { bundle, row }: Appearance<T>): T {
  const method = (body: () => unknown): PropertyDescriptor => ({
    value: body,
    configurable: true,
    writable: true,
  });
  Object.defineProperty(
    value,
    JUPYTER_DISPLAY,
    method(() => bundle(value)),
  );
  if (row)
    Object.defineProperty(
      value,
      TABLE_ROW,
      method(() => row(value)),
    );
  return value;
}
