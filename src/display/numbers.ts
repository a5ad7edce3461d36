/** Shown where a value is null, undefined, NaN or infinite. */
export const MISSING = '–';

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** True where a column holds nothing but numbers and gaps, and at least one number. */
export const isNumeric = (values: readonly unknown[]): boolean =>
  values.some(isNumber) && values.every((value) => isNumber(value) || value === null || value === undefined);

/**
 * Formats one column alike: integers as they are, other numbers with the same count of decimals, so that
 * decimal points stand below each other. Text stays text, `007` too.
 * @param digits decimals of numbers that are not integers; default 3, fewer for numbers from 10 on
 */
export function formatColumn(values: readonly unknown[], digits?: number): string[] {
  const numbers = values.filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  const decimals = numbers.every(Number.isInteger) ? 0 : (digits ?? decimalsFor(numbers));
  return values.map((value) => formatCell(value, decimals));
}

function decimalsFor(numbers: readonly number[]): number {
  const largest = Math.max(0, ...numbers.map(Math.abs));
  if (largest >= 1000) return 0;
  if (largest >= 100) return 1;
  if (largest >= 10) return 2;
  return largest >= 0.01 ? 3 : 6;
}

function formatCell(value: unknown, decimals: number): string {
  if (value === null || value === undefined) return MISSING;
  if (typeof value === 'number') return formatNumber(value, decimals);
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value) ?? typeof value; // functions and symbols have no JSON
}

/** A true minus sign, a fixed count of decimals, and – for what is not a number. */
export function formatNumber(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const text = value.toFixed(decimals);
  if (!text.startsWith('-')) return text;
  // −0.000 is 0.000
  return Number(text) === 0 ? text.slice(1) : `−${text.slice(1)}`;
}

/** `48 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return MISSING;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** `1,234,567`. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
