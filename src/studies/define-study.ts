import { z } from 'zod';
import { InputError } from '../errors.js';
import type { StudyDefinition, StudyPlan, StudyResult, StudyRunOptions } from './study.js';

/** A study that can be planned and run. */
export interface Study extends StudyDefinition {
  /** All runs it asks for. @throws InputError STUDY_INVALID, and for unknown ids */
  plan(options?: { readonly quick?: boolean }): Promise<StudyPlan>;
  /** Runs what its store does not hold yet. */
  run(options?: StudyRunOptions): Promise<StudyResult>;
}

const words = z.array(z.string().min(1)).min(1);
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const settings = z.record(z.string(), value);
const seeds = z.array(z.int().nonnegative()).min(1);
const schema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words with hyphens, e.g. "frozen-vs-fine-tuned"'),
  title: z.string().min(1),
  source: z.string().optional(),
  datasets: words,
  encoders: words,
  decoders: words,
  protocol: z.string(),
  vary: z.record(z.string(), z.array(value).min(1)).optional(),
  also: z.array(settings).optional(),
  settings: settings.optional(),
  seeds,
  mode: z.enum(['corrected', 'as-published']).optional(),
  quick: z.strictObject({ seeds: seeds.optional(), settings: settings.optional() }).optional(),
});

/**
 * Checks a definition and gives it the means to be planned and run.
 * @throws InputError STUDY_INVALID with the member that is wrong
 */
export function defineStudy(definition: StudyDefinition): Study {
  const result = schema.safeParse(withoutMethods(definition));
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new InputError('STUDY_INVALID', `${issue.path.join('.') || 'The definition'}: ${issue.message}`, {
      where: `study "${String((definition as { name?: unknown }).name)}"`,
      hint: 'docs/guide/studies.md lists the members of a study.',
    });
  }
  return {
    ...definition,
    plan: async (options) => (await import('./plan-study.js')).planStudy(definition, options),
    run: async (options) => (await import('./run-study.js')).runStudy(definition, options),
  };
}

/** A defined study may be defined again: its methods are no members of the definition. */
const withoutMethods = (definition: object): unknown =>
  Object.fromEntries(Object.entries(definition).filter(([, member]) => typeof member !== 'function'));
