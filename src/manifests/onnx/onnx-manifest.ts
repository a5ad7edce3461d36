import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { InputError } from '../../errors.js';
import type { EncoderManifest } from '../encoder-manifest.js';
import { sha256 } from '../sha256.js';
import { readOnnxHeader, type OnnxValue } from './onnx-header.js';

/** Whether an encoder is named by the path of an ONNX file. */
export const isOnnxPath = (encoder: string): boolean => /\.onnx$/i.test(encoder);

const bands = z.array(z.string()).min(1);

/** What the writer of a file may add under the key `gondwana` of its metadata, as JSON. */
const declaration = z.strictObject({
  /** In the order of the input; of several inputs by their names. */
  bands: z.union([bands, z.record(z.string(), bands)]).optional(),
  layout: z.enum(['NCHW', 'NHWC']).optional(),
  outputs: z.array(z.string()).min(1).optional(),
  patchSize: z.int().positive().optional(),
  prefixTokens: z.int().nonnegative().optional(),
  /** What the model was trained on: (pixel − mean) / standardDeviation. */
  input: z.strictObject({ mean: z.array(z.number()), standardDeviation: z.array(z.number()) }).optional(),
});

/**
 * The manifest of an encoder that is named by the path of an ONNX file: one modality an input, by the input's name; bands
 * as the file declares them, else any.
 * @throws InputError FILE_MISSING, ONNX_MODEL
 */
export function onnxManifest(given: string): EncoderManifest {
  const file = path.resolve(given);
  const header = readOnnxHeader(file);
  const declared = declarationOf(header.metadata.get('gondwana'), file);
  const { layout = 'NCHW', bands: named, input = null, ...hyperparameters } = declared;
  const bandsOf = (name: string): readonly string[] =>
    (Array.isArray(named) ? (header.inputs.length === 1 ? named : undefined) : named?.[name]) ?? [];
  const digest = onnxDigest(file, header.externalFiles);
  return {
    id: given,
    family: 'onnx',
    title: `${path.basename(file)}, an ONNX model${header.producer ? ` by ${header.producer}` : ''}`,
    reference: 'not said',
    aliases: [],
    benchmarks: [],
    modalities: Object.fromEntries(header.inputs.map(({ name }) => [name, { bands: bandsOf(name) }])),
    imageSize: sizeOf(header.inputs[0], layout),
    hyperparameters: { ...hyperparameters, layout },
    features: [],
    parameters: header.weightCount > 0 ? { count: header.weightCount, source: 'numbers in the file' } : null,
    weights: {
      source: { page: pathToFileURL(file).href, licence: 'not said' },
      ...{ file, sha256: digest, bytes: statSync(file).size, preTraining: 'not said', input },
    },
    notes: ['It stays frozen: an ONNX model has no gradients here.'],
    // of the content, wherever the file lies
    hash: sha256(JSON.stringify({ digest, declared })),
  };
}

function declarationOf(text: string | undefined, file: string): z.infer<typeof declaration> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw undeclared(file, (cause as Error).message, cause);
  }
  const result = declaration.safeParse(value);
  if (result.success) return result.data;
  const { path: member, message } = result.error.issues[0]!;
  throw undeclared(file, `${member.join('.') || 'all of it'}: ${message}`);
}

const undeclared = (where: string, reason: string, cause?: unknown): InputError =>
  new InputError('ONNX_MODEL', `What the file declares under "gondwana" is not understood: ${reason}`, {
    where,
    hint: 'It is JSON such as {"bands": ["B4", "B3", "B2"]}; docs/guide/encoders.md lists the members.',
    cause,
  });

function sizeOf(input: OnnxValue | undefined, layout: 'NCHW' | 'NHWC'): [number, number] | null {
  const [height, width] = (input?.shape ?? []).slice(layout === 'NCHW' ? 2 : 1);
  return typeof height === 'number' && typeof width === 'number' ? [height, width] : null;
}

/** Digests by path, size and time: planning asks for them again and again. */
const digests = new Map<string, string>();

/**
 * sha256 of an ONNX file; where it keeps weights in files beside it, of the digests of all.
 * @throws InputError ONNX_MODEL for a file that is named outside its folder or missing
 */
export function onnxDigest(file: string, externalFiles = readOnnxHeader(file).externalFiles): string {
  const own = fileDigest(file);
  if (externalFiles.length === 0) return own;
  const parts = [...externalFiles].sort().map((name) => {
    const external = path.resolve(path.dirname(file), name);
    const isBeside = external.startsWith(path.dirname(file) + path.sep);
    if (isBeside && statSync(external, { throwIfNoEntry: false })?.isFile()) return fileDigest(external);
    throw new InputError('ONNX_MODEL', `The weights that the model keeps in "${name}" are not there.`, {
      where: file,
      hint: 'Lay the files of the model into one folder, under the names that they were exported with.',
    });
  });
  return sha256([own, ...parts].join('\n'));
}

function fileDigest(file: string): string {
  const { size, mtimeMs } = statSync(file);
  const key = `${file} ${size} ${mtimeMs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(2 ** 22);
  const fd = openSync(file, 'r');
  try {
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk))
      hash.update(chunk.subarray(0, count));
  } finally {
    closeSync(fd);
  }
  const digest = hash.digest('hex');
  digests.set(key, digest);
  return digest;
}
