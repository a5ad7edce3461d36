import { escapeHtml, plainText } from '../../display/mime.js';
import type { CocoBox } from '../../metrics/coco/object-overlap.js';

/** Letters of labels, pixels of the screen. */
const SIZE = 11;
/** Width of a letter of DejaVu Sans in ems, nearly: digits and small letters. */
const EM = 0.62;
const PAD = 2.5;

export const textWidth = (content: string, size: number): number => [...content].length * size * EM;

/** Puts labels at their boxes so that none lies on another: above, inside at the top, below; else it is left out. */
export class LabelPlaces {
  readonly #taken: CocoBox[] = [];
  #leftOut = 0;

  /** @param pixel pixels of the image for one of the screen */
  constructor(
    private readonly size: { readonly height: number; readonly width: number },
    private readonly pixel: number,
  ) {}

  get leftOut(): number {
    return this.#leftOut;
  }

  /** Dark letters on the colour. @returns SVG in the pixels of the image; '' where there is no room */
  label(content: string, [left, top, , height]: CocoBox, color: string): string {
    const { pixel, size } = this;
    const [wide, high] = [(textWidth(content, SIZE) + 2 * PAD) * pixel, (SIZE + PAD) * pixel];
    const x = Math.max(0, Math.min(left, size.width - wide));
    const place = [top - high, top, top + height]
      .map((y): CocoBox => [x, y, wide, high])
      .find(
        (one) =>
          one[1] >= 0 && one[1] + high <= size.height && this.#taken.every((other) => isApart(one, other)),
      );
    if (!place) {
      this.#leftOut++;
      return '';
    }
    this.#taken.push(place);
    const round = (value: number): number => Math.round(value * 100) / 100;
    return (
      `<rect x="${round(x)}" y="${round(place[1])}" width="${round(wide)}" height="${round(high)}" fill="${color}" fill-opacity=".92"/>` +
      `<text x="${round(x + PAD * pixel)}" y="${round(place[1] + 0.86 * SIZE * pixel)}" font-size="${round(SIZE * pixel)}" fill="#14171a">${escapeHtml(plainText(content))}</text>`
    );
  }
}

const isApart = (a: CocoBox, b: CocoBox): boolean =>
  a[0] >= b[0] + b[2] || b[0] >= a[0] + a[2] || a[1] >= b[1] + b[3] || b[1] >= a[1] + a[3];
