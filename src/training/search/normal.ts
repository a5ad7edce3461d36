/** Density of the standard normal distribution. */
export const normalDensity = (z: number): number => Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);

/** log of the standard normal's mass between two places, a < b. */
export function logNormalMass(a: number, b: number): number {
  // from the tail that is nearer, so that small masses keep their digits
  if (a > 0) return logNormalMass(-b, -a);
  return Math.log(Math.max(Number.MIN_VALUE, lowerTail(b) - lowerTail(a)));
}

/** Mass below z; within 1.2e-7 of itself (Press et al., Numerical Recipes, erfc by Chebyshev's polynomials). */
function lowerTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const series = COEFFICIENTS.reduceRight((sum, coefficient) => coefficient + t * sum, 0);
  const tail = (t * Math.exp(-x * x + series)) / 2;
  return z < 0 ? tail : 1 - tail;
}

const COEFFICIENTS = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
];
