import { closeSync, fstatSync, openSync } from 'node:fs';
import { InputError } from '../../errors.js';
import { ProtocolBuffer, type Field } from './protocol-buffer.js';

/** An input or output of an ONNX model. */
export interface OnnxValue {
  readonly name: string;
  /** `float32`, or what it is instead. */
  readonly type: string;
  /** Sizes; a text where the model leaves one open. */
  readonly shape: readonly (number | string)[];
}

/** What an ONNX file says of itself. No weight is read. */
export interface OnnxHeader {
  /** Those that a caller gives: weights that are listed as inputs are not among them. */
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Texts that the writer added, by key. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Program that wrote it. */
  readonly producer: string;
  /** Numbers in its weights. */
  readonly weightCount: number;
  /** Names of files beside it that hold weights. */
  readonly externalFiles: readonly string[];
}

/** Element types of onnx.proto by number. */
const TYPES: Readonly<Record<number, string>> = {
  ...{ 1: 'float32', 2: 'uint8', 3: 'int8', 4: 'uint16', 5: 'int16', 6: 'int32', 7: 'int64', 8: 'string' },
  ...{ 9: 'bool', 10: 'float16', 11: 'float64', 12: 'uint32', 13: 'uint64', 16: 'bfloat16' },
};

/**
 * Reads inputs, outputs and metadata of an ONNX file; its operations and weights are passed over.
 * @throws InputError FILE_MISSING, ONNX_MODEL
 */
export function readOnnxHeader(file: string): OnnxHeader {
  const fd = openOnnx(file);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw notOnnx(file, 'it is no regular file');
    return readModel(new ProtocolBuffer(fd, found.size), file);
  } catch (cause) {
    if (cause instanceof RangeError) throw notOnnx(file, cause.message, cause);
    throw cause;
  } finally {
    closeSync(fd);
  }
}

function openOnnx(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) throw notOnnx(file, (cause as Error).message, cause);
    throw new InputError('FILE_MISSING', 'There is no such file.', {
      where: file,
      hint: `It was looked for from the folder ${process.cwd()}.`,
      cause,
    });
  }
}

const notOnnx = (where: string, reason: string, cause?: unknown): InputError =>
  new InputError('ONNX_MODEL', `The file is no ONNX model: ${reason}.`, {
    where,
    hint: 'Export the model to ONNX again, e.g. torch.onnx.export(model, example, "model.onnx").',
    cause,
  });

function readModel(reader: ProtocolBuffer, file: string): OnnxHeader {
  const metadata = new Map<string, string>();
  let producer = '';
  let graph: Field | undefined;
  for (const field of reader.fields()) {
    if (field.number === 2) producer = reader.text(field);
    if (field.number === 7) graph = field;
    if (field.number === 14) {
      const [key = '', value = ''] = [1, 2].map((number) => textOf(reader, field, number));
      metadata.set(key, value);
    }
  }
  if (!graph) throw notOnnx(file, 'it holds no graph');
  const [inputs, outputs]: [OnnxValue[], OnnxValue[]] = [[], []];
  const weights = new Set<string>();
  const externalFiles = new Set<string>();
  let weightCount = 0;
  for (const field of reader.fields(graph.start, graph.end)) {
    if (field.number === 5) {
      const tensor = readTensor(reader, field);
      weights.add(tensor.name);
      weightCount += tensor.count;
      if (tensor.location !== undefined) externalFiles.add(tensor.location);
    }
    if (field.number === 11) inputs.push(readValue(reader, field));
    if (field.number === 12) outputs.push(readValue(reader, field));
  }
  if (outputs.length === 0) throw notOnnx(file, 'its graph has no outputs');
  return {
    inputs: inputs.filter(({ name }) => !weights.has(name)),
    ...{ outputs, metadata, producer, weightCount, externalFiles: [...externalFiles] },
  };
}

function textOf(reader: ProtocolBuffer, { start, end }: Field, number: number): string | undefined {
  for (const field of reader.fields(start, end)) if (field.number === number) return reader.text(field);
  return undefined;
}

function readTensor(
  reader: ProtocolBuffer,
  { start, end }: Field,
): { readonly name: string; readonly count: number; readonly location: string | undefined } {
  let [name, count]: [string, number] = ['', 1];
  let location: string | undefined;
  for (const field of reader.fields(start, end)) {
    if (field.number === 1) for (const size of reader.numbers(field)) count *= size;
    if (field.number === 8) name = reader.text(field);
    if (field.number === 13 && textOf(reader, field, 1) === 'location') location = textOf(reader, field, 2);
  }
  return { name, count, location };
}

/** ValueInfoProto: a name, and a type that is a tensor's element type and shape. */
function readValue(reader: ProtocolBuffer, value: Field): OnnxValue {
  let [name, type]: [string, string] = ['', 'no tensor'];
  const shape: (number | string)[] = [];
  for (const field of reader.fields(value.start, value.end)) {
    if (field.number === 1) name = reader.text(field);
    if (field.number !== 2) continue;
    for (const tensor of reader.fields(field.start, field.end)) {
      if (tensor.number !== 1) continue;
      for (const part of reader.fields(tensor.start, tensor.end)) {
        if (part.number === 1) type = TYPES[part.value] ?? `element type ${part.value}`;
        if (part.number !== 2) continue;
        for (const size of reader.fields(part.start, part.end)) {
          if (size.number === 1) shape.push(readSize(reader, size));
        }
      }
    }
  }
  return { name, type, shape };
}

function readSize(reader: ProtocolBuffer, { start, end }: Field): number | string {
  for (const field of reader.fields(start, end)) {
    if (field.number === 1) return field.value;
    if (field.number === 2) return reader.text(field);
  }
  return '?';
}
