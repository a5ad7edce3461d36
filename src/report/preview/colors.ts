import { classColors } from '../../display/palette.js';

/** Red, green, blue, 0 … 255. */
export type Color = readonly [red: number, green: number, blue: number];

export const css = (color: Color): string => `rgb(${color.join(',')})`;

/** Colours that maps have for a kind of ground; a class takes one where none before it has. */
const BY_NAME: readonly (readonly [name: RegExp, color: Color])[] = [
  [/destroyed/i, [140, 20, 35]],
  [/major damage/i, [225, 85, 40]],
  [/minor damage/i, [250, 185, 75]],
  [/no damage/i, [95, 175, 105]],
  [/flood/i, [33, 60, 190]],
  [/\b(?:permanent )?water|\bsea\b|river|lake|ocean/i, [65, 145, 220]],
  [/snow|\bice\b|glacier/i, [170, 225, 240]],
  [/burn|fire/i, [205, 60, 25]],
  [/cloud shadow|shadow/i, [75, 70, 95]],
  [/thin cloud/i, [190, 190, 215]],
  [/cloud/i, [240, 240, 245]],
  [/conifer|evergreen/i, [10, 80, 50]],
  [/deciduous|broad-?lea/i, [75, 150, 60]],
  [/forest|tree|wood/i, [35, 115, 50]],
  [/grass|meadow|pasture|herb/i, [150, 200, 85]],
  [/wetland|marsh|swamp/i, [60, 160, 150]],
  [/shrub|brush/i, [150, 140, 50]],
  [/crop|field|agricult|arable|farm/i, [240, 200, 70]],
  [/building|urban|settlement|residential|built|rise/i, [205, 65, 60]],
  [/road|street|highway|impervious|pervious surface/i, [125, 125, 130]],
  [/bare|soil|sand|barren|rock/i, [195, 160, 115]],
];

/** Whether a class is what lies between the others: grey, and not laid over an image. */
export const isGround = (name: string): boolean =>
  /^(?:background|clear$|no.?data|unknown$|others?$|unlabell?ed|ignore|not |no (?!damage)|void)/i.test(name);

/** Of the background, and of what is like it. */
const GREYS: readonly Color[] = [...classColors(['background']), [170, 172, 178], [45, 48, 54]];

/**
 * A colour for each class, none twice: what maps use where the name tells, else colours that are told apart with any common
 * colour blindness, then hues in turn. A background is grey.
 */
export function previewColors(names: readonly string[]): Color[] {
  const used: Color[] = [];
  const take = (color: Color): Color => {
    used.push(color);
    return color;
  };
  const isFree = (color: Color): boolean => used.every((other) => distance(color, other) > 40);
  const common = classColors(Array.from({ length: 12 }, (_, index) => `class ${index}`));
  const chosen = names.map((name): Color | undefined => {
    if (isGround(name)) return undefined;
    const color = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
    return color && isFree(color) ? take(color) : undefined;
  });
  let hue = 0;
  return names.map((name, index) => {
    if (chosen[index]) return chosen[index];
    if (isGround(name)) return take(GREYS.find(isFree) ?? GREYS[0]!);
    const next = common.find(isFree);
    if (next) return take(next);
    for (;;) {
      // the golden angle never comes back to a hue it had
      const color = fromHue((hue * 137.508) % 360, [0.5, 0.68, 0.36][hue % 3]!);
      hue++;
      if (hue > 300 || isFree(color)) return take(color);
    }
  });
}

const distance = (a: Color, b: Color): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function fromHue(hue: number, lightness: number): Color {
  const amount = 0.65 * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - amount * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Viridis at equal steps: dark is small, light is large, also in grey. */
const VIRIDIS: readonly Color[] = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
];

/** @param share 0 … 1; what is beyond is cut */
export function viridis(share: number): Color {
  const at = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1);
  const [low, high] = [VIRIDIS[Math.floor(at)]!, VIRIDIS[Math.ceil(at)]!];
  const between = at - Math.floor(at);
  return [0, 1, 2].map((channel) =>
    Math.round(low[channel]! + (high[channel]! - low[channel]!) * between),
  ) as unknown as Color;
}
