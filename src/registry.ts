import { nearest, UsageError } from './errors.js';

/** Things by id, each loaded when it is asked for. */
export type Registry<T> = Readonly<Record<string, () => Promise<T>>>;

/**
 * The entry of a registry.
 * @param what in words, e.g. `encoder family`; the error's code is made of it: `ENCODER_FAMILY_UNKNOWN`
 * @throws UsageError, with the nearest id
 */
export function lookUp<T>(registry: Registry<T>, id: string, what: string): Promise<T> {
  const load = Object.hasOwn(registry, id) ? registry[id] : undefined;
  if (load) return load();
  const known = Object.keys(registry);
  const guess = nearest(id, known);
  throw new UsageError(`${what.toUpperCase().replaceAll(' ', '_')}_UNKNOWN`, `There is no ${what} "${id}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}
