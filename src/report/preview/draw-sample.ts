import type { Dataset } from '../../datasets/dataset.js';
import type { Sample, SampleObject, TargetOf } from '../../datasets/sample.js';
import { formatNumber } from '../../display/numbers.js';
import type { LabelArray } from '../../io/raster.js';
import { isGround, previewColors, type Color } from './colors.js';
import { imagePanes, PANE_PIXELS } from './image-panes.js';
import type { Drawing, LegendItem, Pane, Shape } from './pane.js';
import {
  labelView,
  NO_LABEL,
  outlineView,
  overlayView,
  planeOfValues,
  rampView,
  shownLabels,
  stretchOf,
} from './raster-view.js';

/** Everything that is drawn of a sample: images by what they hold, then the target, and a legend of what is seen. */
export function drawSample({ manifest }: Dataset, sample: Sample): Drawing {
  const images = Object.entries(sample.images).map(([name, image]) => ({
    image,
    panes: imagePanes(name, image, manifest.modalities[name]!, manifest.task === 'change_detection'),
  }));
  const under = underOf(sample, images);
  const target = targetPanes(
    sample,
    manifest.classes.map(({ name }) => name),
    manifest.labels.voidClasses,
    under,
  );
  const panes = [...images.flatMap((one) => one.panes), ...target.panes];
  const isHatched = panes.some(({ view }) => view.isHatched);
  return {
    title: sample.id,
    caption: [sizesOf(sample), target.caption].filter(Boolean).join(' · '),
    panes,
    legend: [...target.legend, ...(isHatched ? [{ name: 'no value', color: 'hatched' } as const] : [])],
  };
}

/** Picture that labels are drawn over: of the modality whose grid they have, its last date. */
function underOf(
  { target }: Sample,
  images: readonly { readonly image: Sample['images'][string]; readonly panes: readonly Pane[] }[],
): Pane | undefined {
  const labels = target.kind === 'mask' || target.kind === 'instances' ? target.labels : undefined;
  const drawn = images.filter(({ panes }) => panes.length > 0);
  const ofGrid =
    labels && drawn.find(({ image }) => image.height === labels.height && image.width === labels.width);
  const { image, panes } = ofGrid ?? drawn[0] ?? {};
  if (!image || !panes) return undefined;
  const shown = panes.filter(({ isStrip }) => isStrip);
  return shown.at(-1) ?? (image.timeCount === 2 ? panes[1] : panes[0]);
}

interface Drawn {
  readonly panes: readonly Pane[];
  readonly caption: string;
  readonly legend: readonly LegendItem[];
}

function targetPanes(
  { target, images }: Sample,
  classes: readonly string[],
  voidClasses: readonly number[],
  under: Pane | undefined,
): Drawn {
  const colors = previewColors(classes);
  switch (target.kind) {
    case 'class':
      return caption(`class: ${classes[target.label] ?? target.label}`);
    case 'classes':
      return caption(
        `classes: ${target.labels.map((label) => classes[label] ?? label).join(', ') || 'none'}`,
      );
    case 'mask':
      return maskPanes(target, classes, colors, voidClasses, under);
    case 'values':
      return valuePanes(target, classes[0] ?? 'value');
    case 'boxes':
    case 'instances':
      return objectPanes(target, Object.values(images)[0], classes, colors, under);
  }
}

const caption = (text: string): Drawn => ({ panes: [], caption: text, legend: [] });

function maskPanes(
  { labels, parts }: TargetOf<'mask'>,
  classes: readonly string[],
  colors: readonly Color[],
  voidClasses: readonly number[],
  under: Pane | undefined,
): Drawn {
  const shown = shownLabels(labels, PANE_PIXELS);
  const colorOf = (label: number): Color | undefined => colors[label];
  const panes: Pane[] = [];
  if (under) {
    const isLeftOut = (label: number): boolean =>
      voidClasses.includes(label) || isGround(classes[label] ?? '');
    const overlay = overlayView(under.view, shown, (label) => (isLeftOut(label) ? undefined : colors[label]));
    panes.push({ title: 'labels over image', subtitle: '', view: overlay });
  }
  panes.push({ title: 'labels', subtitle: '', view: labelView(shown, colorOf, PANE_PIXELS) });
  const instances = parts?.instances;
  if (instances) panes.push({ title: 'instances', subtitle: '', view: instanceView(instances) });
  return { panes, caption: '', legend: labelLegend(labels, classes, colors) };
}

/** Classes of a label map with their shares, the most frequent first. */
function labelLegend(
  { data }: LabelArray,
  classes: readonly string[],
  colors: readonly Color[],
): LegendItem[] {
  const counts = new Map<number, number>();
  for (const label of data) counts.set(label, (counts.get(label) ?? 0) + 1);
  const share = (count: number): string => `${formatNumber((100 * count) / data.length, 1)} %`;
  const known = [...counts].filter(([label]) => colors[label]).sort(([, a], [, b]) => b - a);
  const unknown = [...counts].filter(([label]) => !colors[label]).reduce((sum, [, count]) => sum + count, 0);
  return [
    ...known.map(([label, count]) => ({ name: `${classes[label]!} ${share(count)}`, color: colors[label]! })),
    ...(unknown > 0 ? [{ name: `no label ${share(unknown)}`, color: NO_LABEL }] : []),
  ];
}

function valuePanes({ values, valid, height, width }: TargetOf<'values'>, name: string): Drawn {
  const plane = planeOfValues(values, valid, { height, width }, PANE_PIXELS);
  const [low, high] = stretchOf(plane) ?? [0, 1];
  const pane: Pane = {
    title: name,
    subtitle: '2nd to 98th percentile',
    view: rampView(plane, [low, high], PANE_PIXELS),
    bar: { low, high },
  };
  return { panes: [pane], caption: '', legend: [] };
}

function objectPanes(
  target: TargetOf<'boxes'> | TargetOf<'instances'>,
  image: Sample['images'][string] | undefined,
  classes: readonly string[],
  colors: readonly Color[],
  under: Pane | undefined,
): Drawn {
  const { objects } = target;
  const panes: Pane[] = [];
  const instances = target.kind === 'instances' ? target.instances : undefined;
  if (under && instances) {
    const view = outlineView(under.view, shownLabels(instances, PANE_PIXELS));
    panes.push({ title: 'outlines', subtitle: '', view });
  } else if (under && image) {
    const shapes = objects.flatMap((object) => shapesOf(object, image, colors[object.label] ?? colors[0]!));
    panes.push({
      title: target.kind === 'boxes' ? 'boxes' : 'instances',
      subtitle: '',
      view: under.view,
      shapes,
    });
  }
  if (target.kind === 'instances' && target.labels) {
    const shown = shownLabels(target.labels, PANE_PIXELS);
    panes.push({
      title: 'labels',
      subtitle: '',
      view: labelView(shown, (label) => colors[label], PANE_PIXELS),
    });
  }
  if (instances) panes.push({ title: 'instances', subtitle: '', view: instanceView(instances) });
  const counts = new Map<number, number>();
  for (const { label } of objects) counts.set(label, (counts.get(label) ?? 0) + 1);
  const ofObjects = [...counts].map(([label, count]) => ({
    name: `${classes[label] ?? label}: ${count}`,
    color: colors[label] ?? colors[0]!,
  }));
  const legend =
    target.kind === 'instances' && target.labels ? labelLegend(target.labels, classes, colors) : ofObjects;
  return { panes, caption: `${objects.length} objects`, legend };
}

/** Outlines where the data has them, else the box. */
function shapesOf(
  { box, polygons }: SampleObject,
  { height, width }: { readonly height: number; readonly width: number },
  color: Color,
): Shape[] {
  const [left, top, right, bottom] = box;
  const outlines = polygons?.length ? polygons : [[left, top, right, top, right, bottom, left, bottom]];
  return outlines.map((points) => ({
    points: points.map((value, index) => value / (index % 2 === 0 ? width : height)),
    color,
  }));
}

/** Neighbouring objects in colours of their own; 0 is the ground. */
function instanceView(instances: LabelArray) {
  const shown = shownLabels(instances, PANE_PIXELS);
  const palette = previewColors(Array.from({ length: 24 }, (_, index) => `object ${index}`));
  const colorOf = (id: number): Color | undefined =>
    id > 0 ? palette[(id * 7) % palette.length] : undefined;
  return labelView(shown, colorOf, PANE_PIXELS);
}

/** `512 × 512 px`, one a modality where they differ. */
function sizesOf({ images }: Sample): string {
  const sizes = Object.entries(images).map(
    ([name, { height, width }]) => [name, `${height} × ${width} px`] as const,
  );
  const all = new Set(sizes.map(([, size]) => size));
  return all.size === 1 ? [...all][0]! : sizes.map(([name, size]) => `${name} ${size}`).join(', ');
}
