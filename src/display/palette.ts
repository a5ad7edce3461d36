type Color = readonly [red: number, green: number, blue: number];

/** Told apart with any common colour blindness (after Okabe & Ito 2008), then by lightness. */
const CLASS_COLORS: readonly Color[] = [
  [230, 159, 0],
  [0, 114, 178],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [213, 94, 0],
  [240, 228, 66],
  [120, 94, 240],
  [140, 81, 10],
  [1, 102, 94],
  [197, 27, 125],
  [127, 188, 65],
];
const BACKGROUND: Color = [96, 102, 110];

/** A colour for each class; a background and what is like it are grey. Colours come again after twelve classes. */
export function classColors(names: readonly string[]): Color[] {
  let next = 0;
  return names.map((name) =>
    /^(background|no.?data|unknown|other|unlabell?ed|ignore)/i.test(name)
      ? BACKGROUND
      : CLASS_COLORS[next++ % CLASS_COLORS.length]!,
  );
}
