import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { InputError } from '../../errors.js';
import { statOf } from './stamp.js';

/** A pattern of `paths`: `@lib/*` is prefix `@lib/`, suffix ``; a pattern without `*` matches exactly. */
export interface PathMapping {
  readonly pattern: string;
  /** Absolute; `*` stands for what the pattern's `*` matched. */
  readonly targets: readonly string[];
}

/** What running code needs of a tsconfig.json, its `extends` followed. */
export interface TsConfig {
  /** The file itself and all it extends, for noticing changes. */
  readonly files: readonly string[];
  readonly baseUrl?: string;
  readonly paths: readonly PathMapping[];
  /** Options as written, those of extended files below; paths in them are not made absolute. */
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/**
 * Reads a tsconfig.json without TypeScript, which takes half a second to load.
 * @throws InputError TSCONFIG: not JSON (comments and trailing commas are allowed), or extends what is missing
 */
export function readTsConfig(file: string): TsConfig {
  return read(file, []);
}

function read(file: string, above: readonly string[]): TsConfig {
  if (above.includes(file)) throw problem(file, 'It extends itself.');
  const json = parse(file);
  const own = isObject(json.compilerOptions) ? json.compilerOptions : {};
  const files = [file];
  let compilerOptions: Record<string, unknown> = {};
  let baseUrl: string | undefined;
  let paths: readonly PathMapping[] = [];
  const parents = typeof json.extends === 'string' ? [json.extends] : json.extends;
  for (const parent of Array.isArray(parents) ? parents : []) {
    const inherited = read(findExtended(String(parent), file), [...above, file]);
    files.push(...inherited.files);
    compilerOptions = { ...compilerOptions, ...inherited.compilerOptions };
    baseUrl = inherited.baseUrl ?? baseUrl;
    if (inherited.paths.length > 0) paths = inherited.paths;
  }
  const outermost = path.dirname(above[0] ?? file);
  const absolute = (name: string, base: string): string =>
    path.resolve(base, name.replace('${configDir}', outermost));
  if (typeof own.baseUrl === 'string') baseUrl = absolute(own.baseUrl, path.dirname(file));
  if (isObject(own.paths)) {
    const base = baseUrl ?? path.dirname(file);
    paths = Object.entries(own.paths).map(([pattern, targets]) => ({
      pattern,
      targets: (Array.isArray(targets) ? targets : []).map((target) => absolute(String(target), base)),
    }));
  }
  return {
    files,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    paths,
    compilerOptions: { ...compilerOptions, ...own },
  };
}

/** The absolute files or folders a specifier may mean by `paths`, best first; exact patterns win, then long prefixes. */
export function mappedPaths(specifier: string, paths: readonly PathMapping[]): string[] {
  let best: { length: number; matched: string; mapping: PathMapping } | undefined;
  for (const mapping of paths) {
    const star = mapping.pattern.indexOf('*');
    if (star === -1) {
      if (mapping.pattern === specifier) return [...mapping.targets];
      continue;
    }
    const prefix = mapping.pattern.slice(0, star);
    const suffix = mapping.pattern.slice(star + 1);
    const fits =
      specifier.length >= prefix.length + suffix.length &&
      specifier.startsWith(prefix) &&
      specifier.endsWith(suffix);
    if (fits && (best === undefined || prefix.length > best.length)) {
      const matched = specifier.slice(prefix.length, specifier.length - suffix.length);
      best = { length: prefix.length, matched, mapping };
    }
  }
  return best?.mapping.targets.map((target) => target.replace('*', () => best.matched)) ?? [];
}

function parse(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw problem(file, 'It cannot be read.', cause);
  }
  try {
    const json: unknown = JSON.parse(withoutComments(text) || '{}');
    if (isObject(json)) return json;
  } catch (cause) {
    throw problem(file, `It is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  throw problem(file, 'It is no JSON object.');
}

/** JSON of JSON with comments and trailing commas. */
function withoutComments(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (token) => (token.startsWith('"') ? token : ' '))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (token) => (token.startsWith('"') ? token : ''))
    .trim();
}

function findExtended(name: string, from: string): string {
  const isFile = (candidate: string): boolean => statOf(candidate)?.isFile() === true;
  if (name.startsWith('.') || path.isAbsolute(name)) {
    const file = path.resolve(path.dirname(from), name);
    const found = [file, `${file}.json`].find(isFile);
    if (found !== undefined) return found;
    throw problem(from, `It extends "${name}", and there is no such file.`);
  }
  const resolver = createRequire(from);
  for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      const file = resolver.resolve(candidate);
      if (file.endsWith('.json') && existsSync(file)) return file;
    } catch {
      // the next form may be the one
    }
  }
  throw problem(from, `It extends "${name}", and that package is not installed.`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const problem = (file: string, message: string, cause?: unknown): InputError =>
  new InputError('TSCONFIG', `tsconfig.json cannot be used. ${message}`, {
    where: file,
    hint: 'Correct the file; until then its "paths" and options are not followed.',
    cause,
  });
