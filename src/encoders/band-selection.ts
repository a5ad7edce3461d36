import { createRandom } from '../random.js';
import type { WeightArray } from './encoder.js';

export interface BandSelection {
  /** Bands of the checkpoint, in its order. */
  readonly from: readonly string[];
  /** Bands of the model. */
  readonly to: readonly string[];
  /** Order of the numbers behind one output: `band-first` [band, …taps], as convolutions have it, or [tap, band]. */
  readonly order?: 'band-first' | 'band-last';
  /** Of the values for bands that the checkpoint lacks; default 0. */
  readonly seed?: number;
}

/**
 * A patch kernel for other bands, as TerraTorch does it: a band that the checkpoint knows keeps its weights at its new
 * place; the others start Xavier-uniform over the flattened kernel. Kernels of another band count stay as they are.
 * @param given [out, …], bands as `order` says
 * @param modelShape the same with the model's bands
 */
export function selectBands(
  given: WeightArray,
  modelShape: readonly number[],
  { from, to, order = 'band-first', seed = 0 }: BandSelection,
): WeightArray {
  const outputs = given.shape[0]!;
  const taps = given.data.length / (outputs * from.length);
  const size = outputs * to.length * taps;
  const expected = modelShape.reduce((product, length) => product * length, 1);
  if (!Number.isInteger(taps) || size !== expected || from.join() === to.join()) return given;
  const random = createRandom(seed).split('new bands');
  // Glorot & Bengio 2010: ±√(6 / (fan-in + fan-out))
  const bound = Math.sqrt(6 / (to.length * taps + outputs));
  const data = new Float32Array(size);
  const at = (bands: number, output: number, band: number, tap: number): number =>
    output * bands * taps + (order === 'band-first' ? band * taps + tap : tap * bands + band);
  for (let output = 0; output < outputs; output++) {
    for (const [band, name] of to.entries()) {
      const source = from.indexOf(name);
      for (let tap = 0; tap < taps; tap++) {
        data[at(to.length, output, band, tap)] =
          source === -1
            ? (2 * random.uniform() - 1) * bound
            : given.data[at(from.length, output, source, tap)]!;
      }
    }
  }
  return { data, shape: modelShape };
}
