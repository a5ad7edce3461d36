import { escapeHtml, plainText } from '../../display/mime.js';
import { formatNumber } from '../../display/numbers.js';
import type { DetectedImage, TrueObject } from '../../metrics/coco/coco-metric.js';
import { maskOutlines } from '../../metrics/coco/mask-outlines.js';
import {
  matchObjects,
  NOTHING,
  ON_CROWD,
  UNLIKELY,
  type MatchOptions,
} from '../../metrics/coco/match-objects.js';
import type { CocoBox } from '../../metrics/coco/object-overlap.js';
import { OVERLAY_COLORS, type OverlayKind } from '../overlay.js';
import { LabelPlaces } from './label-places.js';

export interface ObjectMarkOptions extends MatchOptions {
  /** Name of a label; default the label. */
  readonly nameOf?: (label: number) => string;
  /** Pixels of the image for one of the screen, at which lines and letters have their size. */
  readonly pixel: number;
}

/** Objects of an image as SVG in its pixels, to lay over it. */
export interface ObjectMarks {
  readonly truth: string;
  /** Hits and false alarms with their scores, and what was missed. */
  readonly detected: string;
  readonly counts: Readonly<Record<Exclude<OverlayKind, 'truth'>, number>>;
  /** Without crowds. */
  readonly objects: number;
  readonly minScore: number;
  /** Labels that found no room. */
  readonly unlabelled: number;
}

/** Boxes, or outlines where there are masks, by what became of them. Each says on hover what it is. */
export function objectMarks(
  image: DetectedImage,
  size: { readonly height: number; readonly width: number },
  { nameOf = String, pixel, ...match }: ObjectMarkOptions,
): ObjectMarks {
  const { truth, detected } = image;
  const { minScore = 0.5 } = match;
  const { objectOf, detectionOf } = matchObjects(image, match);
  const isOneClass = new Set([...truth, ...detected].map(({ label }) => label)).size === 1;
  const shown = [...detected.keys()]
    .filter((at) => objectOf[at] !== UNLIKELY && objectOf[at] !== ON_CROWD)
    .sort((a, b) => detected[a]!.score - detected[b]!.score);
  // a detection of another class than its object's is both: that class was missed, and this one is not there
  const isHit = (at: number): boolean =>
    objectOf[at]! >= 0 && truth[objectOf[at]!]!.label === detected[at]!.label;
  const kindOf = (at: number): OverlayKind => (isHit(at) ? 'hit' : 'false-alarm');
  const isMissed = ({ isCrowd }: TrueObject, at: number): boolean =>
    !isCrowd && (detectionOf[at] === NOTHING || !isHit(detectionOf[at]!));

  const truthPlaces = new LabelPlaces(size, pixel);
  const places = new LabelPlaces(size, pixel);
  const words = (at: number): string => {
    const { label, score } = detected[at]!;
    return `${isOneClass ? '' : `${nameOf(label)} `}${formatNumber(score, 2)}`;
  };
  const missed = truth.filter(isMissed);
  return {
    truth:
      truth.map((object) => shape(object, 'truth', nameOf(object.label), pixel)).join('') +
      (isOneClass
        ? ''
        : truth.map(({ box, label }) => truthPlaces.label(nameOf(label), box, fill('truth'))).join('')),
    detected:
      missed.map((object) => shape(object, 'miss', `missed: ${nameOf(object.label)}`, pixel)).join('') +
      shown
        .map((at) => {
          const name = `${nameOf(detected[at]!.label)} ${formatNumber(detected[at]!.score, 3)}`;
          return shape(detected[at]!, kindOf(at), `${KIND_WORDS[kindOf(at)]}: ${name}`, pixel);
        })
        .join('') +
      // the best scores take their places first
      shown
        .toReversed()
        .map((at) => places.label(words(at), detected[at]!.box, fill(kindOf(at))))
        .join(''),
    counts: {
      hit: shown.filter(isHit).length,
      miss: missed.length,
      'false-alarm': shown.filter((at) => !isHit(at)).length,
    },
    objects: truth.filter(({ isCrowd }) => !isCrowd).length,
    minScore,
    unlabelled: places.leftOut + truthPlaces.leftOut,
  };
}

const KIND_WORDS: Readonly<Record<OverlayKind, string>> = {
  truth: 'object',
  hit: 'hit',
  miss: 'missed',
  'false-alarm': 'false alarm',
};

const fill = (kind: OverlayKind): string => `rgb(${OVERLAY_COLORS[kind].join(',')})`;

/** Lines differ for those who see no colours: misses are dotted, false alarms dashed. In pixels of the screen. */
const DASHES: Readonly<Record<OverlayKind, readonly number[]>> = {
  truth: [],
  hit: [],
  miss: [2, 2.5],
  'false-alarm': [7, 4],
};

/** Stroke of a kind over a dark one, which is seen on bright ground. */
export function strokes(kind: OverlayKind, pixel: number, element: (look: string) => string): string {
  const dashes = DASHES[kind].map((length) => round(length * pixel)).join(' ');
  const dash = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`;
  return (
    element(`stroke="#14171a" stroke-opacity=".75" stroke-width="${round(3.4 * pixel)}"`) +
    element(`stroke="${fill(kind)}" stroke-width="${round(1.8 * pixel)}"${dash}`)
  );
}

function shape(
  object: Pick<TrueObject, 'box' | 'mask' | 'isCrowd'>,
  kind: OverlayKind,
  name: string,
  pixel: number,
): string {
  const outlines = object.mask ? maskOutlines(object.mask).flat() : [];
  const path = (outlines.length > 0 ? outlines : [cornersOf(object.box)]).map(pathOf).join('');
  const inside =
    outlines.length > 0 || object.isCrowd
      ? `fill="${fill(kind)}" fill-opacity=".22" fill-rule="evenodd"`
      : 'fill="none"';
  const lines = strokes(kind, pixel, (look) => `<path d="${path}" ${look}/>`);
  return `<g ${inside} stroke-linejoin="round"><title>${escapeHtml(plainText(name))}</title>${lines}</g>`;
}

const cornersOf = ([left, top, width, height]: CocoBox): number[] => [
  ...[left, top, left + width, top],
  ...[left + width, top + height, left, top + height],
];

function pathOf(corners: readonly number[]): string {
  let path = '';
  for (let at = 0; at < corners.length; at += 2)
    path += `${at === 0 ? 'M' : 'L'}${round(corners[at]!)} ${round(corners[at + 1]!)}`;
  return `${path}Z`;
}

const round = (value: number): number => Math.round(value * 100) / 100;
