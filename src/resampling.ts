/** How one axis is resampled; words and arithmetic follow PyTorch's `interpolate`. */
export interface AxisResampling {
  readonly kind: 'bilinear' | 'bicubic' | 'area';
  readonly alignCorners: boolean;
  readonly antialias: boolean;
  /** Input elements an output element steps over, where it is not inSize / outSize. */
  readonly step?: number;
}

/** An input element and what it counts in an output element. */
export type Tap = readonly [index: number, weight: number];

/** Input elements of output element `out` with weights that add up to 1; several may name the same border element. */
export function axisTaps(inSize: number, outSize: number, how: AxisResampling, out: number): Tap[] {
  const last = inSize - 1;
  // taps beyond the border fall on the border element
  return rowWeights(inSize, outSize, how, out).map(
    ([index, weight]) => [Math.min(last, Math.max(0, index)), weight] as const,
  );
}

function rowWeights(inSize: number, outSize: number, how: AxisResampling, out: number): Tap[] {
  if (how.kind === 'area') return areaTaps(inSize, outSize, out);
  const step = stepOf(inSize, outSize, how);
  if (how.antialias) return antialiasTaps(inSize, how.kind, step, out);
  const position = how.alignCorners ? step * out : step * (out + 0.5) - 0.5;
  return how.kind === 'bicubic' ? cubicTaps(position) : linearTaps(inSize, Math.max(0, position));
}

function stepOf(inSize: number, outSize: number, how: AxisResampling): number {
  if (how.alignCorners) return outSize > 1 ? (inSize - 1) / (outSize - 1) : 0;
  return how.step ?? inSize / outSize;
}

function linearTaps(inSize: number, position: number): Tap[] {
  const first = Math.min(inSize - 1, Math.floor(position));
  const share = Math.min(1, position - first);
  return [
    [first, 1 - share],
    [first + 1, share],
  ];
}

function cubicTaps(position: number): Tap[] {
  const first = Math.floor(position);
  return [-1, 0, 1, 2].map((offset) => [first + offset, cubic(position - first - offset, -0.75)] as const);
}

/** PyTorch's antialiased cubic takes a = −0.5 (as Pillow does), its plain one −0.75. */
function antialiasTaps(inSize: number, kind: 'bilinear' | 'bicubic', step: number, out: number): Tap[] {
  const stretch = Math.max(1, step);
  const reach = (kind === 'bilinear' ? 1 : 2) * stretch;
  const centre = step * (out + 0.5);
  const first = Math.max(0, Math.trunc(centre - reach + 0.5));
  const end = Math.min(inSize, Math.trunc(centre + reach + 0.5));
  const taps: [number, number][] = [];
  let total = 0;
  for (let index = first; index < end; index++) {
    const distance = (index - centre + 0.5) / stretch;
    const weight = kind === 'bilinear' ? Math.max(0, 1 - Math.abs(distance)) : cubic(distance, -0.5);
    taps.push([index, weight]);
    total += weight;
  }
  return taps.map(([index, weight]) => [index, total === 0 ? weight : weight / total]);
}

/** Mean over the input elements that the output element touches (PyTorch's adaptive average). */
function areaTaps(inSize: number, outSize: number, out: number): Tap[] {
  const [first, end] = adaptiveRange(inSize, outSize, out);
  return Array.from({ length: end - first }, (_, index) => [first + index, 1 / (end - first)] as const);
}

/** Input elements [first, end) that belong to output element `out` of an adaptive pooling. */
export const adaptiveRange = (inSize: number, outSize: number, out: number): [number, number] => [
  Math.floor((out * inSize) / outSize),
  Math.ceil(((out + 1) * inSize) / outSize),
];

/** Keys' cubic convolution kernel. */
function cubic(distance: number, a: number): number {
  const x = Math.abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/**
 * Input element of each output element under PyTorch's `nearest` (floor) and `nearest-exact` (pixel centres),
 * in float32 as there, so that ties fall alike.
 */
export function nearestIndices(
  inSize: number,
  outSize: number,
  exact: boolean,
  step = inSize / outSize,
): Int32Array {
  const step32 = Math.fround(step);
  return Int32Array.from({ length: outSize }, (_, out) =>
    Math.min(inSize - 1, Math.floor(Math.fround(step32 * (exact ? out + 0.5 : out)))),
  );
}
