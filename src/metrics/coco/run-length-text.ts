/** Characters start at `0`; each holds five bits and whether more follow. */
const FIRST = 48;
const BITS = 5;
const MORE = 1 << BITS;
const SIGN = 1 << (BITS - 1);

/** From the fourth run on the difference from the run two before is written. */
const isDifference = (index: number): boolean => index > 2;

/** COCO's compressed text of run lengths. */
export function runLengthText(counts: readonly number[]): string {
  let text = '';
  for (const [index, count] of counts.entries()) {
    let rest = isDifference(index) ? count - counts[index - 2]! : count;
    for (let isOpen = true; isOpen;) {
      const bits = rest & (MORE - 1);
      rest >>= BITS;
      isOpen = rest !== (bits & SIGN ? -1 : 0);
      text += String.fromCharCode(FIRST + bits + (isOpen ? MORE : 0));
    }
  }
  return text;
}

/** @returns undefined where the text ends inside a number, or has a character or a run that none can have */
export function parseRunLengthText(text: string): number[] | undefined {
  const counts: number[] = [];
  for (let at = 0; at < text.length;) {
    let [value, shift, code] = [0, 0, MORE];
    while (code & MORE) {
      code = text.charCodeAt(at++) - FIRST; // NaN behind the end
      if (!(code >= 0 && code < 2 * MORE) || shift > 6 * BITS) return undefined;
      value |= (code & (MORE - 1)) << shift;
      shift += BITS;
    }
    if (code & SIGN && shift < 32) value |= -1 << shift;
    if (isDifference(counts.length)) value += counts[counts.length - 2]!;
    if (value < 0) return undefined;
    counts.push(value);
  }
  return counts;
}
