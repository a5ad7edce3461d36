import { z } from 'zod';
import { showAs } from '../display/showable.js';
import { InputError, nearest } from '../errors.js';
import { searchSpace } from '../manifests/search-schema.js';
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

const words = z.array(z.string().min(1)).min(1);
const single = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const plain = z.union([single, z.array(single)]);
const options = z.record(z.string(), plain);
/** An object is that of `decoderOptions`. */
const value = z.union([plain, options]);
const settings = z.record(z.string(), value);
const seeds = z.array(z.int().nonnegative()).min(1);
const trials = z.int().positive().max(10_000).optional();
const schema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words with hyphens, e.g. "frozen-vs-fine-tuned"'),
  title: z.string().min(1),
  source: z.string().optional(),
  datasets: words,
  encoders: words,
  decoders: z
    .array(
      z.union([
        z.string().min(1),
        z.strictObject({
          id: z.string().min(1),
          options: options.optional(),
          neck: z.string().min(1).optional(),
        }),
      ]),
    )
    .min(1),
  protocol: z.string(),
  vary: z.record(z.string(), z.array(value).min(1)).optional(),
  also: z.array(settings).optional(),
  settings: settings.optional(),
  seeds,
  search: z
    .union([
      z.literal(true),
      z.string().min(1),
      z.strictObject({
        id: z.union([z.literal(true), z.string().min(1)]).optional(),
        sampler: z.enum(['tpe', 'random', 'grid']).optional(),
        trials,
        pruner: z.enum(['median', 'hyperband']).nullable().optional(),
        space: searchSpace.optional(),
        seed: z.int().nonnegative().optional(),
      }),
    ])
    .optional(),
  mode: z.enum(['corrected', 'as-published']).optional(),
  data: z.record(z.string(), z.string().min(1)).optional(),
  weights: z.record(z.string(), z.string().min(1)).optional(),
  faults: z.record(z.string(), z.boolean()).optional(),
  keepWeights: z.boolean().optional(),
  quick: z.strictObject({ seeds: seeds.optional(), settings: settings.optional(), trials }).optional(),
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
