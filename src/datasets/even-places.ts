/**
 * Places 0 … count − 1 evenly spread, fractions cut off; the first and the last are among them. Fewer places than wanted
 * come more than once.
 * @param count of dates; 1 or more
 */
export function evenPlaces(count: number, wanted: number): number[] {
  if (wanted === 1) return [0];
  return Array.from({ length: wanted }, (_, i) => Math.trunc((i * (count - 1)) / (wanted - 1)));
}
