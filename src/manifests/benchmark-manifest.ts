import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { readManifest } from './read-manifest.js';

/** A benchmark: which datasets, how they are split and scored, and what its reference does wrong as a whole. */
export interface BenchmarkManifest {
  readonly id: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly citation: string;
  /** Repository and version that facts were taken from. */
  readonly code: string;
  /** What each split is for. */
  readonly splits: Readonly<Record<string, string>>;
  readonly datasets: readonly { readonly dataset: string; readonly metric: string }[];
  /** Shares of the training split that the benchmark trains on. */
  readonly fractions: { readonly values: readonly number[]; readonly rule: string };
  /** Groups of datasets that are scored together. */
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  readonly faults: readonly {
    readonly id: string;
    readonly asPublished: string;
    readonly corrected: string;
  }[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

const text = z.string().min(1);
const schema = z.strictObject({
  id: text,
  title: text,
  aliases: z.array(text),
  citation: text,
  code: text,
  splits: z.record(z.string(), text),
  datasets: z.array(z.strictObject({ dataset: text, metric: text })).min(1),
  fractions: z.strictObject({ values: z.array(z.number().positive().max(1)), rule: text }),
  capabilities: z.record(z.string(), z.array(text)),
  faults: z.array(z.strictObject({ id: text, asPublished: text, corrected: text })),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readBenchmarkManifest = (id: string): BenchmarkManifest =>
  showAs<BenchmarkManifest>(readManifest('benchmarks', id, schema), {
    bundle: ({ title, citation, code, datasets, fractions, faults }) =>
      sheetBundle({
        title,
        facts: [
          ['id', id],
          ['citation', citation],
          ['code', code],
          ['fractions', `${fractions.values.join(', ')}: ${fractions.rule}`],
        ],
        tables: [{ rows: datasets }, { rows: faults }],
      }),
  });
