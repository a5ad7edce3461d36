import { groupBy } from '../../collections.js';
import { bandStatistics } from '../../datasets/band-statistics.js';
import { joinBands } from '../../datasets/image.js';
import type { Sample, SampleImage } from '../../datasets/sample.js';
import type { DatasetManifest } from '../../manifests/dataset-manifest.js';
import { isBand } from './band-names.js';
import type { Differences } from './differences.js';
import type { ExpectedArray, ExpectedImage, ExpectedSample } from './expected.js';

/** Images by stored source: a modality, a part of the file that holds several, or a named time step. */
export function compareImages(
  sample: Sample,
  expected: NonNullable<ExpectedSample['image']>,
  manifest: DatasetManifest,
  differences: Differences,
): void {
  for (const [key, wanted] of Object.entries(expected)) {
    const found = findSource(sample, key, manifest);
    if (found) compareImage(`${sample.id} image ${key}`, found, wanted, manifest, differences);
    else
      differences.add(
        `${sample.id} has no image "${key}", only ${Object.keys(sample.images).join(', ') || 'none'}`,
      );
  }
}

interface Source {
  readonly image: SampleImage;
  /** Modality of each band. */
  readonly modalities: readonly string[];
}

function findSource(sample: Sample, key: string, manifest: DatasetManifest): Source | undefined {
  const sources = Object.entries(sample.images).filter(([name]) => {
    const storedIn = manifest.modalities[name]?.storedIn ?? null;
    return storedIn === null ? name === key : storedIn === key || name === key;
  });
  if (sources.length > 0) {
    return {
      image: joinBands(sources.map(([, image]) => image)),
      modalities: sources.flatMap(([name, image]) => image.bands.map(() => name)),
    };
  }
  for (const [name, image] of Object.entries(sample.images)) {
    const step = image.steps?.indexOf(key) ?? -1;
    if (step >= 0) return { image: timeStep(image, step), modalities: image.bands.map(() => name) };
  }
  return undefined;
}

function timeStep(image: SampleImage, step: number): SampleImage {
  const length = image.data.length / image.timeCount;
  const [from, to] = [step * length, (step + 1) * length];
  return {
    ...image,
    data: image.data.subarray(from, to),
    valid: image.valid && image.valid.subarray(from, to),
    timeCount: 1,
    dates: [image.dates[step] ?? null],
  };
}

function compareImage(
  name: string,
  { image, modalities }: Source,
  expected: ExpectedImage,
  manifest: DatasetManifest,
  differences: Differences,
): void {
  const sizes: Readonly<Record<string, number>> = {
    C: image.bands.length,
    T: image.timeCount,
    H: image.height,
    W: image.width,
  };
  const shape = [...expected.dims].map((axis) => sizes[axis]);
  differences.exact(`${name} [${[...expected.dims].join(', ')}]`, shape, expected.shape);
  differences.exact(`${name} type`, image.storedType, expected.dtype);
  if (expected.geo) differences.place(name, image, expected.geo);
  if (image.bands.length !== expected.stats.length) return; // said above
  const got = bandStatistics(image, invalidValuesOf(modalities, manifest));
  for (const [index, wanted] of expected.stats.entries()) {
    const id = image.bands[index]!;
    const modality = manifest.modalities[modalities[index]!];
    const band = modality?.bands.find((candidate) => candidate.id === id);
    if (!modality || !band || !isBand(wanted.band, band, modality)) {
      differences.add(`${name} band ${index} is ${id}, not ${wanted.band}`);
    }
    differences.statistics(`${name} ${wanted.band}`, got[index]!, wanted);
  }
}

function invalidValuesOf(modalities: readonly string[], manifest: DatasetManifest): number[] {
  const names = [...new Set(modalities)];
  return names.flatMap((name) => [...(manifest.modalities[name]?.invalidValues ?? [])]);
}

/** Arrays of a file that keeps each band apart, in its order. */
export function compareArrays(
  sample: Sample,
  expected: readonly ExpectedArray[],
  manifest: DatasetManifest,
  differences: Differences,
): void {
  const arrays = Object.keys(manifest.modalities).flatMap((name) => {
    const image = sample.images[name];
    return image ? arraysOf(image, manifest.modalities[name]!.invalidValues) : [];
  });
  differences.exact(
    `${sample.id} arrays`,
    arrays.map(({ key }) => key),
    expected.map(({ key }) => key),
  );
  for (const wanted of expected) {
    const got = arrays.find(({ key }) => key === wanted.key);
    if (!got) continue; // said above
    const name = `${sample.id} ${wanted.key}`;
    differences.exact(`${name} shape`, got.shape, dropLastOne(wanted.shape));
    differences.exact(`${name} type`, got.storedType, wanted.dtype);
    differences.statistics(name, bandStatistics(got.image, got.invalidValues)[0]!, wanted);
  }
}

/** A last axis of one channel is no axis here. */
const dropLastOne = (shape: readonly number[]): readonly number[] =>
  shape.length === 3 && shape[2] === 1 ? shape.slice(0, 2) : shape;

interface StoredArray {
  readonly key: string;
  readonly storedType: string;
  readonly shape: readonly number[];
  readonly image: Pick<SampleImage, 'data' | 'bands'>;
  readonly invalidValues: readonly number[];
}

/** Bands of one key are channels of one array. */
function arraysOf(image: SampleImage, invalidValues: readonly number[]): StoredArray[] {
  const { sources = [], bands, height, width, data } = image;
  const channels = groupBy(sources.keys(), (band) => sources[band]!.key);
  return [...channels].map(([key, own]) => {
    const isAll = own.length === bands.length || sources.length < bands.length;
    const count = isAll ? bands.length : own.length;
    return {
      key,
      storedType: sources[own[0]!]!.storedType,
      shape: count === 1 ? [height, width] : [height, width, count],
      image: { data: isAll ? data : data.filter((_, at) => own.includes(at % bands.length)), bands: [key] },
      invalidValues,
    };
  });
}
