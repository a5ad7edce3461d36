import { sizeOf } from '../../shapes.js';
import { tf } from '../tf.js';
import {
  FLOAT,
  elementwise,
  list,
  moved,
  only,
  reduced,
  sized,
  type Attributes,
  type Inputs,
  type KernelRule,
  type Shaped,
} from './kernel-rule.js';
import { convolutionRules } from './convolution-rules.js';

const numbers = (value: unknown): number[] => value as number[];

/** Every axis not in `axes`, which may count from the end; those themselves as 1 with `keepDims`. */
function withoutAxes(shape: readonly number[], axes: unknown, keepDims: unknown): number[] {
  const all = shape.map((_, axis) => axis);
  const given = axes === undefined || axes === null ? all : [axes].flat().map(Number);
  const gone = new Set(given.map((axis) => (axis < 0 ? axis + shape.length : axis)));
  return keepDims
    ? shape.map((size, axis) => (gone.has(axis) ? 1 : size))
    : shape.filter((_, a) => !gone.has(a));
}

/** `Max` has another name for its axes than the others. */
const reduction: KernelRule = (inputs, { axis, reductionIndices, keepDims }) =>
  reduced(only(inputs), withoutAxes(only(inputs).shape, axis ?? reductionIndices, keepDims));

/** One size may be −1: what is left. */
function reshaped(from: readonly number[], to: readonly number[]): number[] {
  const known = sizeOf(to.filter((size) => size !== -1));
  const shape = to.map((size) => (size === -1 ? sizeOf(from) / known : size));
  if (sizeOf(shape) === sizeOf(from)) return shape;
  throw new Error(`[${from.join(', ')}] cannot become [${to.join(', ')}].`);
}

function sliced(inputs: Inputs, { begin, size }: Attributes) {
  const x = only(inputs);
  const [first, length] = tf.slice_util.parseSliceParams(x as never, numbers(begin), numbers(size));
  if (first!.some((at, axis) => at < 0 || at + length![axis]! > x.shape[axis]!))
    throw new Error(
      `A slice from [${first!.join()}] of size [${length!.join()}] leaves [${x.shape.join(', ')}].`,
    );
  return moved(x, length!);
}

function split(inputs: Inputs, { numOrSizeSplits, axis }: Attributes) {
  const x = only(inputs);
  const at = Number(axis) < 0 ? Number(axis) + x.shape.length : Number(axis);
  const sizes = tf.backend_util.prepareSplitSize(x as never, numOrSizeSplits as never, at);
  return {
    outputs: sizes.map(
      (size) =>
        moved(
          x,
          x.shape.map((own, a) => (a === at ? size : own)),
        ).outputs[0]!,
    ),
  };
}

function joined(inputs: Inputs, { axis }: Attributes) {
  const parts = list(inputs);
  const { shape, dtype } = parts[0]!;
  const at = Number(axis) < 0 ? Number(axis) + shape.length : Number(axis);
  const total = parts.reduce((sum, part) => sum + part.shape[at]!, 0);
  return sized(
    shape.map((size, a) => (a === at ? total : size)),
    dtype,
  );
}

function stacked(inputs: Inputs, { axis }: Attributes) {
  const parts = list(inputs);
  const shape = [...parts[0]!.shape];
  shape.splice(Number(axis), 0, parts.length);
  return sized(shape, parts[0]!.dtype);
}

function unstacked(inputs: Inputs, { axis }: Attributes) {
  const x = only(inputs);
  const at = Number(axis) < 0 ? Number(axis) + x.shape.length : Number(axis);
  const one = moved(
    x,
    x.shape.filter((_, a) => a !== at),
  ).outputs[0]!;
  return { outputs: Array.from({ length: x.shape[at]! }, () => one) };
}

function padded(inputs: Inputs, { paddings }: Attributes) {
  const x = only(inputs);
  const around = paddings as readonly (readonly [number, number])[];
  return sized(
    x.shape.map((size, axis) => size + around[axis]![0] + around[axis]![1]),
    x.dtype,
  );
}

/** Elements of x by index along an axis, which takes the axes of the indices. */
function gathered(inputs: Inputs, { axis = 0, batchDims = 0 }: Attributes) {
  const [x, indices] = [inputs.x!, inputs.indices!];
  const at = Number(axis) < 0 ? Number(axis) + x.shape.length : Number(axis);
  const shape = [
    ...x.shape.slice(0, at),
    ...indices.shape.slice(Number(batchDims)),
    ...x.shape.slice(at + 1),
  ];
  return sized(shape, x.dtype);
}

function strided(inputs: Inputs, attributes: Attributes) {
  const x = only(inputs);
  const masks = ['beginMask', 'endMask', 'ellipsisMask', 'newAxisMask', 'shrinkAxisMask'] as const;
  const bounds = [attributes.begin, attributes.end, attributes.strides].map(numbers) as Bounds;
  const info = tf.slice_util.sliceInfo(
    [...x.shape],
    ...bounds,
    ...(masks.map((name) => attributes[name]) as Five),
  );
  return sized(info.finalShape, x.dtype);
}

type Bounds = [begin: number[], end: number[], strides: number[]];
type Five = [number, number, number, number, number];

const UNARY = [
  ...[
    'Abs',
    'Acos',
    'Acosh',
    'Asin',
    'Asinh',
    'Atan',
    'Atanh',
    'Ceil',
    'ClipByValue',
    'Cos',
    'Cosh',
    'Cumsum',
  ],
  ...['Elu', 'Erf', 'Exp', 'Expm1', 'Floor', 'IsFinite', 'IsInf', 'IsNan', 'LeakyRelu', 'Log', 'Log1p'],
  ...['LogicalNot', 'Neg', 'Reciprocal', 'Relu', 'Relu6', 'Round', 'Rsqrt', 'Selu', 'Sigmoid', 'Sign', 'Sin'],
  ...['Sinh', 'Softplus', 'Sqrt', 'Square', 'Step', 'Tan', 'Tanh'],
] as const;
const ARITHMETIC = [
  ...['Add', 'Atan2', 'FloorDiv', 'Maximum', 'Minimum', 'Mod', 'Multiply', 'Pow', 'Prelu', 'RealDiv', 'Sub'],
  'SquaredDifference',
] as const;
const COMPARISONS = [
  ...['Equal', 'Greater', 'GreaterEqual', 'Less', 'LessEqual', 'LogicalAnd', 'LogicalOr', 'NotEqual'],
] as const;
const REDUCTIONS = ['All', 'Any', 'Max', 'Mean', 'Min', 'Prod', 'Sum'] as const;

const table = (names: readonly string[], rule: KernelRule): Record<string, KernelRule> =>
  Object.fromEntries(names.map((name) => [name, rule]));

const sameShape: KernelRule = (inputs) => moved(only(inputs), only(inputs).shape);

/** What each kernel of TensorFlow.js makes of shapes, and what it costs. */
export const shapeRules: Readonly<Record<string, KernelRule>> = {
  ...table(UNARY, (inputs) => elementwise(only(inputs).shape, only(inputs).dtype)),
  ...table(ARITHMETIC, (inputs) => {
    const [a, b] = list(inputs) as Shaped[] as [Shaped, Shaped];
    const shape = tf.broadcast_util.assertAndGetBroadcastShape([...a.shape], [...b.shape]);
    return elementwise(shape, a.dtype === FLOAT || b.dtype === FLOAT ? FLOAT : a.dtype);
  }),
  ...table(COMPARISONS, ({ a, b }) =>
    elementwise(tf.broadcast_util.assertAndGetBroadcastShape([...a!.shape], [...b!.shape]), 'bool'),
  ),
  ...table(REDUCTIONS, reduction),
  ...table(['ArgMax', 'ArgMin'], (inputs, { axis }) => {
    const { outputs, ...cost } = reduced(only(inputs), withoutAxes(only(inputs).shape, axis, false));
    return { outputs: outputs.map((output) => ({ ...output, dtype: 'int32' as const })), ...cost };
  }),
  ...table(['Identity', 'Reverse', 'ZerosLike', 'OnesLike'], sameShape),
  AddN: (inputs) => {
    const parts = list(inputs);
    return elementwise(parts[0]!.shape, parts[0]!.dtype, parts.length - 1);
  },
  Cast: (inputs, { dtype }) => moved(only(inputs), only(inputs).shape, dtype as never),
  // exponent, sum, quotient
  Softmax: (inputs) => elementwise(only(inputs).shape, FLOAT, 3),
  Select: ({ t, e }) => elementwise(t!.shape, t!.dtype === e!.dtype ? t!.dtype : FLOAT),
  Reshape: (inputs, { shape }) => moved(only(inputs), reshaped(only(inputs).shape, numbers(shape))),
  ExpandDims: (inputs, { dim }) => {
    const shape = [...only(inputs).shape];
    const at = Number(dim) < 0 ? Number(dim) + shape.length + 1 : Number(dim);
    shape.splice(at, 0, 1);
    return moved(only(inputs), shape);
  },
  Transpose: (inputs, { perm }) =>
    moved(
      only(inputs),
      numbers(perm).map((axis) => only(inputs).shape[axis]!),
    ),
  Slice: sliced,
  StridedSlice: strided,
  SplitV: split,
  Concat: joined,
  Pack: stacked,
  Unpack: unstacked,
  Tile: (inputs, { reps }) =>
    moved(
      only(inputs),
      only(inputs).shape.map((size, a) => size * numbers(reps)[a]!),
    ),
  PadV2: padded,
  MirrorPad: padded,
  GatherV2: gathered,
  GatherNd: ({ params, indices }) =>
    sized([...indices!.shape.slice(0, -1), ...params!.shape.slice(indices!.shape.at(-1))], params!.dtype),
  ScatterNd: ({ updates }, { shape }) => elementwise(numbers(shape), updates!.dtype),
  OneHot: (inputs, { depth, dtype }) =>
    sized([...only(inputs).shape, Number(depth)], (dtype as never) ?? FLOAT),
  Fill: (_inputs, { shape, dtype }) => sized(numbers(shape), (dtype as never) ?? FLOAT),
  Range: (_inputs, { start, stop, step, dtype }) =>
    sized([Math.max(0, Math.ceil((Number(stop) - Number(start)) / Number(step)))], dtype as never),
  LinSpace: (_inputs, { num }) => sized([Number(num)], FLOAT),
  TopK: (inputs, { k }) => {
    const { shape, dtype } = only(inputs);
    const kept = [...shape.slice(0, -1), Number(k)];
    return {
      outputs: [...sized(kept, dtype).outputs, ...sized(kept, 'int32').outputs],
      otherOperations: sizeOf(shape),
    };
  },
  BatchMatMul: ({ a, b }, { transposeA, transposeB }) => {
    const [rows, inner] = transposeA
      ? [a!.shape.at(-1)!, a!.shape.at(-2)!]
      : [a!.shape.at(-2)!, a!.shape.at(-1)!];
    const [from, columns] = transposeB
      ? [b!.shape.at(-1)!, b!.shape.at(-2)!]
      : [b!.shape.at(-2)!, b!.shape.at(-1)!];
    if (inner !== from)
      throw new Error(`A product of [${a!.shape.join(', ')}] and [${b!.shape.join(', ')}].`);
    const lead = tf.broadcast_util.assertAndGetBroadcastShape(a!.shape.slice(0, -2), b!.shape.slice(0, -2));
    const shape = [...lead, rows, columns];
    return { ...sized(shape, FLOAT), multiplyAdds: sizeOf(shape) * inner };
  },
  ...convolutionRules,
};
