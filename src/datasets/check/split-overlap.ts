import { createHash } from 'node:crypto';
import type { Entry } from '../dataset.js';
import { boxOf, isPlaced } from '../places/footprint.js';
import type { Sample, SampleImage } from '../sample.js';
import { counted, some, type CheckFinding } from './finding.js';

/** Share of the smaller of two footprints at which places count as one. */
const SAME_PLACE = 0.5;

/** What the lists of all splits say of each other. */
export interface ListOverlaps {
  readonly findings: readonly CheckFinding[];
  /** Ids of samples that two splits have. */
  readonly shared: ReadonlySet<string>;
}

/** Of two splits. */
interface Overlap {
  readonly ids: string[];
  readonly files: string[];
  /** Ids that name other files in the one than in the other. */
  readonly names: string[];
}

/** Compares the lists of all splits: no id twice, no id and no file in two splits. Reads no pixels. */
export function compareLists(splits: ReadonlyMap<string, readonly Entry[]>): ListOverlaps {
  const findings: CheckFinding[] = [];
  const pairs = new Map<string, Overlap>();
  const ofId = new Map<string, { readonly split: string; readonly files: readonly string[] }>();
  const ownerOfFile = new Map<string, string>();
  for (const [split, entries] of splits) {
    const repeats = repeatsOf(entries);
    if (repeats.length > 0) findings.push(repeatedFinding(split, repeats));
    const pair = (other: string): Overlap => {
      const key = `${other} and ${split}`;
      const known = pairs.get(key) ?? { ids: [], files: [], names: [] };
      pairs.set(key, known);
      return known;
    };
    for (const entry of entries) {
      const files = filesOf(entry);
      const other = ofId.get(entry.id);
      const isElsewhere = other !== undefined && other.split !== split;
      if (!isElsewhere) ofId.set(entry.id, { split, files });
      else pair(other.split)[isOneSample(files, other.files) ? 'ids' : 'names'].push(entry.id);
      for (const file of files) {
        const owner = ownerOfFile.get(file);
        if (owner !== undefined && owner !== split && !isElsewhere) pair(owner).files.push(file);
        else ownerOfFile.set(file, split);
      }
    }
  }
  for (const [where, overlap] of pairs) findings.push(...overlapFindings(where, overlap));
  return { findings, shared: new Set([...pairs.values()].flatMap(({ ids }) => ids)) };
}

function repeatsOf(entries: readonly Entry[]): string[] {
  const seen = new Set<string>();
  return entries.filter(({ id }) => seen.size === seen.add(id).size).map(({ id }) => id);
}

/** Samples of one id: those that name files of their own are one where they name the same. */
const isOneSample = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === 0 || b.length === 0 || a.some((file) => b.includes(file));

const repeatedFinding = (where: string, repeats: readonly string[]): CheckFinding => ({
  severity: 'warning',
  code: 'DUPLICATE_ID',
  message: `${counted(repeats.length, 'sample')} listed more than once: ${some(repeats)}.`,
  where,
  hint: 'Remove the repeats from the list, unless the release oversamples so.',
});

function overlapFindings(where: string, { ids, files, names }: Overlap): CheckFinding[] {
  const found: CheckFinding[] = [];
  if (ids.length > 0 || files.length > 0) {
    const [shared, noun] = ids.length > 0 ? [ids, 'sample'] : [files, 'file'];
    found.push({
      severity: 'error',
      code: 'SPLIT_LEAK',
      message: `Two splits share ${counted(shared.length, noun)}: ${some(shared)}.`,
      where,
      hint: 'Scores on seen samples say nothing: take them out of one of the two, or restore the lists.',
    });
  }
  if (names.length > 0) {
    found.push({
      severity: 'warning',
      code: 'DUPLICATE_ID',
      message: `Two splits have different files under ${counted(names.length, 'name')}: ${some(names)}.`,
      where,
      hint: 'If they show the same, take them out of one of the two; else other names tell them apart in results.',
    });
  }
  return found;
}

/** Endings of files of single samples: one that several samples share, such as a container, is no leak. */
const SAMPLE_FILE = /\.(?:tiff?|png|jpe?g|npy|npz|hdf5|h5|nc)$/i;

/** Paths below the root that an entry names, where it reads them whole. */
export function filesOf(entry: Entry): string[] {
  const members = Object.entries(entry as unknown as Readonly<Record<string, unknown>>);
  const isPart = members.some(([name]) => ['offset', 'window', 'columns', 'tile'].includes(name));
  if (isPart) return [];
  return members.flatMap(([name, value]) =>
    name !== 'id' &&
    name !== 'line' &&
    typeof value === 'string' &&
    value.includes('/') &&
    SAMPLE_FILE.test(value)
      ? [value]
      : [],
  );
}

interface Owner {
  readonly split: string;
  readonly sample: string;
}

interface Footprint extends Owner {
  /** Least x, least y, greatest x, greatest y, in the units of its coordinate system. */
  readonly box: readonly [number, number, number, number];
}

/** Pixels and places of the samples that were read, told apart by a digest and by a grid. */
export class SeenSamples {
  private readonly pixels = new Map<string, Owner>();
  private readonly places = new Map<string, Footprint[]>();
  private readonly copies = new Map<string, Pairs>();
  private readonly overlaps = new Map<string, Pairs>();

  /** @param shared ids of samples that two splits have, which is told already */
  constructor(private readonly shared: ReadonlySet<string>) {}

  add({ id, split, images }: Sample): void {
    const owner = { split, sample: id };
    const digest = digestOf(images);
    if (digest !== null) {
      const other = this.pixels.get(digest);
      if (!other) this.pixels.set(digest, owner);
      else if (!this.isTold(other, owner)) note(this.copies, other.split, split, `${other.sample} and ${id}`);
    }
    const placed = Object.values(images).find(isPlaced);
    if (placed) this.addPlace({ ...owner, box: boxOf(placed) }, placed.crs);
  }

  findings(): CheckFinding[] {
    const found: CheckFinding[] = [];
    for (const [where, pairs] of this.copies) {
      const isLeak = where.includes(' and ');
      found.push({
        severity: isLeak ? 'error' : 'warning',
        code: isLeak ? 'SPLIT_LEAK' : 'DUPLICATE_PIXELS',
        message: `${describePairs(pairs)} equal pixels: ${examples(pairs)}.`,
        where,
        hint: isLeak
          ? 'Scores on seen samples say nothing: take them out of one of the two splits.'
          : 'Copies count twice in training: remove one of each pair.',
      });
    }
    for (const [where, pairs] of this.overlaps) {
      if (!where.includes(' and ')) continue;
      found.push({
        severity: 'warning',
        code: 'SAME_PLACE',
        message: `${describePairs(pairs)} the same place: ${examples(pairs)}.`,
        where,
        hint: 'Of other dates they show the same ground: scores may be too good for new places.',
      });
    }
    return found;
  }

  private isTold(a: Owner, b: Owner): boolean {
    return a.sample === b.sample && a.split !== b.split && this.shared.has(a.sample);
  }

  private addPlace(footprint: Footprint, crs: string): void {
    const [left, bottom, right, top] = footprint.box;
    const size = Math.max(right - left, top - bottom);
    if (!(size > 0) || !Number.isFinite(size)) return;
    // samples of one kind have one size: cells of about that size hold the few that can overlap
    const cell = 2 ** Math.ceil(Math.log2(size));
    const [column, row] = [Math.floor((left + right) / 2 / cell), Math.floor((bottom + top) / 2 / cell)];
    for (let y = row - 1; y <= row + 1; y++) {
      for (let x = column - 1; x <= column + 1; x++) {
        for (const other of this.places.get(`${crs} ${cell} ${x} ${y}`) ?? []) {
          if (other.split === footprint.split || this.isTold(other, footprint)) continue;
          if (overlap(other.box, footprint.box) < SAME_PLACE) continue;
          note(this.overlaps, other.split, footprint.split, `${other.sample} and ${footprint.sample}`);
        }
      }
    }
    const key = `${crs} ${cell} ${column} ${row}`;
    const there = this.places.get(key);
    if (there) there.push(footprint);
    else this.places.set(key, [footprint]);
  }
}

/** Pairs of samples of two splits, or of one: how many, and the first of them. */
interface Pairs {
  count: number;
  readonly first: string[];
}

/** Pairs that a message names. */
const SHOWN = 3;

function note(known: Map<string, Pairs>, a: string, b: string, text: string): void {
  const key = a === b ? a : `${a} and ${b}`;
  const pairs = known.get(key) ?? { count: 0, first: [] };
  known.set(key, pairs);
  if (pairs.count++ < SHOWN) pairs.first.push(text);
}

const describePairs = ({ count }: Pairs): string =>
  count === 1 ? 'Two samples have' : `${count} pairs of samples have`;
const examples = ({ count, first }: Pairs): string =>
  first.join('; ') + (count > first.length ? `; and ${count - first.length} more` : '');

/** Of all pixels of a sample; null where they are all the same, as where nothing was measured. */
function digestOf(images: Readonly<Record<string, SampleImage>>): string | null {
  const hash = createHash('sha1'); // tells copies apart; nothing is to be kept from anybody
  let isVaried = false;
  for (const [modality, { data, bands, height, width }] of Object.entries(images)) {
    hash.update(`${modality} ${height} ${width} ${bands.length} `);
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    isVaried ||= data.some((value) => value !== data[0]);
  }
  return isVaried ? hash.digest('base64') : null;
}

type Box = Footprint['box'];

/** Common area as a share of the smaller box. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const area = ([left, bottom, right, top]: Box): number => (right - left) * (top - bottom);
  return width <= 0 || height <= 0 ? 0 : (width * height) / Math.min(area(a), area(b));
}
