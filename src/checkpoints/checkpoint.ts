import { InputError } from '../errors.js';
import { readPickle, type PickleValue } from '../io/pickle.js';
import { describeImpostor, looksLikeText, SNIFF_BYTES } from '../io/sniff.js';
import { malformed, unsupported } from './checkpoint-error.js';
import { FileBytes } from './file-bytes.js';
import { readSafetensors, readShardedSafetensors } from './safetensors.js';
import { findStateDict } from './state-dict.js';
import type { TensorEntry } from './tensor-entry.js';
import { isTorchLegacy, readTorchLegacy, readTorchZip } from './torch-file.js';

export type CheckpointContainer = 'torch-zip' | 'torch-legacy' | 'safetensors' | 'safetensors-sharded';

/** An open weight file. Nothing of it was executed and no tensor is in memory yet. */
export interface Checkpoint {
  readonly path: string;
  readonly container: CheckpointContainer;
  /** All the file holds, as plain values; tensors in it are `TensorEntry` objects. */
  readonly tree: PickleValue;
  /** The weights by name, after `unwrapped` was taken away. */
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Keys and prefixes around the weights, from the outside in: `state_dict`, `module.`. */
  readonly unwrapped: readonly string[];
  /** Tensors whose kind is not read (sparse, quantized, float8), with the reason. */
  readonly unsupported: ReadonlyMap<string, string>;
  /** Classes and functions that the file names; they stay names. */
  readonly names: readonly string[];
  /** Texts that a safetensors file carries. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Frees the file; tensors cannot be read afterwards. */
  close(): void;
}

export interface OpenCheckpointOptions {
  /** Key that holds the wanted weights where there are several sets: `model_ema`, `student`. */
  readonly section?: string;
}

interface Opened {
  readonly container: CheckpointContainer;
  readonly tree: PickleValue;
  readonly names: readonly string[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly close: () => void;
}

/**
 * Opens a weight file by its content, whatever its name: PyTorch (zip or the older form), safetensors, or the
 * index of a sharded safetensors. Reads names and shapes only, so that it takes as long for 2 GB as for 2 MB.
 * Classes that the file names become opaque records; files that name functions which run code are refused.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, CHECKPOINT_MALFORMED, CHECKPOINT_UNSUPPORTED,
 *   CHECKPOINT_HOSTILE, CHECKPOINT_EMPTY (no tensors, or none in `section`)
 */
export async function openCheckpoint(file: string, options: OpenCheckpointOptions = {}): Promise<Checkpoint> {
  const opened = await openByContent(file).catch((error: unknown) => {
    throw asCheckpointError(error, file);
  });
  try {
    const found = findStateDict(opened.tree, options.section, file);
    if (found.tensors.size === 0) throw emptyError(opened, found.unsupported, options.section, file);
    return { ...opened, ...found, path: file };
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function openByContent(file: string): Promise<Opened> {
  const bytes = FileBytes.open(file);
  let isKept = false; // the older torch form and safetensors go on reading from it
  try {
    const head = bytes.read(0, Math.min(bytes.size, SNIFF_BYTES));
    const impostor = describeImpostor(head, bytes.size);
    if (impostor) throw malformedAs(file, impostor.what, impostor.hint);
    if (startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06')) {
      return { container: 'torch-zip', metadata: new Map(), ...(await readTorchZip(file)) };
    }
    if (isTorchLegacy(head)) {
      const content = readTorchLegacy(bytes);
      isKept = true;
      return { container: 'torch-legacy', metadata: new Map(), ...content };
    }
    refuseOtherForms(head, file);
    if (head[8] === 0x7b || file.endsWith('.safetensors')) {
      const { tensors, ...content } = readSafetensors(bytes);
      isKept = true;
      return { container: 'safetensors', tree: new Map(tensors), names: [], ...content };
    }
    if (/^\s*\{/.test(Buffer.from(head).toString('latin1'))) {
      const { tensors, ...content } = readShardedSafetensors(file);
      return { container: 'safetensors-sharded', tree: new Map(tensors), names: [], ...content };
    }
    throw notACheckpoint(head, file);
  } finally {
    if (!isKept) bytes.close();
  }
}

const startsWith = (head: Uint8Array, text: string): boolean =>
  Buffer.from(head.subarray(0, text.length)).equals(Buffer.from(text, 'latin1'));

const OTHER_FORMS: readonly (readonly [start: string, what: string, hint: string])[] = [
  ['\x89HDF\r\n', 'an HDF5 file (Keras)', 'Convert it to safetensors.'],
  ['\x93NUMPY', 'a NumPy array', 'Save the weights as safetensors.'],
  ['\x1f\x8b', 'a gzip archive', 'Unpack it first.'],
  ['GGUF', 'a GGUF file', 'Get the weights as safetensors.'],
];

function refuseOtherForms(head: Uint8Array, file: string): void {
  for (const [start, what, hint] of OTHER_FORMS) {
    if (startsWith(head, start)) throw unsupported(file, `The file is ${what}, which is not read.`, hint);
  }
  if (Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar') {
    throw unsupported(
      file,
      'The file is a tar archive (PyTorch before 0.1.10).',
      'Save it again with a newer PyTorch.',
    );
  }
}

function notACheckpoint(head: Uint8Array, file: string): InputError {
  const wanted =
    'Known forms: PyTorch (.pth, .pt, .ckpt), safetensors, and the index of a sharded safetensors.';
  if (looksLikeText(head)) return malformedAs(file, 'The file is text, not a checkpoint.', wanted);
  if (head[0] === 0x80 && head[1]! <= 5) return pickleError(head, file);
  return malformedAs(file, 'The file is of no form that is known.', wanted);
}

/** A pickle that PyTorch did not write: say whether even its first instructions make sense. */
function pickleError(head: Uint8Array, file: string): InputError {
  let first: unknown;
  try {
    first = readPickle(head, { where: file, maxObjects: 1000 });
  } catch {
    first = undefined;
  }
  const mark = typeof first === 'bigint' || typeof first === 'number' ? ` Its mark is ${first}.` : '';
  const hint = 'Save the weights with torch.save or as safetensors.';
  return malformedAs(file, `The file is a Python pickle that PyTorch did not write.${mark}`, hint);
}

const malformedAs = (where: string, what: string, hint: string): InputError =>
  new InputError('CHECKPOINT_MALFORMED', what, { where, hint });

/** Troubles of the zip archive and of the pickle are troubles of the checkpoint to those who open one. */
function asCheckpointError(error: unknown, file: string): unknown {
  if (!(error instanceof InputError)) return error;
  if (error.code === 'PICKLE_UNSUPPORTED') return unsupported(file, error.message, error.hint, error);
  return /^(ZIP|PICKLE)_/.test(error.code) ? malformed(file, error.message, error) : error;
}

function emptyError(
  { names }: Opened,
  unread: ReadonlyMap<string, string>,
  section: string | undefined,
  where: string,
): InputError {
  const kinds = [...unread].slice(0, 3).map(([name, reason]) => `${name}: ${reason}`);
  const others = kinds.length > 0 ? ` Tensors that are not read: ${kinds.join(', ')}.` : '';
  const named = names.length > 0 ? ` It names ${names.slice(0, 5).join(', ')}.` : '';
  const place = section === undefined ? 'The checkpoint' : `"${section}" of the checkpoint`;
  return new InputError('CHECKPOINT_EMPTY', `${place} holds no tensors by name.${others}${named}`, {
    where,
    hint: 'Save the state dict: torch.save(model.state_dict(), FILE).',
  });
}
