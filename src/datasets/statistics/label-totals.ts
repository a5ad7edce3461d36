import type { DatasetManifest } from '../../manifests/dataset-manifest.js';
import type { Target } from '../sample.js';
import { BandTotals, type BandSummary } from './band-totals.js';

/** How often a class occurs. */
export interface ClassCount {
  readonly index: number;
  readonly name: string;
  /** Pixels of a label map, objects, or samples. */
  readonly count: number;
  /** Of all that have a label, 0 … 1; of several labels a sample, of the samples. Null where nothing has a label. */
  readonly share: number | null;
  /** Samples in which it occurs. */
  readonly samples: number;
}

/** Labels of many samples, counted. */
export class LabelTotals {
  private readonly counts: number[];
  private readonly samplesWith: number[];
  private readonly shareSums: number[];
  private readonly shareSquares: number[];
  private readonly strange = new Map<number, number>();
  private ignored = 0;
  private labelled = 0;
  private sampleCount = 0;
  private unit: 'pixels' | 'samples' | 'objects' = 'samples';
  private values: BandTotals | null = null;

  constructor(
    private readonly manifest: Pick<DatasetManifest, 'classes' | 'labels'>,
    private readonly withQuantiles: boolean,
  ) {
    const zeros = (): number[] => manifest.classes.map(() => 0);
    [this.counts, this.samplesWith, this.shareSums, this.shareSquares] = [zeros(), zeros(), zeros(), zeros()];
  }

  add(target: Target): void {
    switch (target.kind) {
      case 'class':
        return this.addLabels([target.label], 1);
      case 'classes':
        return this.addLabels(target.labels, 1);
      case 'boxes':
      case 'instances':
        this.unit = 'objects';
        return this.addLabels(target.objects.map(({ label }) => label));
      case 'mask':
        this.unit = 'pixels';
        return this.addLabels(target.labels.data);
      case 'values':
        this.values ??= new BandTotals('float32', this.withQuantiles);
        return this.values.add(target.values, target.valid, 0, 1);
    }
  }

  /** @param whole what a share is of; default: the labels */
  private addLabels(labels: ArrayLike<number>, whole?: number): void {
    const classCount = this.counts.length;
    const own = new Float64Array(classCount);
    let outside = 0;
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i]!;
      if (label >= 0 && label < classCount) own[label]!++;
      else {
        outside++;
        this.strange.set(label, (this.strange.get(label) ?? 0) + 1);
      }
    }
    const total = whole ?? labels.length - outside;
    this.sampleCount++;
    this.labelled += total;
    for (const [index, count] of own.entries()) {
      const share = total === 0 ? 0 : count / total;
      this.counts[index]! += count;
      this.shareSums[index]! += share;
      this.shareSquares[index]! += share * share;
      if (count > 0) this.samplesWith[index]!++;
    }
    this.ignored += outside;
  }

  /** What is counted. */
  get counted(): 'pixels' | 'samples' | 'objects' {
    return this.unit;
  }

  /** Share of pixels without a label, 0 … 1. */
  get unlabelledShare(): number {
    const all = this.labelled + this.ignored;
    return this.unit === 'pixels' && all > 0 ? this.ignored / all : 0;
  }

  /** Labels that are neither a class nor the manifest's "no label", with their number. */
  get outside(): readonly { readonly label: number; readonly count: number }[] {
    const { ignoreIndex } = this.manifest.labels;
    return [...this.strange].flatMap(([label, count]) => (label === ignoreIndex ? [] : [{ label, count }]));
  }

  /** Of a regression; null elsewhere. */
  valueSummary(): BandSummary | null {
    return this.values?.summary(this.manifest.classes[0]!.name) ?? null;
  }

  /** Empty for a regression. */
  classes(): ClassCount[] {
    if (this.values) return [];
    return this.manifest.classes.map(({ name }, index) => ({
      index,
      name,
      count: this.counts[index]!,
      share: this.labelled === 0 ? null : this.counts[index]! / this.labelled,
      samples: this.samplesWith[index]!,
    }));
  }

  /** Standard error of a class's share over samples; null for fewer than three. */
  standardError(index: number): number | null {
    const { sampleCount } = this;
    if (sampleCount < 3) return null;
    const sum = this.shareSums[index]!;
    const variance = (this.shareSquares[index]! - (sum * sum) / sampleCount) / (sampleCount - 1);
    return Math.sqrt(Math.max(0, variance) / sampleCount);
  }
}
