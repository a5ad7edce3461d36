import { openCheckpoint, type Checkpoint } from '../checkpoints/checkpoint.js';
import { matchWeights, renameWeight, type LoadReport } from '../checkpoints/load-report.js';
import type { Parameter, ParameterStore } from '../layers/parameters.js';
import type { WeightArray, WeightRules } from './encoder.js';

/**
 * Loads a checkpoint into the parameters below `prefix/`. Kernels are turned from PyTorch's axes to ours:
 * [out, in, ...taps] → [...taps, in, out], transposed [in, out, ...taps] → [...taps, out, in], depthwise
 * [channels, 1, ...taps] → [...taps, channels, 1], linear [out, in] → [in, out].
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
  const checkpoint = await openCheckpoint(
    file,
    rules.section === undefined ? {} : { section: rules.section },
  );
  try {
    const wanted = new Map(
      [...parameters].map(([name, parameter]) => [torchName(name), torchShape(parameter)]),
    );
    const adapted = adaptWeights(checkpoint.tensors, wanted, rules);
    const given = new Map(
      [...checkpoint.tensors].map(([name, { shape }]) => [name, adapted.get(name)?.shape ?? shape]),
    );
    const discard = [...rules.discard, BATCH_COUNTERS];
    const report = matchWeights(given, wanted, { ...rules, discard, where: file });
    const sources = new Map(report.used.map(({ checkpointName, modelName }) => [modelName, checkpointName]));
    for (const [name, parameter] of parameters) {
      const source = sources.get(torchName(name));
      if (source === undefined) {
        store.drawDeferred([parameter.name]); // optional, and the report says so
        continue;
      }
      const data = adapted.get(source)?.data ?? checkpoint.tensors.get(source)!.readFloat32();
      // one at a time: a model of 2 GB is never in memory twice
      const { name: parameterName, variable } = parameter;
      store.assign(new Map([[parameterName, { data: fromTorch(data, parameter), shape: variable.shape }]]));
    }
    return report;
  } finally {
    checkpoint.close();
  }
}

/** PyTorch's batch normalisation counts the batches that it has seen; its numbers do not depend on that. */
const BATCH_COUNTERS = /(^|\.)num_batches_tracked$/;

/** Tensors that a rule changes to the model's size, by their names in the checkpoint. */
function adaptWeights(
  tensors: Checkpoint['tensors'],
  wanted: ReadonlyMap<string, readonly number[]>,
  { adapt = [], discard, rename }: WeightRules,
): Map<string, WeightArray> {
  const adapted = new Map<string, WeightArray>();
  if (adapt.length === 0) return adapted;
  for (const [name, tensor] of tensors) {
    if (discard.some((rule) => rule.test(name))) continue;
    const modelName = renameWeight(name, rename);
    const shape = wanted.get(modelName);
    const rule = adapt.find(({ match }) => match.test(modelName));
    if (!rule || !shape) continue;
    adapted.set(name, rule.adapt({ data: tensor.readFloat32(), shape: tensor.shape }, shape));
  }
  return adapted;
}

const TORCH_LEAF: Readonly<Record<string, string>> = {
  kernel: 'weight',
  scale: 'weight',
  offset: 'bias',
  mean: 'running_mean',
  variance: 'running_var',
};

/** PyTorch's name of a parameter: `stem/norm/scale` → `stem.norm.weight`. */
export function torchName(name: string): string {
  const parts = name.split('/');
  const leaf = parts.pop()!;
  return [...parts, TORCH_LEAF[leaf] ?? leaf].join('.');
}

/** A kernel's axes in PyTorch: [out, in, ...taps]; `transposed-kernel` [in, out, ...taps]. */
function torchShape({ role, variable: { shape } }: Parameter): readonly number[] {
  const taps = shape.slice(0, -2);
  const [from, to] = shape.slice(-2) as [number, number];
  if (role === 'depthwise-kernel') return [from, 1, ...taps];
  if (role === 'kernel') return [to, from, ...taps];
  if (role === 'transposed-kernel') return [to, from, ...taps];
  return shape;
}

/** Values in PyTorch's memory order → ours, the taps first: [outer, inner, ...taps] → [...taps, inner, outer]. */
function fromTorch(data: Float32Array, { role, variable: { shape } }: Parameter): Float32Array {
  if (role !== 'kernel' && role !== 'depthwise-kernel' && role !== 'transposed-kernel') return data;
  const taps = shape.slice(0, -2).reduce((product, size) => product * size, 1);
  const [a, b] = shape.slice(-2) as [number, number];
  // depthwise: [channels, 1, ...taps] → [...taps, channels, 1]
  const [outer, inner] = role === 'depthwise-kernel' ? [1, a] : [b, a];
  const out = new Float32Array(data.length);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      for (let tap = 0; tap < taps; tap++) {
        out[(tap * inner + i) * outer + o] = data[(o * inner + i) * taps + tap]!;
      }
    }
  }
  return out;
}
