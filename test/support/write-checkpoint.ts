import { writeFileSync } from 'node:fs';
import { torchName } from '../../src/encoders/load-weights.js';
import type { EncoderFamily } from '../../src/encoders/encoder.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { createShapeScope, type ParameterShape } from '../../src/layers/parameters.js';

/** Sizes of tensors by name. */
export type Shapes = Readonly<Record<string, readonly number[]>>;

/** The tensors that a checkpoint of a family has, in PyTorch's axes. */
export function checkpointShapes(
  family: EncoderFamily,
  hyperparameters: Readonly<Record<string, unknown>>,
): Record<string, readonly number[]> {
  const found: ParameterShape[] = [];
  family.build(createShapeScope(found), hyperparameters, CORRECTED);
  return Object.fromEntries(found.map((parameter) => [torchName(parameter.name), torchAxes(parameter)]));
}

/** [...taps, in, out] → [out, in, ...taps]; depthwise [...taps, channels, 1] → [channels, 1, ...taps]. */
function torchAxes({ role, shape }: ParameterShape): readonly number[] {
  if (!role.endsWith('kernel')) return shape;
  const [inner, outer] = shape.slice(-2) as [number, number];
  const taps = shape.slice(0, -2);
  return role === 'depthwise-kernel' ? [inner, 1, ...taps] : [outer, inner, ...taps];
}

/** Writes a safetensors file of zeros. */
export function writeCheckpoint(file: string, shapes: Shapes): string {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    const begin = end;
    end += 4 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [begin, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(file, Buffer.concat([length, text, Buffer.alloc(end)]));
  return file;
}
