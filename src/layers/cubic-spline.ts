/**
 * Cubic spline through points, not-a-knot at its ends, as weights of the points' values: value(wanted[i]) = Σ
 * weights[i][j] · value(places[j]). Beyond the ends the outer pieces go on.
 * @param places ascending, at least 4
 */
export function splineWeights(places: readonly number[], wanted: readonly number[]): Float64Array[] {
  const count = places.length;
  const curvatures = curvatureWeights(places);
  return wanted.map((x) => {
    const after = places.findIndex((place) => place > x);
    const piece = Math.min(Math.max((after < 0 ? count : after) - 1, 0), count - 2);
    const width = places[piece + 1]! - places[piece]!;
    const a = (places[piece + 1]! - x) / width;
    const b = 1 - a;
    const weights = new Float64Array(count);
    weights[piece]! += a;
    weights[piece + 1]! += b;
    // ((a³ − a) · m[piece] + (b³ − b) · m[piece + 1]) · width² / 6, with m the second derivatives
    for (let j = 0; j < count; j++) {
      const bend = (a ** 3 - a) * curvatures[piece]![j]! + (b ** 3 - b) * curvatures[piece + 1]![j]!;
      weights[j]! += (bend * width ** 2) / 6;
    }
    return weights;
  });
}

/** Second derivative at each point, as weights of the values: [point][value]. */
function curvatureWeights(places: readonly number[]): Float64Array[] {
  const count = places.length;
  const step = (at: number): number => places[at + 1]! - places[at]!;
  const left = Array.from({ length: count }, () => new Float64Array(count));
  const right = Array.from({ length: count }, () => new Float64Array(count));
  for (let at = 1; at < count - 1; at++) {
    const [before, after] = [step(at - 1), step(at)];
    left[at]![at - 1] = before;
    left[at]![at] = 2 * (before + after);
    left[at]![at + 1] = after;
    right[at]![at - 1] = 6 / before;
    right[at]![at] = -6 / before - 6 / after;
    right[at]![at + 1] = 6 / after;
  }
  // not-a-knot: the third derivative is the same on both sides of the second point, and of the last but one
  for (const [row, at] of [
    [0, 1],
    [count - 1, count - 2],
  ] as const) {
    const [before, after] = [step(at - 1), step(at)];
    left[row]![at - 1] = after;
    left[row]![at] = -(before + after);
    left[row]![at + 1] = before;
  }
  return solve(left, right);
}

/** left · x = right by elimination with pivots, for the small systems of splines. Overwrites both. */
function solve(left: Float64Array[], right: Float64Array[]): Float64Array[] {
  const count = left.length;
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let row = column + 1; row < count; row++)
      if (Math.abs(left[row]![column]!) > Math.abs(left[pivot]![column]!)) pivot = row;
    [left[column], left[pivot]] = [left[pivot]!, left[column]!];
    [right[column], right[pivot]] = [right[pivot]!, right[column]!];
    for (let row = 0; row < count; row++) {
      const factor = left[row]![column]! / left[column]![column]!;
      if (row === column || factor === 0) continue;
      for (let at = 0; at < count; at++) {
        left[row]![at]! -= factor * left[column]![at]!;
        right[row]![at]! -= factor * right[column]![at]!;
      }
    }
  }
  return right.map((row, at) => row.map((value) => value / left[at]![at]!));
}
