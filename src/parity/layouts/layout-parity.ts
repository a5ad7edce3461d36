import path from 'node:path';
import { openDataset, type Dataset, type Entry } from '../../datasets/dataset.js';
import type { Mode } from '../../datasets/faults.js';
import type { Sample } from '../../datasets/sample.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { readDatasetManifest, type DatasetManifest } from '../../manifests/dataset-manifest.js';
import { isBand, isReference } from './band-names.js';
import { compareArrays, compareImages } from './compare-images.js';
import { compareTarget } from './compare-target.js';
import { Differences } from './differences.js';
import type { ExpectedDataset, ExpectedSample } from './expected.js';

/** Most differences that a line names. */
const SHOWN = 3;

/**
 * Ids of the datasets that a folder of a benchmark's release holds: one, or two where two read the same files. The one
 * named after the folder comes first.
 */
export function datasetsOfFolder(benchmark: string, folder: string): string[] {
  const manifests = listManifests('datasets').map(readDatasetManifest);
  const own = manifests.find(
    (manifest) => manifest.benchmark === benchmark && [manifest.id, ...manifest.aliases].includes(folder),
  );
  if (!own) return [];
  const sharing = manifests.filter(({ release }) => release.sharedWith === own.id);
  return [own.id, ...sharing.map(({ id }) => id)];
}

export interface LayoutOptions {
  readonly mode: Mode;
  /** Default: the dataset named after the fixture's folder. */
  readonly dataset?: string;
}

/**
 * Opens a fixture's folder and compares everything that its `expected.json` says with what is read.
 * @param folder of the fixture
 * @param expected its `expected.json`
 * @returns undefined where all is equal, else one line with the first differences
 * @throws what opening and reading the dataset throws
 */
export async function runLayoutParity(
  folder: string,
  expected: ExpectedDataset,
  { mode, dataset }: LayoutOptions,
): Promise<string | undefined> {
  const known = datasetsOfFolder(expected.benchmark, expected.dataset);
  const id = dataset ?? known[0];
  if (id === undefined) return `no manifest of ${expected.benchmark} names the folder "${expected.dataset}"`;
  const manifest = readDatasetManifest(id);
  // the lists of sites that a release fixes cannot name the sites of a fixture
  const parameters =
    expected.aois && Object.hasOwn(manifest.parameters, 'sites') ? { sites: expected.aois } : {};
  const opened = await openDataset(id, path.join(folder, expected.root), { mode, parameters });
  const differences = new Differences();
  compareManifest(manifest, expected, id === known[0], differences);
  await compareFacts(opened, expected, differences);
  for (const split of Object.keys(expected.splits)) await compareSplit(opened, split, expected, differences);
  const { lines } = differences;
  if (lines.length === 0) return undefined;
  const more = lines.length > SHOWN ? `; and ${lines.length - SHOWN} more` : '';
  return lines.slice(0, SHOWN).join('; ') + more;
}

/** Task, classes and bands, which come from the manifest and not from the folder. */
function compareManifest(
  manifest: DatasetManifest,
  expected: ExpectedDataset,
  isNamesake: boolean,
  differences: Differences,
): void {
  // two tasks on the files of one folder: the fixture states one of them
  if (isNamesake) differences.exact('task', manifest.task, expected.task);
  differences.exact('number of classes', manifest.classes.length, expected.num_classes);
  if (expected.classes) {
    differences.exact(
      'classes',
      manifest.classes.map(({ name }) => name),
      expected.classes,
    );
  }
  differences.exact('ignore index', manifest.labels.ignoreIndex, expected.ignore_index ?? null);
  compareBands(manifest, expected, differences);
}

function compareBands(
  { modalities }: DatasetManifest,
  { bands, referenceBands = {} }: ExpectedDataset,
  differences: Differences,
): void {
  if (Array.isArray(bands)) {
    const stored = Object.values(modalities).flatMap((modality) => modality.bands.map((band) => band.stored));
    differences.exact('bands', [...new Set(stored)], bands);
    return;
  }
  const byModality = bands as Readonly<Record<string, readonly string[]>>;
  differences.exact('modalities', Object.keys(modalities).sort(), Object.keys(byModality).sort());
  for (const [name, modality] of Object.entries(modalities)) {
    const own = modality.bands.filter(({ isAuxiliary }) => !isAuxiliary);
    const wanted = byModality[name] ?? [];
    const isSame =
      wanted.length === own.length && wanted.every((band, index) => isBand(band, own[index]!, modality));
    if (!isSame)
      differences.exact(
        `bands of ${name}`,
        own.map(({ id }) => id),
        wanted,
      );
    const reference = referenceBands[name];
    if (!reference) continue;
    const all = modality.bands;
    const isTaken =
      reference.length === all.length &&
      reference.every((band, index) => isReference(band, all[index]!, modality));
    if (!isTaken) {
      differences.exact(
        `reference's bands of ${name}`,
        all.map((band) => band.reference),
        reference,
      );
    }
  }
}

async function compareFacts(
  dataset: Dataset,
  expected: ExpectedDataset,
  differences: Differences,
): Promise<void> {
  const facts = await dataset.facts();
  for (const member of ['partitions', 'task_specs', 'files'] as const) {
    if (expected[member] !== undefined) differences.covers(member, facts[member], expected[member]);
  }
}

async function compareSplit(
  dataset: Dataset,
  split: string,
  expected: ExpectedDataset,
  differences: Differences,
): Promise<void> {
  const { count, ids, oversampledIds } = expected.splits[split]!;
  const entries = await dataset.entries(split);
  differences.exact(`${split} count`, entries.length, count);
  differences.exact(`${split} ids`, entries.map(listedId), ids);
  if (oversampledIds)
    differences.exact(`${split} epoch`, (await dataset.epoch(split)).map(listedId), oversampledIds);
  for (const [index, sample] of (expected.samples[split] ?? []).entries()) {
    // a fixture may tell of other samples than the first ones of the split
    const entry = entries.find(({ id }) => id === sample.id) ?? entries[index];
    if (entry) compareSample(await dataset.read(split, entry), sample, dataset.manifest, differences);
    else differences.add(`${split} has no sample ${index + 1}, "${sample.id}"`);
  }
}

/** The reference's name of an entry: its line in a list, where that is another. */
const listedId = (entry: Entry): string => entry.line ?? entry.id;

/** Members of a sample that have their own comparison. */
const OWN = new Set(['id', 'image', 'bands', 'target', 'crs', 'transform', 'file']);

function compareSample(
  sample: Sample,
  expected: ExpectedSample,
  manifest: DatasetManifest,
  differences: Differences,
): void {
  differences.exact('sample', sample.id, expected.id);
  if (expected.image) compareImages(sample, expected.image, manifest, differences);
  if (expected.bands) {
    compareArrays(sample, expected.bands, manifest, differences);
    const [first] = Object.values(sample.images);
    const { crs = null, transform = null } = expected as { crs?: string | null; transform?: number[] | null };
    differences.place(sample.id, first ?? {}, { crs, transform });
    if (typeof expected.file === 'string' && !expected.file.endsWith(String(sample.facts.file))) {
      differences.exact(`${sample.id} file`, sample.facts.file, expected.file);
    }
  }
  compareTarget(sample, expected.target, manifest, differences);
  for (const [member, value] of Object.entries(expected)) {
    if (!OWN.has(member)) differences.covers(`${sample.id} ${member}`, sample.facts[member], value);
  }
}
