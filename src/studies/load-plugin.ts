import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compiledFile } from '../compiled.js';
import type { DatasetDefinition } from '../datasets/dataset.js';
import { datasets } from '../datasets/registry.js';
import type { DecoderFamily } from '../decoders/decoder.js';
import { registerDecoder } from '../decoders/register-decoder.js';
import type { EncoderDefinition } from '../encoders/encoder.js';
import { registerEncoder } from '../encoders/register-encoder.js';
import { InputError } from '../errors.js';
import { registerManifest, shippedManifests } from '../manifests/read-manifest.js';
import { sha256 } from '../manifests/sha256.js';
import { registerOwn } from '../registry.js';
import { importModule, importTypeScript } from './import-typescript.js';
import { notePlugin } from './loaded-plugins.js';

export { loadedPlugins } from './loaded-plugins.js';

/** What `defineDataset`, `defineEncoder` and `defineDecoder` make. */
export type OwnDefinition = DatasetDefinition | EncoderDefinition | DecoderFamily;

/** What a plugin has added. */
export interface LoadedPlugin {
  readonly file: string;
  readonly datasets: readonly string[];
  readonly encoders: readonly string[];
  readonly decoders: readonly string[];
}

/**
 * Adds the datasets, encoders and decoders that a `.ts` or `.mjs` file exports, so that their ids go wherever an id
 * goes in this process. Other exports are left alone.
 * @throws InputError PLUGIN_FILE (missing, does not load), PLUGIN_EMPTY; UsageError ID_TAKEN
 */
export async function loadPlugin(given: string): Promise<LoadedPlugin> {
  const file = path.resolve(given);
  if (!existsSync(file)) {
    throw new InputError('PLUGIN_FILE', 'There is no such file.', {
      where: file,
      hint: `"${given}" was looked for from the folder ${process.cwd()}.`,
    });
  }
  const userFile = { path: file, code: 'PLUGIN_FILE', what: 'plugin' } as const;
  // a shipped study's own code, which a task is given like a user's: its digest is what it was when the study was planned
  const isShipped = path.dirname(file) === compiledFile('shipped');
  const { exports, digest } = isShipped
    ? { exports: await importModule(file), digest: sha256(readFileSync(file, 'utf8')) }
    : await importTypeScript(userFile, asPluginError);
  const found = registerExports(file, exports, digest);
  if (found.length === 0) {
    throw new InputError('PLUGIN_EMPTY', 'The file exports no dataset, encoder or decoder.', {
      where: file,
      hint: 'Export what defineDataset, defineEncoder or defineDecoder gives: export const mine = defineDataset(…);',
    });
  }
  const ids = (kind: Kind): string[] =>
    found.filter((entry) => entry.kind === kind).map(({ definition }) => definition.id);
  return { file, datasets: ids('dataset'), encoders: ids('encoder'), decoders: ids('decoder') };
}

/**
 * Adds the datasets, encoders and decoders among the exports of a file, a study's too. Processes that this one starts load
 * the file again. @throws UsageError ID_TAKEN
 */
export function registerExports(
  file: string,
  exports: Readonly<Record<string, unknown>>,
  digest: string,
): { readonly kind: Kind; readonly definition: OwnDefinition }[] {
  const found = Object.values(exports)
    .flat()
    .map(kindOf)
    .filter((entry) => entry !== undefined);
  for (const { definition } of found) registerDefinition(definition, digest);
  if (found.length > 0) notePlugin(file);
  return found;
}

/**
 * Makes a definition's id go wherever an id goes in this process; the same id again replaces it.
 * @param digest of the code that makes it; runs that use it record this
 * @throws UsageError ID_TAKEN where the id is one of ours
 */
export function registerDefinition(definition: OwnDefinition, digest: string): void {
  const { kind } = kindOf(definition)!;
  if (kind === 'encoder') {
    registerEncoder(definition as EncoderDefinition, digest);
    return;
  }
  if (kind === 'decoder') {
    registerDecoder(definition as DecoderFamily, digest);
    return;
  }
  const shipped = [...Object.keys(datasets), ...shippedManifests('datasets')];
  registerOwn('dataset', definition.id, { thing: definition, digest }, shipped);
  const { manifest } = definition as DatasetDefinition;
  if (manifest) registerManifest('datasets', definition.id, manifest);
}

type Kind = 'dataset' | 'encoder' | 'decoder';

/** Told by what a definition can do; undefined for any other value. */
function kindOf(value: unknown): { readonly kind: Kind; readonly definition: OwnDefinition } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const has = (name: string): boolean => typeof (value as Record<string, unknown>)[name] === 'function';
  if (typeof (value as { id?: unknown }).id !== 'string') return undefined;
  const definition = value as OwnDefinition;
  if (has('entries') && has('read')) return { kind: 'dataset', definition };
  if (has('build')) return { kind: has('weights') ? 'encoder' : 'decoder', definition };
  const { manifest } = value as { manifest?: { family?: unknown } };
  if (typeof manifest?.family === 'string') return { kind: 'encoder', definition };
  return undefined;
}

function asPluginError(cause: unknown, file: string): InputError {
  if (cause instanceof InputError && cause.code === 'PLUGIN_FILE') return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const where = cause instanceof InputError ? `${file}, ${cause.where}` : file;
  return new InputError('PLUGIN_FILE', `The plugin does not load: ${message}`, {
    where,
    hint:
      (cause instanceof InputError && cause.hint) ||
      'Correct the file; docs/guide/plugins.md has one that works.',
    cause,
  });
}
