import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readArrays, writeArrays, type ArrayFile, type NamedArray } from '../io/array-file.js';
import { sha256 } from '../manifests/sha256.js';
import { isObjectAnswer, type Answer, type ObjectAnswer } from './answer.js';
import type { Request } from './input-source.js';

/** What is kept of an input in the place of its pixels. */
export interface KeptInput {
  /** Finest first: [height, width, channels] or [time, height, width, channels]. */
  readonly features: readonly NamedArray[];
  readonly answer: Answer | null;
  readonly place: string;
}

/** Computes inputs of one size. */
export type ComputeInputs = (requests: readonly Request[]) => Promise<readonly KeptInput[]>;

export interface FeatureStoreOptions {
  /** Folder of the files, one an input; null keeps features in memory alone. */
  readonly folder: string | null;
  /** Of everything that the features depend on beside the input's name: encoder, weights, faults, preprocessing, data. */
  readonly key: string;
  /** Most bytes kept in memory; what is beyond is read from the folder again, or computed again where there is none. */
  readonly memoryBytes: number;
  /** Told once where the folder cannot be written: features are then kept in memory alone. */
  readonly onUnwritable?: (reason: string) => void;
}

/**
 * Features of a frozen encoder, computed once an input and shared by all runs that have the encoder, its weights, the
 * preprocessing and the dataset in common: seeds, rates, decoders. Files appear whole or not at all, so that several
 * processes may share a folder; two that compute the same input write the same.
 */
export class FeatureStore {
  readonly #options: FeatureStoreOptions;
  readonly #folder: string | null;
  readonly #kept = new Map<string, KeptInput>();
  #bytes = 0;
  #isWritable = true;

  constructor(options: FeatureStoreOptions) {
    this.#options = options;
    this.#folder = options.folder === null ? null : path.join(options.folder, options.key.slice(0, 20));
  }

  /** Inputs in their order; what is missing is computed in one call. */
  async get(requests: readonly Request[], compute: ComputeInputs): Promise<readonly KeptInput[]> {
    const found = await Promise.all(requests.map(({ name }) => this.#find(name)));
    const missing = requests.filter((_, index) => found[index] === undefined);
    if (missing.length === 0) return found as KeptInput[];
    const computed = await compute(missing);
    const byName = new Map(missing.map(({ name }, index) => [name, computed[index]!]));
    await Promise.all([...byName].map(([name, input]) => this.#keep(name, input)));
    return requests.map(({ name }, index) => found[index] ?? byName.get(name)!);
  }

  async #find(name: string): Promise<KeptInput | undefined> {
    const kept = this.#kept.get(name);
    if (kept || this.#folder === null) return kept;
    // a file that is not there, or damaged, is computed again
    const file = await readArrays(this.#file(name)).catch(() => undefined);
    if (file?.metadata['name'] !== name || file.metadata['key'] !== this.#options.key) return undefined;
    const input = inputOf(file);
    this.#remember(name, input);
    return input;
  }

  async #keep(name: string, input: KeptInput): Promise<void> {
    this.#remember(name, input);
    if (this.#folder === null || !this.#isWritable) return;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeArrays(this.#file(name), fileOf(input, this.#options.key, name));
    } catch (error) {
      if (this.#isWritable) this.#options.onUnwritable?.((error as Error).message);
      this.#isWritable = false;
    }
  }

  #remember(name: string, input: KeptInput): void {
    if (this.#kept.has(name)) return;
    this.#kept.set(name, input);
    this.#bytes += bytesOf(input);
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#options.memoryBytes || oldest === name) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(kept);
    }
  }

  #file(name: string): string {
    return path.join(this.#folder!, `${sha256(name).slice(0, 32)}.safetensors`);
  }
}

const bytesOf = ({ features, answer }: KeptInput): number =>
  features.reduce(
    (sum, { data }) => sum + data.byteLength,
    answer && !isObjectAnswer(answer) ? answer.data.byteLength : 0,
  );

function fileOf({ features, answer, place }: KeptInput, key: string, name: string): ArrayFile {
  const arrays = new Map<string, NamedArray>(features.map((map, level) => [`feature.${level}`, map]));
  if (answer && isObjectAnswer(answer))
    return { arrays, metadata: { key, name, place, objects: JSON.stringify(answer) } };
  if (answer) arrays.set('answer', answer);
  if (answer?.valid) arrays.set('valid', { data: answer.valid, shape: answer.shape });
  const scale = answer ? { scale: String(answer.scale), shift: String(answer.shift) } : {};
  return { arrays, metadata: { key, name, place, ...scale } };
}

function inputOf({ arrays, metadata }: ArrayFile): KeptInput {
  const answer = arrays.get('answer');
  const { objects } = metadata;
  return {
    features: [...arrays].filter(([name]) => name.startsWith('feature.')).map(([, map]) => map),
    answer: objects
      ? (JSON.parse(objects) as ObjectAnswer)
      : answer
        ? {
            ...answer,
            valid: arrays.get('valid')?.data ?? null,
            scale: Number(metadata['scale']),
            shift: Number(metadata['shift']),
          }
        : null,
    place: metadata['place'] ?? '',
  };
}
