import { z } from 'zod';
import type { BandManifest, DatasetManifest } from './dataset-manifest.js';
import type { ManifestSchema } from './read-manifest.js';
import { wheelSource } from './wheel-source-schema.js';

const text = z.string().min(1);
const digest = z.string().length(64);
const numbers = z.array(z.number().nullable()).nullable();

interface StoredBand {
  id: string;
  stored?: string | undefined;
  reference?: string | undefined;
  isAuxiliary: boolean;
  count?: number | undefined;
  wavelengthNm: number | null;
  gsdM: number | null;
}

/** Names that are not given are the id; a band of several channels becomes as many, `neon-1`, `neon-2`, … */
function expandBand({ count, ...band }: StoredBand): BandManifest[] {
  const named = (id: string): BandManifest => ({
    ...band,
    id,
    stored: band.stored ?? id,
    reference: band.reference ?? id,
  });
  if (count === undefined) return [named(band.id)];
  return Array.from({ length: count }, (_, channel) => named(`${band.id}-${channel + 1}`));
}

const modality = z
  .strictObject({
    sensor: text,
    storedIn: text.nullable().default(null),
    unit: text,
    scale: z.number().default(1),
    range: z.tuple([z.number(), z.number()]).nullable().default(null),
    bands: z
      .array(
        z
          .strictObject({
            id: text,
            stored: text.optional(),
            reference: text.optional(),
            isAuxiliary: z.boolean().default(false),
            /** Channels of one stored array that have no names of their own. */
            count: z.int().positive().optional(),
            wavelengthNm: z.number().positive().nullable(),
            gsdM: z.number().positive().nullable(),
          })
          .transform(expandBand),
      )
      .min(1)
      .transform((bands) => bands.flat()),
    invalidValues: z.array(z.number()).default([]),
    referenceFill: z.number().nullable().default(null),
    timeSteps: z.int().positive().nullable().default(1),
    statistics: z
      .array(
        z.strictObject({
          source: text,
          mean: numbers.default(null),
          std: numbers.default(null),
          min: numbers.default(null),
          max: numbers.default(null),
          percentiles: z
            .record(z.string().regex(/^\d{1,2}$/), numbers)
            .nullable()
            .default(null),
          asPublished: z
            .strictObject({ mean: z.array(z.number().nullable()), std: z.array(z.number().nullable()) })
            .nullable()
            .default(null),
          caution: text.nullable().default(null),
          isComparable: z.boolean().default(true),
        }),
      )
      .default([]),
  })
  .superRefine(({ bands, statistics }, context) => {
    const ids = bands.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined)
      context.addIssue({ code: 'custom', path: ['bands'], message: `${twice} is there twice` });
    for (const [index, { mean, std, min, max, percentiles, asPublished }] of statistics.entries()) {
      const lists = [mean, std, min, max, ...Object.values(percentiles ?? {})];
      const wrong = [...lists, asPublished?.mean, asPublished?.std].find(
        (list) => list && list.length !== bands.length,
      );
      if (wrong) {
        const message = `${wrong.length} numbers for ${bands.length} bands`;
        context.addIssue({ code: 'custom', path: ['statistics', index], message });
      }
    }
  });

const schema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words with hyphens'),
  title: text,
  benchmark: text.nullable().default(null),
  aliases: z.array(text).default([]),
  task: z.enum([
    'classification',
    'multilabel',
    'segmentation',
    'change_detection',
    'regression',
    'detection',
    'instance_segmentation',
  ]),
  citation: text,
  homepage: text,
  licence: text,
  card: z.strictObject({ predicted: text, from: text, counted: text }),
  imageSize: z.tuple([z.int().positive(), z.int().positive()]).nullable(),
  gsdM: z.number().positive().nullable(),
  modalities: z.record(z.string(), modality),
  classes: z
    .array(z.strictObject({ name: text, share: z.number().min(0).max(1).nullable().default(null) }))
    .min(1),
  labels: z.strictObject({
    map: z.record(z.string().regex(/^-?\d+$/), z.int()).optional(),
    offset: z.int().optional(),
    others: z.int().optional(),
    ignoreIndex: z.int().nullable(),
    voidClasses: z.array(z.int().nonnegative()).default([]),
  }),
  splits: z.record(
    z.string(),
    z.strictObject({
      count: z.int().nonnegative().nullable(),
      rule: text,
      scored: text.nullable().default(null),
      otherCounts: z.array(z.strictObject({ count: z.int().nonnegative(), source: text })).default([]),
    }),
  ),
  layout: z.strictObject({
    summary: text,
    files: z.record(z.string(), text).default({}),
    pairs: z
      .strictObject({
        images: text,
        masks: text,
        imageEnding: text.optional(),
        maskEnding: text.optional(),
        splitFolders: z.record(z.string(), text).optional(),
      })
      .nullable()
      .default(null),
  }),
  release: z.strictObject({
    access: text,
    /** Of all files, in words. */
    size: text.nullable().default(null),
    files: z.array(
      z.strictObject({
        name: text,
        sha256: digest.nullable(),
        md5: z.string().length(32).nullable().default(null),
        bytes: z.int().positive().nullable().default(null),
        url: z
          .url({ protocol: /^https?$/ })
          .nullable()
          .default(null),
      }),
    ),
    wheel: wheelSource.nullable().default(null),
    sharedWith: text.nullable().default(null),
  }),
  sampling: z.record(z.string(), text).default({}),
  metrics: z.array(text).default([]),
  parameters: z.record(z.string(), z.strictObject({ meaning: text, default: z.unknown() })).default({}),
  faults: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words with hyphens'),
        asPublished: text,
        corrected: text,
        isSwitchable: z.boolean().default(true),
      }),
    )
    .default([]),
  scenes: z
    .array(
      z.strictObject({
        id: text,
        place: text,
        image: text,
        annotations: text,
        sha256: z.strictObject({ image: digest, annotations: digest }),
        height: z.int().positive(),
        width: z.int().positive(),
        regions: z.array(
          z.strictObject({ split: text, columns: z.tuple([z.int().nonnegative(), z.int().positive()]) }),
        ),
      }),
    )
    .default([]),
  notes: z.array(text).default([]),
});

// the schema library's type stays out of the public ones
export const readDatasetSchema = (): ManifestSchema<Omit<DatasetManifest, 'hash'>> =>
  schema as unknown as ManifestSchema<Omit<DatasetManifest, 'hash'>>;
