import { UsageError } from '../errors.js';
import { listManifests, manifestNames } from './read-manifest.js';

/**
 * The id that a name means: an id itself, or one of the other names that manifests list. Upper and lower case count
 * only where that tells names apart.
 * @param benchmark in force, where several benchmarks use the name
 * @returns the name itself where no dataset is called so: what reads by id says it
 * @throws UsageError DATASET_AMBIGUOUS with the candidates
 */
export function resolveDatasetId(name: string, benchmark?: string): string {
  const isId = listManifests('datasets').includes(name);
  if (isId && benchmark === undefined) return name;
  const all = manifestNames('datasets');
  const exact = all.filter(({ aliases }) => aliases.includes(name));
  const loose = all.filter(({ id, aliases }) => [id, ...aliases].some((known) => isSameWord(known, name)));
  const found = exact.length > 0 ? exact : loose;
  const inForce =
    benchmark === undefined ? [] : found.filter((candidate) => candidate.benchmark === benchmark);
  if (isId && inForce.length === 0) return name;
  const [only, ...others] = inForce.length > 0 ? inForce : found;
  if (only && others.length === 0) return only.id;
  if (only) {
    throw new UsageError('DATASET_AMBIGUOUS', `Several datasets are called "${name}".`, {
      hint: `Say which: ${[only, ...others].map((candidate) => `${candidate.id} (${candidate.benchmark ?? 'of no benchmark'})`).join(', ')}.`,
    });
  }
  return name;
}

const isSameWord = (a: string, b: string): boolean => plain(a) === plain(b);
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '-');
