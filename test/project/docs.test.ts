import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/needs.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => path.join(folder, file));
}

// what a comparison says of a reader is no error that a user meets
const isCompared = (file: string): boolean => file.startsWith(path.join('src', 'parity', 'cases'));
const sources = [
  ...filesBelow('src', '.ts').filter((file) => !isCompared(file)),
  ...filesBelow('tools', '.mjs'),
];

/** Upper-case names in quotes that are no error codes: bands, attribute types, storage types, environment variables, states of Slurm's, codes and flags of Node. */
const otherNames =
  /^(TF_|ERR_|F[68]_|SLURM_ARRAY_|JOB_COMPLETION_|PBS_|SGE_|LSB_|REQUEUE_|RESV_DEL_|STAGE_OUT$|SPECIAL_EXIT$|GONDWANA_|DEBIAN_|INIT_|TIMESTAMP_|ABORT_ERR$|USE_MAIN_CONTEXT|(NIR|SWIR|RED_EDGE|S2|COASTAL|WATER)_)/;

/** Codes as they stand in the sources: `'NO_PIP'`, `code: 'STOPPED'`, `new RunError('TRUNCATED'`. */
function codesIn(text: string): string[] {
  const long = [...text.matchAll(/['"`]([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?=['":])/g)];
  const short = [...text.matchAll(/(?:Error|super)\(\s*'([A-Z]+)'|code: '([A-Z]+)'/g)];
  return [...long, ...short]
    .map((match) => (match[1] ?? match[2])!)
    .filter((code) => !otherNames.test(code) && !/^E[A-Z]+$/.test(code)); // ENOENT and the like are the system's
}

describe('docs/guide/errors.md', () => {
  const documented = new Set(
    [...read('docs/guide/errors.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map((match) => match[1]!),
  );

  it('has every code of the sources', () => {
    const missing = sources.flatMap((file) =>
      codesIn(read(file))
        .filter((code) => !documented.has(code))
        .map((code) => `${code} (${file})`),
    );
    expect(missing).toEqual([]);
  });

  it('has no code that is gone', () => {
    const text = sources.map(read).join('\n');
    const made = /^(DATASET|ENCODER_FAMILY|DECODER)_UNKNOWN$/; // put together by registry.ts
    expect(
      [...documented].filter(
        (code) => !text.includes(code) && !made.test(code) && code !== 'GONDWANA_ENGINE',
      ),
    ).toEqual([]);
  });
});

describe('the documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow('docs', '.md')];

  it('link to files that exist', () => {
    const broken = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map((match) => path.join(path.dirname(file), match[1]!))
        .filter((target) => !existsSync(path.join(root, target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('that the sources name exist', () => {
    const named = sources.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/.])docs\/[\w/-]+\.md/g)].map((match) => match[0]),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('give one reason for every dependency, and for no other', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'];
    const rows = [...read('docs/decisions/0006-dependencies.md').matchAll(/^\| (`.+?) +\|/gm)];
    const named = rows.flatMap((row) => [...row[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
    expect(named.sort()).toEqual(kinds.flatMap((kind) => Object.keys(manifest[kind]!)).sort());
  });

  it('are cited under the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('CITATION.cff')).toContain(`version: ${version}`);
    expect(read('CHANGELOG.md')).toContain(`## ${version}`);
    expect(read('README.md')).toContain(`"gondwana": "${version}"`);
  });

  it('show the overrides that package.json itself has', () => {
    const block = /```json\n([\s\S]+?)```/.exec(read('README.md'))![1]!;
    const shown = JSON.parse(block) as { overrides: Record<string, string> };
    const own = JSON.parse(read('package.json')) as {
      overrides: Record<string, string>;
      dependencies: Record<string, string>;
    };
    const resolved = Object.entries(own.overrides).map(([name, to]) => [
      name,
      to.startsWith('$') ? own.dependencies[to.slice(1)] : to,
    ]);
    expect(shown.overrides).toEqual(Object.fromEntries(resolved));
  });

  it('have the licence text unmodified', () => {
    const text = read('LICENSE');
    expect(text).toContain('Version 2.0, January 2004');
    expect(text).toContain('END OF TERMS AND CONDITIONS');
    expect(text).toHaveLength(11358);
  });
});

describe('lines that start Jupyter', () => {
  it('give the kernels an absolute folder: a relative one is looked up where the notebook lies', () => {
    const texts = ['README.md', 'docs/guide/notebooks.md', 'notebooks/quickstart.ipynb'].map((file) =>
      readFileSync(path.join(root, file), 'utf8'),
    );
    const values = texts.flatMap((text) =>
      [...text.matchAll(/JUPYTER_PATH=(\S+)/g)].map((match) => match[1]!),
    );
    expect(values.length).toBeGreaterThanOrEqual(3);
    for (const value of values) expect(value.replaceAll('\\', '')).toMatch(/^"\$PWD(\/[\w/]+)?"$/);
  });
});
