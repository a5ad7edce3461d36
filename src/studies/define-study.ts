import { showAs } from '../display/showable.js';
import { InputError, nearest } from '../errors.js';
import { searchSpace } from '../manifests/search-schema.js';
import * as z from '../manifests/zod-mini.js';
import { studyBundle } from './study-sheets.js';
import type { StudyStatus } from './study-status.js';
import type {
  StudyDefinition,
  StudyPlan,
  StudyResult,
  StudyRunOptions,
  StudyStatusOptions,
} from './study.js';
import type { SubmitOptions, SubmittedStudy } from './submit-study.js';

/** A study that can be planned and run. */
export interface Study extends StudyDefinition {
  /**
   * All runs it asks for, with what is done of them and how long the others take.
   * @param options.store folder of the study, default `results/NAME`
   * @throws InputError STUDY_INVALID, and for unknown ids
   */
  plan(options?: { readonly quick?: boolean; readonly store?: string }): Promise<StudyPlan>;
  /** Runs what its store does not hold yet. */
  run(options?: StudyRunOptions): Promise<StudyResult>;
  /** Hands what its store does not hold yet to a cluster, and returns at once. */
  run(options: SubmitOptions): Promise<SubmittedStudy>;
  /** How far it is, wherever its runs are computed. */
  status(options?: StudyStatusOptions): Promise<StudyStatus>;
}

const word = z.string().check(z.minLength(1));
const words = z.array(word).check(z.minLength(1));
const single = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const plain = z.union([single, z.array(single)]);
const options = z.record(z.string(), plain);
/** An object is that of `decoderOptions`. */
const value = z.union([plain, options]);
const settings = z.record(z.string(), value);
const seed = z.int().check(z.nonnegative());
const seeds = z.array(seed).check(z.minLength(1));
const trials = z.optional(z.int().check(z.positive(), z.maximum(10_000)));
const schema = z.strictObject({
  name: z
    .string()
    .check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words with hyphens, e.g. "frozen-vs-fine-tuned"')),
  title: word,
  source: z.optional(z.string()),
  datasets: words,
  encoders: words,
  decoders: z
    .array(
      z.union([word, z.strictObject({ id: word, options: z.optional(options), neck: z.optional(word) })]),
    )
    .check(z.minLength(1)),
  protocol: z.string(),
  vary: z.optional(z.record(z.string(), z.array(value).check(z.minLength(1)))),
  also: z.optional(z.array(settings)),
  settings: z.optional(settings),
  seeds,
  search: z.optional(
    z.union([
      z.literal(true),
      word,
      z.strictObject({
        id: z.optional(z.union([z.literal(true), word])),
        sampler: z.optional(z.enum(['tpe', 'random', 'grid'])),
        trials,
        pruner: z.optional(z.nullable(z.enum(['median', 'hyperband']))),
        space: z.optional(searchSpace),
        seed: z.optional(seed),
      }),
    ]),
  ),
  mode: z.optional(z.enum(['corrected', 'as-published'])),
  data: z.optional(z.record(z.string(), word)),
  weights: z.optional(z.record(z.string(), word)),
  faults: z.optional(z.record(z.string(), z.boolean())),
  keepWeights: z.optional(z.boolean()),
  quick: z.optional(z.strictObject({ seeds: z.optional(seeds), settings: z.optional(settings), trials })),
});

const MANDATORY = ['name', 'title', 'datasets', 'encoders', 'decoders', 'protocol', 'seeds'] as const;

/**
 * Checks a definition and gives it the means to be planned and run.
 * @throws InputError STUDY_INVALID with every member that is missing, unknown or wrong
 */
export function defineStudy(definition: StudyDefinition): Study {
  const problems = problemsOf(definition);
  if (problems.length > 0) {
    const name: unknown = (definition as { name?: unknown } | null | undefined)?.name;
    throw new InputError('STUDY_INVALID', `${problems.join('; ')}.`, {
      where: typeof name === 'string' ? `study "${name}"` : 'the definition of a study',
      hint: `Mandatory: ${MANDATORY.join(', ')}. docs/guide/studies.md lists all members with an example.`,
    });
  }
  const run = async (
    options: StudyRunOptions | SubmitOptions = {},
  ): Promise<StudyResult | SubmittedStudy> => {
    if (isForCluster(options)) return (await import('./submit-study.js')).submitStudy(definition, options);
    return (await import('./run-study.js')).runStudy(definition, options);
  };
  const study: Study = {
    ...definition,
    async plan({ store, ...options } = {}) {
      const [{ layOutStudy }, { planWithOutlook }] = await Promise.all([
        import('./plan-study.js'),
        import('./outlook.js'),
      ]);
      return planWithOutlook(await layOutStudy(definition, options), store);
    },
    run: run as Study['run'],
    async status(options) {
      return (await import('./watch-status.js')).showStatus(definition, options);
    },
  };
  return showAs(study, { bundle: studyBundle });
}

const isForCluster = (options: StudyRunOptions | SubmitOptions): options is SubmitOptions =>
  options.on === 'slurm' || options.on === 'script';

/** One sentence a member, without its full stop. */
function problemsOf(definition: unknown): string[] {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition))
    return ['The definition is not an object of members'];
  const members = withoutMethods(definition);
  const result = schema.safeParse(members);
  return (result.error?.issues ?? []).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(key, issue.path));
    const name = issue.path.join('.');
    const isMissing = issue.path.length === 1 && members[name] === undefined;
    return isMissing ? `${name} is missing` : `${name}: ${reason(issue.message)}`;
  });
}

function unknownMember(key: string, inside: readonly PropertyKey[]): string {
  const guess = inside.length === 0 ? nearest(key, Object.keys(schema.shape)) : undefined;
  return `${[...inside, key].join('.')} is no member of a study${guess ? ` (did you mean ${guess}?)` : ''}`;
}

/** zod's words, as part of a sentence. */
const reason = (message: string): string =>
  message === 'Invalid input'
    ? 'a value that it cannot have'
    : `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`;

/** A defined study may be defined again: its methods are no members of the definition. */
const withoutMethods = (definition: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(definition).filter(([, member]) => typeof member !== 'function'));
