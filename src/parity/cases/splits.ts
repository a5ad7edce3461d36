import { readFile } from 'node:fs/promises';
import { checkSplits } from '../../datasets/splits/check-splits.js';
import { stratifiedFraction } from '../../datasets/splits/fraction.js';
import { csvColumn, readCsv } from '../../io/csv.js';
import { createRandom } from '../../random.js';
import { judge, type CaseEntry } from './judge.js';

interface PartitionEntry extends CaseEntry {
  readonly counts?: Readonly<Record<string, number>>;
}

/** One list of splits. @returns undefined where all is right, else one line */
export const runPartitionCase = (file: string, entry: PartitionEntry): Promise<string | undefined> =>
  judge(entry, async () => {
    const splits = JSON.parse(await readFile(file, 'utf8')) as Record<string, string[]>;
    checkSplits(splits, file);
    for (const [split, count] of Object.entries(entry.counts ?? {})) {
      if (splits[split]?.length !== count) return `${split} has ${splits[split]?.length} ids, not ${count}`;
    }
    return undefined;
  });

interface SubsetEntry extends CaseEntry {
  readonly classCounts: Readonly<Record<string, number>>;
  readonly rules: {
    readonly '10%': number;
    readonly '50%': number;
    readonly minPerPresentClass: number;
    readonly nested: boolean;
    readonly sameSeedSameList: boolean;
  };
}

const SEED = 7;

/** Subsets of a tenth and of a half: sizes, shares of the classes, nesting, seed. */
export const runSubsetCase = (
  file: string,
  { classCounts, rules, ...entry }: SubsetEntry,
): Promise<string | undefined> =>
  judge(entry, () => {
    const labels = csvColumn(readCsv(file, { required: ['id', 'label'] }), 'label');
    const count = (of: readonly string[], label: string): number =>
      of.filter((other) => other === label).length;
    for (const [label, due] of Object.entries(classCounts)) {
      if (count(labels, label) !== due) return `class ${label} has ${count(labels, label)} rows, not ${due}`;
    }
    const draw = (fraction: number, seed = SEED): number[] =>
      stratifiedFraction(labels, { fraction, random: createRandom(seed) });
    const [tenth, half] = [draw(0.1), draw(0.5)];
    for (const [subset, fraction, due] of [
      [tenth, 0.1, rules['10%']],
      [half, 0.5, rules['50%']],
    ] as const) {
      if (subset.length !== due) return `a share of ${fraction} has ${subset.length} rows, not ${due}`;
      const kept = subset.map((place) => labels[place]!);
      for (const label of new Set(labels)) {
        const got = count(kept, label);
        if (got < rules.minPerPresentClass) return `a share of ${fraction} has lost class ${label}`;
        // the firsts of small classes take the place of up to one row of every other
        const exact = count(labels, label) * fraction;
        if (Math.abs(got - exact) > new Set(labels).size)
          return `class ${label} has ${got} rows in a share of ${fraction}, not about ${exact}`;
      }
    }
    if (rules.nested && !tenth.every((place) => half.includes(place))) return 'a tenth is no part of a half';
    if (rules.sameSeedSameList && draw(0.1).join() !== tenth.join())
      return 'the same seed gives another list';
    if (draw(0.1, SEED + 1).join() === tenth.join()) return 'another seed gives the same list';
    return undefined;
  });
