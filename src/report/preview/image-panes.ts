import type { SampleImage } from '../../datasets/sample.js';
import type { ModalityManifest } from '../../manifests/dataset-manifest.js';
import type { Pane } from './pane.js';
import {
  colorView,
  planeOf,
  rampView,
  stretchOf,
  type Plane,
  type Stretch,
  type View,
} from './raster-view.js';

/** Pixels of a pane's longer side; shown at two thirds of it. */
export const PANE_PIXELS = 360;
/** Dates of a series that are drawn. */
const SHOWN_DATES = 6;

/** Three bands as red, green and blue, or one by a ramp. */
interface Rendering {
  readonly title: string;
  /** What red, green and blue are. */
  readonly subtitle: string;
  readonly planes: (time: number) => Plane[];
  /** Colours that are seen as they are; else from the 2nd to the 98th percentile. */
  readonly isAsStored: boolean;
}

/**
 * Panes of one image of a sample. The first one is what boxes and labels are drawn over.
 * @param isChange two dates are before and after
 */
export function imagePanes(
  name: string,
  image: SampleImage,
  modality: ModalityManifest,
  isChange = false,
): Pane[] {
  const renderings = renderingsOf(image, modality);
  const [first, ...others] = renderings;
  if (!first) return [];
  const titleOf = ({ title }: Rendering): string => (title === name ? name : `${name}: ${title}`);
  if (image.timeCount === 1) return renderings.map((rendering) => pane(titleOf(rendering), rendering, image));
  const times = shownTimes(image.timeCount);
  const byTime = times.map((time) => first.planes(time));
  const stretches = stretchesOf(first, byTime);
  const count = ofDates(times.length, image.timeCount);
  const strip = times.map((time, place): Pane => {
    const step = isChange && times.length === 2 ? ['before', 'after'][place]! : image.steps?.[time];
    const date = image.dates[time] ?? (step === undefined ? `date ${time + 1}` : '');
    return {
      title: step ?? date,
      subtitle: step === undefined ? '' : date,
      ...(place === 0 && { heading: [`${name}: ${first.title}`, first.subtitle, count].join(' · ') }),
      ...viewPane(byTime[place]!, stretches),
      isStrip: times.length > 2,
    };
  });
  const last = times.at(-1)!;
  return [...strip, ...others.map((rendering) => pane(titleOf(rendering), rendering, image, last))];
}

const ofDates = (shown: number, count: number): string =>
  shown === count ? `${count} dates` : `${shown} of ${count} dates`;

function pane(title: string, rendering: Rendering, image: SampleImage, time = 0): Pane {
  const planes = rendering.planes(time);
  const date = image.timeCount === 1 ? image.dates[0] : timeName(image, time);
  return {
    title,
    subtitle: [rendering.subtitle, date].filter(Boolean).join(' · '),
    ...viewPane(planes, stretchesOf(rendering, [planes])),
  };
}

function viewPane(planes: readonly Plane[], stretches: readonly Stretch[]): Pick<Pane, 'view' | 'bar'> {
  if (planes.length === 3) return { view: colorView(planes, stretches, PANE_PIXELS) };
  const view: View = rampView(planes[0]!, stretches[0]!, PANE_PIXELS);
  return { view, bar: { low: stretches[0]![0], high: stretches[0]![1] } };
}

/** One for all dates, so that they can be compared: the median of theirs, since a cloudy date would darken all others. */
function stretchesOf({ isAsStored }: Rendering, byTime: readonly (readonly Plane[])[]): Stretch[] {
  return byTime[0]!.map((_, channel) => {
    const ends = byTime.flatMap((planes) => {
      const own = stretchOf(planes[channel]!);
      return own ? [own] : [];
    });
    const found: Stretch = [
      median(
        ends.map(([low]) => low),
        0,
      ),
      median(
        ends.map(([, high]) => high),
        1,
      ),
    ];
    // colours of 8 bits are what a camera or a designer made of them, unless they use little of the range
    return isAsStored && found[1] > 110 ? [0, 255] : found;
  });
}

function median(values: readonly number[], none: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? none;
}

/** The first, the last, and those between at equal distances. */
function shownTimes(count: number): number[] {
  if (count <= SHOWN_DATES) return Array.from({ length: count }, (_, time) => time);
  return Array.from({ length: SHOWN_DATES }, (_, place) =>
    Math.round((place * (count - 1)) / (SHOWN_DATES - 1)),
  );
}

const timeName = ({ dates, steps }: SampleImage, time: number): string =>
  [steps?.[time], dates[time]].filter(Boolean).join(' ') || `date ${time + 1}`;

function renderingsOf(image: SampleImage, modality: ModalityManifest): Rendering[] {
  if (/^(?:sentinel-1|radar)/.test(modality.sensor)) return radarRenderings(image, modality);
  const at = wavelengthFinder(image, modality);
  const [red, green, blue] = [at(665, 60), at(560, 60), at(490, 60)];
  const [nir, swir] = [at(850, 110), at(2200, 150) ?? at(1610, 150)];
  const isAsStored = image.storedType === 'uint8';
  const three = (title: string, bands: readonly number[]): Rendering => ({
    title,
    subtitle: bands.map((band) => image.bands[band]!).join(', '),
    planes: (time) => bands.map((band) => planeOf(image, band, time, PANE_PIXELS)),
    isAsStored,
  });
  const renderings: Rendering[] = [];
  const add = (title: string, ...bands: readonly (number | undefined)[]): void => {
    const known = bands.filter((band) => band !== undefined);
    if (known.length === 3 && new Set(known).size === 3) renderings.push(three(title, known));
  };
  add('true colour', red, green, blue);
  add('false colour', nir, red, green);
  add('false colour', swir, nir, red);
  return renderings.length > 0 ? renderings : singleBands(image, modality);
}

/** Band nearest to a wavelength, nm, within reach. */
function wavelengthFinder(
  { bands }: SampleImage,
  modality: ModalityManifest,
): (wanted: number, reach: number) => number | undefined {
  const known = bands.map((id) => modality.bands.find((band) => band.id === id)?.wavelengthNm ?? null);
  return (wanted, reach) => {
    const distance = known.map((nm) => (nm === null ? Infinity : Math.abs(nm - wanted)));
    const least = Math.min(...distance);
    return least <= reach ? distance.indexOf(least) : undefined;
  };
}

function singleBands(image: SampleImage, modality: ModalityManifest): Rendering[] {
  const drawn = image.bands
    .map((id, band) => ({ id, band }))
    .filter(({ id }) => !(modality.bands.find((band) => band.id === id)?.isAuxiliary ?? false));
  // of a long cube the one in the middle
  const chosen = drawn.length > 3 ? [drawn[drawn.length >> 1]!] : drawn;
  return chosen.map(({ id, band }) => ({
    title: id,
    subtitle: modality.unit,
    planes: (time) => [planeOf(image, band, time, PANE_PIXELS)],
    isAsStored: false,
  }));
}

/** VV, VH and their ratio as red, green and blue, in dB. */
function radarRenderings(image: SampleImage, modality: ModalityManifest): Rendering[] {
  const find = (polarisation: string): number => {
    const exact = image.bands.indexOf(polarisation);
    if (exact >= 0) return exact;
    const filtered = image.bands.findIndex((id) => id.startsWith(`${polarisation}-lee`));
    return filtered >= 0 ? filtered : image.bands.findIndex((id) => id.includes(polarisation));
  };
  const [vv, vh] = [find('VV'), find('VH')];
  if (vv < 0 || vh < 0 || vv === vh) return singleBands(image, modality);
  const isDb = /dB/.test(modality.unit);
  const planes = (time: number): Plane[] => {
    const [a, b] = [planeOf(image, vv, time, PANE_PIXELS), planeOf(image, vh, time, PANE_PIXELS)];
    // real and imaginary parts have signs, and no logarithm
    const isPower =
      !isDb && a.values.every((value) => !(value < 0)) && b.values.every((value) => !(value < 0));
    const [first, second] = isPower ? [toDb(a), toDb(b)] : [a, b];
    const ratio = first.values.map((value, at) => value - second.values[at]!);
    return [first, second, { ...first, values: ratio }];
  };
  const subtitle = isDb || !/parts/.test(modality.unit) ? 'VV, VH, VV / VH in dB' : 'VV, VH, VV − VH';
  return [{ title: 'radar', subtitle, planes, isAsStored: false }];
}

const toDb = (plane: Plane): Plane => ({
  ...plane,
  values: plane.values.map((value) => (value > 0 ? 10 * Math.log10(value) : NaN)),
});
