/** To the nearest whole number, halves to the even one: as Python's and NumPy's `round`. */
export function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
