import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { openCheckpoint, type Checkpoint, type OpenCheckpointOptions } from '../checkpoints/checkpoint.js';
import { GondwanaError } from '../errors.js';
import { Canary } from './checkpoint/canary.js';
import { differences, type Expected } from './checkpoint/expected-tree.js';

const configuration = z.object({
  hyper: z.object({
    expect: z.string(),
    kind: z.string().optional(),
    container: z.string().optional(),
    file: z.string().optional(),
    files: z.array(z.string()).default([]),
    refuse: z.array(z.string()).default([]),
    wanted_prefix: z.record(z.string(), z.string()).optional(),
    // as it is: a copy would lose the name __proto__
    values: z.custom<Readonly<Record<string, number>>>().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
});

type Hyper = z.infer<typeof configuration>['hyper'];

/** A fixture as a comparison sees it. */
interface CheckpointFixture {
  readonly hyper: Hyper;
  readonly at: (file: string) => string;
  readonly expected: Expected;
}

/**
 * Opens the checkpoints of a fixture and compares what is in them with what the reference reads; files made to harm
 * or to break a reader must be refused and must have done nothing.
 * @param folder the fixture
 * @returns undefined where all is as the fixture says, else one line on the first that is not
 */
export async function runCheckpointParity(folder: string): Promise<string | undefined> {
  const at = (file: string): string => path.join(folder, file);
  const { hyper } = configuration.parse(JSON.parse(readFileSync(at('config.json'), 'utf8')));
  const answer = at('expected.json');
  const expected = existsSync(answer) ? (JSON.parse(readFileSync(answer, 'utf8')) as Expected) : null;
  const fixture = { hyper, at, expected };
  const canary = new Canary();
  try {
    const difference = await comparisonOf(fixture)(fixture);
    return canary.sign() ?? difference ?? (await firstNotRefused(hyper.refuse, fixture));
  } finally {
    canary.stop();
  }
}

type Comparison = (fixture: CheckpointFixture) => Promise<string | undefined>;

function comparisonOf({ hyper, expected }: CheckpointFixture): Comparison {
  if (hyper.expect.startsWith('refuse')) return (fixture) => firstNotRefused(hyper.files, fixture);
  if (hyper.wanted_prefix) return compareWrappers;
  if (hyper.values) return compareNames;
  if (hyper.kind === 'legal') return compareLegal;
  if (typeof expected !== 'object' || expected === null) throw new Error('the fixture has no expected.json');
  if ('must_read' in expected) return compareOpaque;
  if ('tensors_inside' in expected) return compareModule;
  return compareTree;
}

/** Opens a file, looks into it and closes it. */
async function withCheckpoint<T>(
  file: string,
  look: (checkpoint: Checkpoint) => T,
  options: OpenCheckpointOptions = {},
): Promise<T> {
  const checkpoint = await openCheckpoint(file, options);
  try {
    return look(checkpoint);
  } finally {
    checkpoint.close();
  }
}

const first = (file: string, found: readonly string[]): string | undefined =>
  found.length === 0 ? undefined : `${file}: ${found[0]}`;

/** All that the file holds, in its order; a safetensors file has none. */
const compareTree: Comparison = ({ hyper, at, expected }) => {
  const file = hyper.file ?? hyper.files[0] ?? 'checkpoint.pth';
  return withCheckpoint(at(file), ({ container, tree, metadata }) => {
    const anyOrder = container.startsWith('safetensors');
    const found = differences(tree, expected, { anyOrder });
    const texts = Object.entries(hyper.metadata ?? {}).filter(([key, text]) => metadata.get(key) !== text);
    return first(file, [
      ...(hyper.container && hyper.container !== container ? [`its form is taken for ${container}`] : []),
      ...found,
      ...texts.map(([key, text]) => `its text "${key}" is ${metadata.get(key)} for ${text}`),
    ]);
  });
};

/** The same weights inside the wrappers of training scripts: `PREFIX (of 'SECTION')`. */
const compareWrappers: Comparison = async ({ hyper, at, expected }) => {
  const wanted = (expected as { readonly $dict: readonly (readonly [string, Expected])[] }).$dict;
  for (const [file, text] of Object.entries(hyper.wanted_prefix!)) {
    const [, prefix, section] = /^(.*?)\s*(?:\(of '(.*)'\))?$/.exec(text)!;
    const found = await withCheckpoint(
      at(file),
      ({ tensors }) => {
        const start = withoutRuntimePrefixes(prefix!);
        return wanted.flatMap(([name, tensor]) => differences(tensors.get(start + name), tensor, {}, name));
      },
      section === undefined ? {} : { section },
    );
    if (found.length > 0) return first(file, found);
  }
  return undefined;
};

/** Prefixes of running on several devices and of compiling are taken off; the rest is left to rename rules. */
const withoutRuntimePrefixes = (prefix: string): string => prefix.replace(/^(_orig_mod\.|module\.)*/, '');

/** Names that every object of JavaScript inherits are ordinary names. */
const compareNames: Comparison = async ({ hyper, at }) => {
  const values = Object.entries(hyper.values!);
  const [main, ...others] = hyper.files;
  const mayRefuse = hyper.expect.includes('refuse');
  for (const file of others) {
    const outcome = await openAll(at(file));
    if (outcome.code !== undefined && !mayRefuse) return `${file}: ${outcome.code}`;
  }
  const outcome = await openAll(at(main!));
  if (outcome.code !== undefined) return mayRefuse ? undefined : `${main}: ${outcome.code}`;
  return withCheckpoint(at(main!), ({ tensors }) => {
    const wrong = values.filter(([name, value]) => tensors.get(name)?.readFloat32()[0] !== value);
    const surplus = [...tensors.keys()].filter((name) => !values.some(([wanted]) => wanted === name));
    return first(main!, [
      ...wrong.map(([name, value]) => `${name} is not ${value}`),
      ...surplus.map((name) => `${name} is not expected`),
    ]);
  });
};

/** Kinds of tensors that PyTorch writes and that may be left unread, if they are named; the others are read. */
const compareLegal: Comparison = async ({ hyper, at }) => {
  for (const file of hyper.files) {
    const outcome = await openAll(at(file));
    if (outcome.code !== undefined) {
      if (outcome.code === 'CHECKPOINT_UNSUPPORTED') continue;
      return `${file}: ${outcome.code}`;
    }
    const found = await withCheckpoint(at(file), ({ tensors, unsupported }) => [
      ...(tensors.get('w')?.readFloat32().join() === '1,1' ? [] : ['w is not [1, 1]']),
      ...(unsupported.size > 0 || tensors.size > 1 ? [] : ['the other tensor is neither read nor named']),
    ]);
    if (found.length > 0) return first(file, found);
  }
  return undefined;
};

/** Classes that do not exist here stay names and do not hide the weights. */
const compareOpaque: Comparison = ({ hyper, at, expected }) => {
  const file = hyper.file ?? 'checkpoint.pth';
  const { must_read: parts, opaque_globals: opaque = [] } = expected as unknown as {
    readonly must_read: Readonly<Record<string, Expected>>;
    readonly opaque_globals?: readonly string[];
  };
  return withCheckpoint(at(file), ({ tree, names }) => {
    const found = Object.entries(parts).flatMap(([key, part]) =>
      differences(tree instanceof Map ? tree.get(key) : undefined, part, {}, key),
    );
    const hidden = opaque.filter((name) => !spellings(name).some((spelling) => names.includes(spelling)));
    return first(file, [...found, ...hidden.map((name) => `the name ${name} is not told`)]);
  });
};

/** A name, its name under protocol 2, and what stands behind it: `builtins.range (xrange under __builtin__)`. */
function spellings(text: string): string[] {
  const [, name, other, module] = /^(\S+)(?: \((\S+) under (\S+)\))?$/.exec(text) ?? [];
  if (name === undefined) return [text];
  const old = name.replace(/^builtins\./, '__builtin__.');
  return [name, old, ...(other === undefined ? [] : [`${module}.${other}`])];
}

/** Parameters and buffers of a whole pickled module. */
const compareModule: Comparison = async ({ hyper, at, expected }) => {
  const file = hyper.file ?? 'checkpoint.pth';
  const { tensors_inside: inside } = expected as unknown as {
    readonly tensors_inside: Readonly<Record<string, Expected>>;
  };
  return withCheckpoint(at(file), ({ tensors }) =>
    first(file, [
      ...Object.entries(inside).flatMap(([name, tensor]) =>
        differences(tensors.get(name), tensor, { ignoreParameter: true }, name),
      ),
      ...[...tensors.keys()].filter((name) => !Object.hasOwn(inside, name)).map((name) => `${name} is more`),
    ]),
  );
};

/** Files of the fixtures that may be opened, by what their names begin with: why that is right. */
const MAY_OPEN: Readonly<Record<string, string>> = {
  after_stop: 'what stands behind the end of the pickle is never read',
  duplicate_key: 'the reference takes the last of two equal keys as well',
  self_reference: 'a list inside itself is only a list',
  billion_laughs: 'lists that are shared, not copied, take no room',
  big_endian_record: 'both byte orders may be read',
  huge_expanded: 'a view that repeats elements is no larger than its storage until it is read',
};

/** Refusals of a file that is no good checkpoint. */
const REFUSALS = ['CHECKPOINT_MALFORMED', 'CHECKPOINT_UNSUPPORTED', 'CHECKPOINT_HOSTILE', 'CHECKPOINT_EMPTY'];

/** Each takes milliseconds; the limit is for a busy machine. */
const MAX_MS = 3000;
/** No claim of a length is believed: the largest claims are 2^31 bytes and more. */
const MAX_BYTES = 500e6;

async function firstNotRefused(
  files: readonly string[],
  { at }: CheckpointFixture,
): Promise<string | undefined> {
  const before = process.memoryUsage().rss;
  for (const file of files) {
    const start = performance.now();
    const { code, hint } = await openAll(at(file));
    const elapsedMs = performance.now() - start;
    if (code === undefined) {
      if (!Object.keys(MAY_OPEN).some((stem) => file.startsWith(`${stem}.`)))
        return `${file}: it is not refused`;
    } else if (!REFUSALS.includes(code)) return `${file}: it is refused as ${code}`;
    else if (!hint) return `${file}: ${code} does not say what to do`;
    if (elapsedMs > MAX_MS) return `${file}: it took ${Math.round(elapsedMs)} ms`;
  }
  const grown = process.memoryUsage().rss - before;
  return grown > MAX_BYTES ? `memory grew by ${Math.round(grown / 1e6)} MB` : undefined;
}

interface Outcome {
  /** Of the typed error; undefined where the file was read. */
  readonly code?: string;
  readonly hint?: string | undefined;
}

/** Opens a file and reads all of its tensors. */
async function openAll(file: string): Promise<Outcome> {
  try {
    return await withCheckpoint(file, ({ tensors }) => {
      for (const tensor of tensors.values()) tensor.read();
      return {};
    });
  } catch (error) {
    if (!(error instanceof GondwanaError)) throw error;
    return { code: error.code, hint: error.hint };
  }
}
