import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, nearest } from '../errors.js';
import { sha256 } from './sha256.js';

/** Folders of data-manifests/, one a kind. */
export type ManifestKind =
  'benchmarks' | 'datasets' | 'encoders' | 'engine' | 'protocols' | 'published' | 'searches' | 'sensors';

/** The part of a schema that reading needs; keeps the schema library out of the public types. */
export interface ManifestSchema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

const root = fileURLToPath(new URL('../../data-manifests/', import.meta.url));

/** Manifests of users, by kind and id. */
const own = new Map<ManifestKind, Map<string, { readonly hash: string }>>();

/** Puts a user's manifest, checked before, beside the shipped ones for this process; the same id again replaces it. */
export function registerManifest(kind: ManifestKind, id: string, manifest: { readonly hash: string }): void {
  own.set(kind, (own.get(kind) ?? new Map<string, { readonly hash: string }>()).set(id, manifest));
}

/** Ids of the manifests of a kind that come with this package, sorted. */
export function shippedManifests(kind: ManifestKind): string[] {
  const folder = path.join(root, kind);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => name.slice(0, -'.json'.length)).sort();
}

/** Ids of all manifests of a kind, those of users included, sorted. */
export const listManifests = (kind: ManifestKind): string[] =>
  [...shippedManifests(kind), ...(own.get(kind)?.keys() ?? [])].sort();

/** Ids and other names of all manifests of a kind, without a check of the rest. */
export function manifestNames(
  kind: ManifestKind,
): { readonly id: string; readonly aliases: readonly string[]; readonly benchmark: string | null }[] {
  return listManifests(kind).map((id) => {
    if (own.get(kind)?.has(id)) return { id, aliases: [], benchmark: null };
    const file = path.join(root, kind, `${id}.json`);
    const { aliases, benchmark } = parse(readFileSync(file, 'utf8'), `data-manifests/${kind}/${id}.json`) as {
      readonly aliases?: readonly string[];
      readonly benchmark?: string;
    };
    return { id, aliases: aliases ?? [], benchmark: benchmark ?? null };
  });
}

/**
 * Reads and checks one manifest.
 * @throws InputError MANIFEST_UNKNOWN (with the nearest id), MANIFEST_INVALID (with the member's path)
 */
export function readManifest<T>(
  kind: ManifestKind,
  id: string,
  schema: ManifestSchema<T>,
): T & { readonly hash: string } {
  const registered = own.get(kind)?.get(id);
  if (registered) return registered as T & { readonly hash: string };
  const known = listManifests(kind);
  const where = `data-manifests/${kind}/${id}.json`;
  if (!known.includes(id)) {
    const guess = nearest(id, known);
    throw new InputError('MANIFEST_UNKNOWN', `There is no "${id}" among the ${kind}.`, {
      where,
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`,
    });
  }
  const text = readFileSync(path.join(root, kind, `${id}.json`), 'utf8');
  const result = schema.safeParse(parse(text, where));
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new InputError('MANIFEST_INVALID', `${issue.path.join('.') || 'The manifest'}: ${issue.message}`, {
      where,
      hint: 'Correct the manifest; docs/guide/manifests.md lists its members.',
    });
  }
  return { ...result.data, hash: sha256(text) };
}

/** Text of a file beside the manifests of a kind. @throws Error where it is not there: the package is damaged */
export const readBesideManifests = (kind: ManifestKind, name: string): string =>
  readFileSync(path.join(root, kind, name), 'utf8');

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError('MANIFEST_INVALID', (cause as Error).message, {
      where,
      hint: 'The file is not JSON.',
      cause,
    });
  }
}
