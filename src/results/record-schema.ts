import { showAs } from '../display/showable.js';
import { InputError } from '../errors.js';
import * as z from '../manifests/zod-mini.js';
import { recordBundle, recordRow } from './record-sheets.js';
import type { JsonValue, RunDefinition, RunRecord } from './run-record.js';

/**
 * The form of records as a schema: what a file must hold to be read as a `RunRecord`. Members that this
 * version does not know are passed over, so that records of a later minor version can still be read.
 */

const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));
const count = z.int().check(z.nonnegative());
const seconds = z.number().check(z.nonnegative());
const positive = z.int().check(z.positive());
const word = z.string().check(z.minLength(1));
const numberOrNull = z.nullable(z.number());

/** Deeper than any setting; what is deeper would exhaust the stack. */
const DEEPEST = 64;

// by hand: plans have ten thousand runs of some sixty settings
function isJson(value: unknown, depth = 0): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === DEEPEST) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  return Object.values(value).every((part) => isJson(part, depth + 1));
}

const json = z.custom<JsonValue>((value) => isJson(value), 'not a value of JSON');

const definition = z.object({
  dataset: word,
  encoder: word,
  decoder: word,
  settings: z.record(z.string(), json),
  seed: z.nullable(z.int()),
  mode: z.enum(['corrected', 'as-published']),
  datasetManifest: z.string(),
  weights: z.nullable(z.string()),
  revision: z.int(),
  faults: z.optional(z.record(z.string(), z.boolean())),
  trial: z.optional(z.object({ search: z.string(), digest: z.string(), number: count })),
  own: z.optional(z.record(z.string(), z.string())),
});

const scoreRow = z.object({
  split: z.string(),
  place: z.string(),
  evaluation: z.enum(['tiles', 'whole', 'sliding-window', 'tiled']),
  metric: z.string(),
  className: z.nullable(z.string()),
  value: numberOrNull,
});

const epochRow = z.object({
  epoch: positive,
  trainLoss: z.number(),
  validationScore: numberOrNull,
  validationLoss: z.optional(numberOrNull),
  seconds,
  validations: z.optional(list(z.object({ step: positive, score: numberOrNull, loss: numberOrNull }))),
});

/** No path out of the store: `artifacts/ab/SHA256.ext`. */
const artifactPath = z
  .string()
  .check(z.regex(/^artifacts\/([0-9a-f]{2})\/\1[0-9a-f]{62}\.[a-z0-9]+$/, 'not a path of an artifact'));

const exampleRow = z.object({
  id: z.string(),
  split: z.string(),
  place: z.string(),
  image: artifactPath,
  truth: artifactPath,
  prediction: artifactPath,
  score: numberOrNull,
});

const recordSchema = z.object({
  schema: z.literal('gondwana-run/1'),
  id: z.string().check(z.regex(/^[0-9a-f]{8,64}$/, 'not an id (8 to 64 hexadecimal digits)')),
  attempt: word,
  study: z.string(),
  arm: word,
  definition,
  task: z.optional(z.string()),
  dataHash: z.string(),
  counts: z.record(z.string(), z.object({ samples: count, pixels: count })),
  inputs: list(z.object({ band: z.string(), mean: z.number(), standardDeviation: z.number() })),
  scores: list(scoreRow),
  curve: list(epochRow),
  modelWeights: z.optional(artifactPath),
  selectedEpoch: z.nullable(count),
  trial: z.optional(
    z.object({
      state: z.enum(['complete', 'pruned']),
      value: numberOrNull,
      reports: list(z.object({ step: z.int(), value: z.number() })),
    }),
  ),
  faults: z.optional(z.record(z.string(), z.boolean())),
  preprocessing: z.optional(list(z.object({ name: z.string(), options: json }))),
  examples: list(exampleRow),
  detections: z.optional(list(z.object({ split: z.string(), summary: artifactPath }))),
  cost: z.object({
    parameters: count,
    trainableParameters: count,
    multiplyAdds: z.optional(z.nullable(z.object({ encoder: count, decoder: count }))),
    seconds: z.record(z.string(), seconds),
    peakResidentBytes: z.number().check(z.nonnegative()),
    processes: positive,
  }),
  job: z.optional(
    z.object({
      submission: z.string(),
      task: count,
      job: z.string(),
      restart: count,
      node: z.string(),
      log: z.string(),
    }),
  ),
  engine: z.object({
    name: z.enum(['native-gpu', 'native-cpu', 'wasm', 'cpu']),
    library: z.string(),
    api: z.string(),
    device: z.string(),
    threads: positive,
    processor: z.string(),
    notices: list(z.string()),
  }),
  versions: z.record(z.string(), z.string()),
  startedAt: z.iso.datetime({ offset: true }),
  finishedAt: z.iso.datetime({ offset: true }),
});

/** A plan is read from JSON, so that all there is to see of its settings is that they are an object: ten thousand are read at once. */
const settingsObject = z.custom<RunDefinition['settings']>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const plannedRun = z.object({
  id: recordSchema.shape.id,
  arm: word,
  definition: z.extend(definition, { settings: settingsObject }),
});

/** One run that a study asks for. */
export interface StoredRun {
  readonly id: string;
  readonly arm: string;
  readonly definition: RunDefinition;
}

// These lines fail to compile when the schema and the types in run-record.ts part ways.
type Agree<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type KeysAgree<A, B> = Agree<keyof A, keyof B>;
type Parsed = z.infer<typeof recordSchema>;
const agreement: [
  Agree<Parsed, RunRecord>,
  KeysAgree<Parsed, RunRecord>,
  KeysAgree<Parsed['definition'], RunDefinition>,
  KeysAgree<Parsed['engine'], RunRecord['engine']>,
  KeysAgree<Parsed['cost'], RunRecord['cost']>,
  KeysAgree<Parsed['scores'][number], RunRecord['scores'][number]>,
  KeysAgree<Parsed['curve'][number], RunRecord['curve'][number]>,
  KeysAgree<Parsed['examples'][number], RunRecord['examples'][number]>,
  Agree<z.infer<typeof plannedRun>, StoredRun>,
] = [true, true, true, true, true, true, true, true, true];
void agreement;

/**
 * @param where file or run that an error names
 * @throws InputError RECORD_INVALID with the path of the first wrong member
 */
export function parseRecord(value: unknown, where: string): RunRecord {
  return showAs<RunRecord>(parse(recordSchema, value, where, 'record'), {
    bundle: recordBundle,
    row: recordRow,
  });
}

/** @throws InputError RECORD_INVALID */
export function parsePlannedRun(value: unknown, where: string): StoredRun {
  return parse(plannedRun, value, where, 'planned run');
}

function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  where: string,
  what: string,
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`,
  );
  const more = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
  throw new InputError('RECORD_INVALID', `This is no ${what}: ${issues.slice(0, 3).join('; ')}${more}.`, {
    where,
    hint: 'Run the study again: a damaged record is made anew. A record of a newer version needs that version.',
  });
}

/**
 * The rule for scores that are no numbers: NaN and ±Infinity have no form in JSON, and become null, the
 * mark of a value that is undefined. It holds for `scores[].value`, validation scores of `curve` and
 * `examples[].score`; anywhere else (a loss, a mean of the inputs) such a number makes the record invalid.
 */
export function withoutNonFiniteScores(record: RunRecord): RunRecord {
  const finite = (value: number | null): number | null =>
    value === null || Number.isFinite(value) ? value : null;
  return {
    ...record,
    scores: record.scores.map((row) => ({ ...row, value: finite(row.value) })),
    curve: record.curve.map((row) => ({
      ...row,
      validationScore: finite(row.validationScore),
      ...(row.validationLoss !== undefined && { validationLoss: finite(row.validationLoss) }),
      ...(row.validations && {
        validations: row.validations.map(({ step, score, loss }) => ({
          ...{ step, score: finite(score), loss: finite(loss) },
        })),
      }),
    })),
    examples: record.examples.map((row) => ({ ...row, score: finite(row.score) })),
  };
}
