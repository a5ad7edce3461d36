import { adaptiveRange, axisTaps, nearestIndices, type AxisResampling } from '../../resampling.js';

export { adaptiveRange, nearestIndices, type AxisResampling };

const CACHE_LIMIT = 128;
const cache = new Map<string, Float32Array>();

/** Weights [outSize, inSize] in row-major order, each row adding up to 1: output = weights · input. */
export function interpolationMatrix(inSize: number, outSize: number, how: AxisResampling): Float32Array {
  const key = [inSize, outSize, how.kind, how.alignCorners, how.antialias, how.step].join();
  const known = cache.get(key);
  if (known) return known;
  const matrix = new Float32Array(inSize * outSize);
  for (let out = 0; out < outSize; out++) {
    for (const [column, weight] of axisTaps(inSize, outSize, how, out))
      matrix[out * inSize + column]! += weight;
  }
  if (cache.size >= CACHE_LIMIT) cache.delete(cache.keys().next().value!);
  cache.set(key, matrix);
  return matrix;
}
