import { matchWeights, type LoadReport } from '../checkpoints/load-report.js';
import { openCheckpoint } from '../checkpoints/checkpoint.js';
import type { Parameter, ParameterStore } from '../layers/parameters.js';
import type { WeightRules } from './encoder.js';

/**
 * Loads a checkpoint into the parameters below `prefix/`. Kernels are turned from PyTorch's axes to ours:
 * [out, in, height, width] → [height, width, in, out], depthwise [channels, 1, height, width] →
 * [height, width, channels, 1], linear [out, in] → [in, out].
 * @throws InputError CHECKPOINT_KEYS for tensors that no rule explains, and what openCheckpoint throws
 */
export async function loadWeights(
  file: string,
  store: ParameterStore,
  prefix: string,
  rules: WeightRules,
): Promise<LoadReport> {
  const parameters = new Map(
    store.under(prefix).map((parameter) => [parameter.name.slice(prefix.length + 1), parameter]),
  );
  const checkpoint = await openCheckpoint(file);
  try {
    const given = new Map([...checkpoint.tensors].map(([name, { shape }]) => [name, shape]));
    const wanted = new Map(
      [...parameters].map(([name, parameter]) => [torchName(name), torchShape(parameter)]),
    );
    const report = matchWeights(given, wanted, { ...rules, where: file });
    const sources = new Map(report.used.map(({ checkpointName, modelName }) => [modelName, checkpointName]));
    const values = new Map<string, { data: Float32Array; shape: readonly number[] }>();
    for (const [name, parameter] of parameters) {
      const source = sources.get(torchName(name))!;
      const data = checkpoint.tensors.get(source)!.readFloat32();
      values.set(parameter.name, { data: fromTorch(data, parameter), shape: parameter.variable.shape });
    }
    store.assign(values);
    return report;
  } finally {
    checkpoint.close();
  }
}

const TORCH_LEAF: Readonly<Record<string, string>> = {
  kernel: 'weight',
  scale: 'weight',
  offset: 'bias',
  mean: 'running_mean',
  variance: 'running_var',
};

/** `stem/norm/scale` → `stem/norm/weight`: the path as renamed checkpoints have it. */
function torchName(name: string): string {
  const at = name.lastIndexOf('/') + 1;
  const leaf = name.slice(at);
  return name.slice(0, at) + (TORCH_LEAF[leaf] ?? leaf);
}

function torchShape({ role, variable: { shape } }: Parameter): readonly number[] {
  const [a, b, c, d] = shape as [number, number, number, number];
  if (role === 'depthwise-kernel') return [c, 1, a, b];
  if (role !== 'kernel') return shape;
  return shape.length === 2 ? [b, a] : [d, c, a, b];
}

/** Values in PyTorch's memory order → ours. */
function fromTorch(data: Float32Array, { role, variable: { shape } }: Parameter): Float32Array {
  if (role !== 'kernel' && role !== 'depthwise-kernel') return data;
  const [height, width, inChannels, outChannels] = (shape.length === 2 ? [1, 1, ...shape] : shape) as [
    number,
    number,
    number,
    number,
  ];
  const taps = height * width;
  const out = new Float32Array(data.length);
  for (let o = 0; o < outChannels; o++) {
    for (let i = 0; i < inChannels; i++) {
      for (let tap = 0; tap < taps; tap++) {
        out[(tap * inChannels + i) * outChannels + o] = data[(o * inChannels + i) * taps + tap]!;
      }
    }
  }
  return out;
}
