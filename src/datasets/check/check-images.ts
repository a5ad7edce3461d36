import type { DatasetManifest } from '../../manifests/dataset-manifest.js';
import type { Sample, SampleImage } from '../sample.js';
import type { CheckFinding } from './finding.js';

interface Seen {
  samples: number;
  /** By text, e.g. `512 × 512`: how many samples, and one of them. */
  readonly sizes: Map<string, { count: number; readonly sample: string; readonly size: Size }>;
  readonly types: Map<string, { count: number; readonly sample: string }>;
  readonly steps: Map<number, { count: number; readonly sample: string }>;
  readonly bands: Map<string, { count: number; readonly sample: string }>;
}

interface Size {
  readonly height: number;
  readonly width: number;
}

/** Shapes, number types, dates and bands of all samples that were read. */
export class ImageForms {
  private readonly seen = new Map<string, Seen>();
  private samples = 0;

  add({ id, images }: Sample): void {
    this.samples++;
    for (const [modality, image] of Object.entries(images)) {
      let own = this.seen.get(modality);
      if (!own) {
        own = { samples: 0, sizes: new Map(), types: new Map(), steps: new Map(), bands: new Map() };
        this.seen.set(modality, own);
      }
      own.samples++;
      const { height, width } = image;
      count(own.sizes, `${height} × ${width}`, { sample: id, size: { height, width } });
      count(own.types, typesOf(image), { sample: id });
      count(own.steps, image.timeCount, { sample: id });
      count(own.bands, image.bands.join(', '), { sample: id });
    }
  }

  /** Shape and type by modality, as a table. */
  rows(): { modality: string; samples: number; size: string; times: string; stored: string }[] {
    return [...this.seen].map(([modality, { samples, sizes, steps, types }]) => ({
      modality,
      samples,
      size: [...sizes.keys()].slice(0, 3).join('; '),
      times: span([...steps.keys()]),
      stored: [...types.keys()].slice(0, 3).join('; '),
    }));
  }

  findings({ modalities, imageSize }: DatasetManifest): CheckFinding[] {
    if (this.samples === 0) return [];
    const findings: CheckFinding[] = [];
    for (const [modality, { bands, timeSteps }] of Object.entries(modalities)) {
      const own = this.seen.get(modality);
      if (!own) {
        findings.push({
          severity: 'warning',
          code: 'MODALITY_MISSING',
          message: `No sample that was read has ${modality}.`,
          where: modality,
          hint: 'Fetch its files too, or leave it out of what you train on.',
        });
        continue;
      }
      if (own.samples < this.samples) {
        findings.push({
          severity: 'note',
          code: 'MODALITY_SPARSE',
          message: `${this.samples - own.samples} of ${this.samples} samples have no ${modality}.`,
          where: modality,
          hint: 'Where the release has it so, nothing is to be done.',
        });
      }
      const wanted = bands.map(({ id }) => id).join(', ');
      for (const [names, { count: samples, sample }] of own.bands) {
        if (names === wanted) continue;
        findings.push({
          severity: 'error',
          code: 'BAND_LIST',
          message: `${samples} samples have the bands ${names}; the manifest lists ${wanted}.`,
          where: `${modality}, sample ${sample}`,
          hint: 'Correct the manifest, or the code that reads the dataset.',
        });
      }
      findings.push(...this.variations(modality, own, timeSteps));
    }
    if (imageSize) findings.push(...this.sizeFinding(imageSize));
    return findings;
  }

  private variations(modality: string, own: Seen, timeSteps: number | null): CheckFinding[] {
    const findings: CheckFinding[] = [];
    if (own.types.size > 1) {
      findings.push({
        severity: 'warning',
        code: 'TYPE_VARIES',
        message: `Samples are stored as ${listCounts(own.types)}.`,
        where: modality,
        hint: 'Files of a release have one type: those of the rarer one were converted, or come from elsewhere.',
      });
    }
    const other = [...own.steps].filter(([steps]) => timeSteps !== null && steps !== timeSteps);
    if (other.length > 0) {
      findings.push({
        severity: 'warning',
        code: 'TIME_STEPS',
        message: `The manifest says ${timeSteps} time steps, and samples have ${listCounts(new Map(other))}.`,
        where: `${modality}, e.g. sample ${other[0]![1].sample}`,
        hint: 'Dates are missing: fetch the files again.',
      });
    }
    return findings;
  }

  /** Some modality is as large as the manifest says: others have pixels of another size. */
  private sizeFinding([height, width]: readonly [number, number]): CheckFinding[] {
    const all = [...this.seen.values()].map(({ sizes }) => sizes);
    const isTile = ({ size }: { readonly size: Size }): boolean =>
      size.height % height === 0 && size.width % width === 0;
    if (all.some((sizes) => [...sizes.values()].every(isTile))) return [];
    const best = all.map((sizes) => [...sizes]).sort((a, b) => a.length - b.length)[0]!;
    const wrong = best.filter(([, one]) => !isTile(one));
    return [
      {
        severity: 'warning',
        code: 'IMAGE_SHAPE',
        message: `The manifest says ${height} × ${width} px, and samples have ${listCounts(new Map(wrong))}.`,
        where: `sample ${wrong[0]![1].sample}`,
        hint: 'Images were cut or resampled, or are of another version of the release.',
      },
    ];
  }
}

function count<K, T extends object>(counts: Map<K, T & { count: number }>, key: K, first: T): void {
  const known = counts.get(key);
  if (known) known.count++;
  else counts.set(key, { ...first, count: 1 });
}

/** Values that a message lists. */
const SHOWN = 4;

function listCounts(counts: ReadonlyMap<string | number, { readonly count: number }>): string {
  const listed = [...counts]
    .slice(0, SHOWN)
    .map(([value, { count: samples }]) => `${value} (${samples} samples)`);
  return counts.size > SHOWN ? `${listed.join(', ')} and ${counts.size - SHOWN} others` : listed.join(', ');
}

const typesOf = ({ storedType, sources }: SampleImage): string =>
  sources ? [...new Set(sources.map((source) => source.storedType))].join(' and ') : storedType;

const span = (numbers: readonly number[]): string => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? String(least) : `${least} … ${most}`;
};
