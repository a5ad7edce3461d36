import { bandStatistics } from '../../datasets/band-statistics.js';
import type { Sample, SampleObject, Target } from '../../datasets/sample.js';
import type { LabelArray } from '../../io/raster.js';
import type { DatasetManifest } from '../../manifests/dataset-manifest.js';
import type { Differences } from './differences.js';
import type { ExpectedPlace, ExpectedStatistics } from './expected.js';

interface Comparison {
  readonly name: string;
  readonly target: Target;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly manifest: DatasetManifest;
  readonly differences: Differences;
}

type Check = (value: unknown, comparison: Comparison) => void;

/**
 * A sample's target, member by member of what the fixture says; a member without a rule here is compared with the
 * sample's facts.
 */
export function compareTarget(
  sample: Sample,
  expected: Readonly<Record<string, unknown>>,
  manifest: DatasetManifest,
  differences: Differences,
): void {
  const comparison: Comparison = {
    name: `${sample.id} target`,
    target: sample.target,
    expected,
    manifest,
    differences,
  };
  for (const [member, value] of Object.entries(expected)) {
    const check = Object.hasOwn(checks, member) ? checks[member] : undefined;
    if (check) check(value, comparison);
    else differences.covers(`${comparison.name} ${member}`, sample.facts[member], value);
  }
}

const checks: Readonly<Record<string, Check>> = {
  histogram: (value, { name, target, differences }) => {
    const labels = target.kind === 'mask' || target.kind === 'instances' ? target.labels : undefined;
    differences.exact(`${name} histogram`, histogram(labels), value);
  },
  histogramRaw: (value, { name, target, differences }) => {
    differences.exact(
      `${name} stored histogram`,
      histogram(target.kind === 'mask' ? target.stored : undefined),
      value,
    );
  },
  changeHistogram: (value, { name, target, differences }) => {
    differences.exact(`${name} change`, histogram(target.kind === 'mask' ? target.labels : undefined), value);
  },
  buildingsT1: (value, comparison) => comparePart('before', value, comparison),
  buildingsT2: (value, comparison) => comparePart('after', value, comparison),
  label: (value, { name, target, differences, manifest }) => {
    const got =
      target.kind === 'classes'
        ? manifest.classes.map((_, index) => (target.labels.includes(index) ? 1 : 0))
        : target.kind === 'class'
          ? target.label
          : undefined;
    differences.exact(`${name} label`, got, value);
  },
  positives: (value, { name, target, differences }) => {
    differences.exact(`${name} classes`, target.kind === 'classes' ? target.labels : undefined, value);
  },
  name: (value, { name, target, differences, manifest }) => {
    const got = target.kind === 'class' ? manifest.classes[target.label]?.name : undefined;
    differences.exact(`${name} class`, got, value);
  },
  labels: (value, comparison) => {
    const list = value as readonly unknown[];
    if (list.some((label) => typeof label === 'string')) compareNames(list as readonly string[], comparison);
    else compareObjects('labels', value, comparison, ({ label }) => label);
  },
  species: (value, comparison) => compareNames(value as readonly string[], comparison),
  names: (value, comparison) =>
    compareObjects('names', value, comparison, ({ label }) => comparison.manifest.classes[label]?.name),
  boxes_xyxy: (value, comparison) => compareObjects('boxes', value, comparison, ({ box }) => [...box]),
  polygons: (value, comparison) =>
    compareObjects('outlines', value, comparison, ({ polygons }) => polygons?.[0]),
  maskAreasBoundaryIncluded: (value, comparison) =>
    compareObjects('areas', value, comparison, ({ area }) => area),
  objects: (value, { name, target, differences }) => {
    if (target.kind !== 'instances') return; // the same folder read as another task
    const got = target.objects.map(({ id, label, box, area }) => ({ id, label, box: [...box], area }));
    const listed = value as readonly { readonly id: number }[];
    differences.exact(
      `${name} objects`,
      got.filter(({ id }) => listed.some((object) => object.id === id)),
      listed,
    );
  },
  instances: (value, { name, target, differences }) => {
    const map =
      target.kind === 'mask'
        ? target.parts?.instances
        : target.kind === 'instances'
          ? target.instances
          : undefined;
    const ids = map && new Set([...map.data].filter((id) => id !== 0));
    differences.exact(`${name} instances`, ids?.size, value);
  },
  stats: (value, { name, target, differences }) => {
    if (target.kind !== 'values') {
      differences.add(`${name} is of kind "${target.kind}", not "values"`);
      return;
    }
    const [got] = bandStatistics({ data: target.values, bands: ['target'] });
    differences.statistics(name, got!, value as ExpectedStatistics);
  },
  key: (value, { name, target, differences }) =>
    differences.exact(`${name} key`, target.kind === 'mask' ? target.source?.key : undefined, value),
  dtype: (value, { name, target, differences }) =>
    differences.exact(`${name} type`, target.kind === 'mask' ? target.source?.storedType : undefined, value),
  geo: (value, { name, target, differences }) =>
    differences.place(name, (target.kind === 'mask' && target.source) || {}, value as ExpectedPlace),
  // where the fixture keeps it; that it was read is seen from its labels
  file: () => undefined,
};

function comparePart(part: string, value: unknown, { name, target, differences }: Comparison): void {
  const map = target.kind === 'mask' ? target.parts?.[part] : undefined;
  differences.exact(`${name} ${part}`, histogram(map), value);
}

/** Names of a file come in its own order. */
function compareNames(value: readonly string[], { name, target, differences, manifest }: Comparison): void {
  const got = target.kind === 'classes' ? target.labels.map((label) => manifest.classes[label]?.name) : [];
  differences.exact(`${name} class names`, got.sort(), [...value].sort());
}

function compareObjects(
  what: string,
  value: unknown,
  { name, target, differences }: Comparison,
  pick: (object: SampleObject) => unknown,
): void {
  const objects = target.kind === 'boxes' || target.kind === 'instances' ? target.objects : [];
  differences.exact(`${name} ${what}`, objects.map(pick), value);
}

/** Pixels by label, as JSON writes it. */
function histogram(map: LabelArray | undefined): Readonly<Record<string, number>> | undefined {
  if (!map) return undefined;
  const counts = new Map<number, number>();
  for (const label of map.data) counts.set(label, (counts.get(label) ?? 0) + 1);
  return Object.fromEntries([...counts].map(([label, count]) => [String(label), count]));
}
