import { logGamma } from './student-t.js';

/** P(|Z| > |z|) for a standard normal Z: the two-sided p value of z (Abramowitz & Stegun, 6.5.3, 6.5.29, 6.5.31). */
export function twoSidedNormalProbability(z: number): number {
  if (!Number.isFinite(z)) return Number.isNaN(z) ? Number.NaN : 0;
  const x = (z * z) / 2; // the incomplete gamma function of ½ at z²/2
  if (x === 0) return 1;
  const front = Math.exp(0.5 * Math.log(x) - x - logGamma(0.5));
  return x < 1.5 ? 1 - front * lowerSeries(x) : front * upperFraction(x);
}

function lowerSeries(x: number): number {
  let term = 2;
  let sum = term;
  for (let a = 1.5; term > 1e-17 * sum; a++) {
    term *= x / a;
    sum += term;
  }
  return sum;
}

/** Continued fraction of Γ(½, x) / (x^½ e^−x), by the modified Lentz method. */
function upperFraction(x: number): number {
  let b = x + 0.5;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; i <= 500; i++) {
    const a = -i * (i - 0.5);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return fraction;
}
