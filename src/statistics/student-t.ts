import { checkLevel, wrongOption } from './check-options.js';

/**
 * Student's t distribution: its cumulative probability and its quantile, by the regularised incomplete
 * beta function (Abramowitz & Stegun, Handbook of Mathematical Functions, 26.5.2, 26.5.8 and 26.7.1).
 */

// Lanczos approximation of ln Γ, g = 607/128, 15 terms (Godfrey 2001); relative error below 1e-15 for x > 0
const LANCZOS_G = 607 / 128;
const LANCZOS = [
  0.99999999999999709182, 57.156235665862923517, -59.597960355475491248, 14.136097974741747174,
  -0.49191381609762019978, 0.33994649984811888699e-4, 0.46523628927048575665e-4, -0.98374475304879564677e-4,
  0.15808870322491248884e-3, -0.21026444172410488319e-3, 0.2174396181152126432e-3, -0.16431810653676389022e-3,
  0.84418223983852743293e-4, -0.2619083840158140867e-4, 0.36899182659531622704e-5,
];

/** Natural logarithm of the gamma function for x > 0. */
export function logGamma(x: number): number {
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (x + i - 1);
  const base = x + LANCZOS_G - 0.5;
  return (x - 0.5) * Math.log(base) - base + Math.log(sum) + 0.5 * Math.log(2 * Math.PI);
}

/**
 * Regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz).
 * @param x 0 … 1
 * @param a greater than 0
 * @param b greater than 0
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // the fraction converges fast below the mean; above it the symmetry I_x(a, b) = 1 − I_{1−x}(b, a) is used
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/** P(|T| > |t|) for T with the given degrees of freedom: the two-sided p value of t. */
export function twoSidedProbability(t: number, degreesOfFreedom: number): number {
  if (!Number.isFinite(t)) return Number.isNaN(t) ? Number.NaN : 0;
  return incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5);
}

/**
 * The t with P(|T| ≤ t) = level, e.g. 12.706… for level 0.95 and one degree of freedom.
 * @param level between 0 and 1, both excluded
 * @param degreesOfFreedom greater than 0
 * @throws UsageError STATISTIC_OPTION outside these ranges
 */
export function twoSidedQuantile(level: number, degreesOfFreedom: number): number {
  checkLevel(level);
  if (!(degreesOfFreedom > 0)) throw wrongOption('degreesOfFreedom', degreesOfFreedom, 'above 0');
  const tail = 1 - level;
  let low = 0;
  let high = 1;
  while (twoSidedProbability(high, degreesOfFreedom) > tail) high *= 2;
  // Newton's step where it stays inside the bracket, else its middle
  let t = (low + high) / 2;
  for (let i = 0; i < 200; i++) {
    const excess = twoSidedProbability(t, degreesOfFreedom) - tail;
    if (excess > 0) low = t;
    else high = t;
    let next = t + excess / (2 * density(t, degreesOfFreedom));
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - t) <= 1e-15 * t) return next;
    t = next;
  }
  return t;
}

function density(t: number, degreesOfFreedom: number): number {
  const half = (degreesOfFreedom + 1) / 2;
  const scale =
    Math.exp(logGamma(half) - logGamma(degreesOfFreedom / 2)) / Math.sqrt(degreesOfFreedom * Math.PI);
  return scale * Math.exp(-half * Math.log1p((t * t) / degreesOfFreedom));
}
