import { nearest, UsageError } from './errors.js';

/** Things by id, each loaded when it is asked for. */
export type Registry<T> = Readonly<Record<string, () => Promise<T>>>;

/** Things of users by what they are, e.g. `decoder`, then by id. */
const own = new Map<string, Map<string, OwnThing>>();

interface OwnThing {
  readonly thing: unknown;
  /** sha256 of the code that makes it. */
  readonly digest: string;
}

/**
 * Puts a user's thing beside those of a registry, for this process; the same id again replaces it.
 * @param what as `lookUp` is told
 * @throws UsageError ID_TAKEN where the id is one of ours
 */
export function registerOwn(what: string, id: string, thing: OwnThing, shipped: readonly string[]): void {
  if (shipped.includes(id)) {
    throw new UsageError('ID_TAKEN', `There is a ${what} "${id}" already.`, {
      hint: `Give yours an id of its own, e.g. "my-${id}".`,
    });
  }
  const things = own.get(what) ?? new Map<string, OwnThing>();
  own.set(what, things.set(id, thing));
}

/** Digest of the code behind a user's thing; undefined for one of ours. */
export const digestOfOwn = (what: string, id: string): string | undefined => own.get(what)?.get(id)?.digest;

/** Digests of the code behind a user's things of this id, of whatever kind they are. */
export const digestsOfOwn = (id: string): string[] =>
  [...own.values()].flatMap((things) => things.get(id)?.digest ?? []);

/**
 * The entry of a registry, or what a user has registered.
 * @param what in words, e.g. `encoder family`; the error's code is made of it: `ENCODER_FAMILY_UNKNOWN`
 * @throws UsageError, with the nearest id
 */
export function lookUp<T>(registry: Registry<T>, id: string, what: string): Promise<T> {
  const load = Object.hasOwn(registry, id) ? registry[id] : undefined;
  if (load) return load();
  const things = own.get(what);
  if (things?.has(id)) return Promise.resolve(things.get(id)!.thing as T);
  const known = [...Object.keys(registry), ...(things?.keys() ?? [])];
  const guess = nearest(id, known);
  throw new UsageError(`${what.toUpperCase().replaceAll(' ', '_')}_UNKNOWN`, `There is no ${what} "${id}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
  });
}
