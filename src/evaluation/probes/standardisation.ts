/** (x − mean) / spread of each number over the vectors; one that never changes is only shifted. */
export function standardisation(vectors: readonly Float32Array[]): (vector: Float32Array) => Float64Array {
  const width = vectors[0]!.length;
  const mean = new Float64Array(width);
  const spread = new Float64Array(width);
  for (const vector of vectors) for (let i = 0; i < width; i++) mean[i]! += vector[i]! / vectors.length;
  for (const vector of vectors)
    for (let i = 0; i < width; i++) spread[i]! += (vector[i]! - mean[i]!) ** 2 / vectors.length;
  return (vector) =>
    Float64Array.from(vector, (value, i) => (value - mean[i]!) / (Math.sqrt(spread[i]!) || 1));
}
