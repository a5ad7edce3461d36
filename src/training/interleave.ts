/**
 * Puts the channels of several images of one size beside each other, pixel by pixel: [pixel, channel] each → [pixel,
 * channel of all].
 * @param widths channels of each
 */
export function interleave(
  to: { [at: number]: number; readonly length: number },
  parts: readonly ArrayLike<number>[],
  widths: readonly number[],
): void {
  const width = widths.reduce((sum, one) => sum + one, 0);
  let offset = 0;
  for (const [index, part] of parts.entries()) {
    const own = widths[index]!;
    for (let at = 0, pixel = offset; at < part.length; pixel += width)
      for (let channel = 0; channel < own; channel++) to[pixel + channel] = part[at++]!;
    offset += own;
  }
}
