/** Jupyter counts Unicode code points, TypeScript UTF-16 units: a character like 🛰 is one of the former, two of the latter. */

/** Offset in UTF-16 units of the code point at `position`; positions outside the text are moved to its ends. */
export function toUtf16(text: string, position: number): number {
  let unit = 0;
  for (let point = 0; point < position && unit < text.length; point++) {
    unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
  }
  return unit;
}

/** Number of code points before the UTF-16 offset. */
export function toCodePoints(text: string, offset: number): number {
  let point = 0;
  for (let unit = 0; unit < offset && unit < text.length; point++) {
    unit += text.codePointAt(unit)! > 0xffff ? 2 : 1;
  }
  return point;
}
