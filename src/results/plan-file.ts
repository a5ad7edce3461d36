import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { parsePlannedRun, type StoredRun } from './record-schema.js';
import { makeFolder, parseJson } from './store-files.js';

/** The question a study asks; its other members are kept as they are. */
export interface StoredStudy {
  readonly name: string;
  readonly title: string;
  readonly source?: string;
}

/** What a study wants run. A `StudyPlan` is one. */
export interface StoredPlan<Study extends StoredStudy = StoredStudy> {
  readonly study: Study;
  readonly quick: boolean;
  readonly runs: readonly StoredRun[];
  /** Runs of searches that were not known when this was written. Default 0. */
  readonly toCome?: number;
}

/** Writes `plan.ndjson`, then `study.json`: a folder with a summary has its plan. @throws what writeFileAtomic throws */
export async function writePlan(root: string, plan: StoredPlan): Promise<void> {
  const summary = {
    schema: 'gondwana-study/1',
    study: plan.study,
    quick: plan.quick,
    runs: plan.runs.length,
    ...(plan.toCome && { toCome: plan.toCome }),
    arms: [...new Set(plan.runs.map((run) => run.arm))],
  };
  await makeFolder(root);
  const lines = plan.runs.map((run) => `${JSON.stringify(run)}\n`);
  await writeFileAtomic(path.join(root, 'plan.ndjson'), lines.join(''));
  await writeFileAtomic(path.join(root, 'study.json'), `${JSON.stringify(summary, null, 2)}\n`);
}

/**
 * @param parts.runs `false` leaves the runs out, which a task of a large study reads for itself
 * @returns undefined where none was written; @throws InputError PLAN_DAMAGED
 */
export function readPlan(root: string, parts: { readonly runs?: boolean } = {}): StoredPlan | undefined {
  const summaryFile = path.join(root, 'study.json');
  const runsFile = path.join(root, 'plan.ndjson');
  if (!existsSync(summaryFile) || !existsSync(runsFile)) return undefined;
  const summary = parseJson(summaryFile, readFileSync(summaryFile, 'utf8'), 'PLAN_DAMAGED') as Record<
    string,
    unknown
  > | null;
  const study = summary?.study as StoredStudy | undefined;
  if (typeof study?.name !== 'string' || typeof study.title !== 'string') {
    throw planDamaged('This is not the summary of a study.', summaryFile);
  }
  if (parts.runs === false) return { study, quick: summary?.quick === true, runs: [] };
  const runs = valuesIn(runsFile).map(({ value, where }) =>
    ofLine(where, () => parsePlannedRun(value, where)),
  );
  if (typeof summary?.runs === 'number' && summary.runs !== runs.length) {
    throw planDamaged(`It has ${runs.length} runs, study.json says ${summary.runs}.`, runsFile);
  }
  const toCome = typeof summary?.toCome === 'number' ? { toCome: summary.toCome } : {};
  return { study, quick: summary?.quick === true, runs, ...toCome };
}

/**
 * The runs with these ids, and those beside them that `isKin` takes: of runs that differ in their seed alone, those with a seed
 * of the first and the last. A task of a study with ten thousand runs parses few lines; others are not looked at.
 * @returns undefined where no plan was written; ids that the plan no longer has are left out; @throws InputError PLAN_DAMAGED
 */
export function readPlannedRuns(
  root: string,
  ids: ReadonlySet<string>,
  isKin: (own: readonly StoredRun[], other: StoredRun) => boolean,
): { readonly own: readonly StoredRun[]; readonly kin: readonly StoredRun[] } | undefined {
  const file = path.join(root, 'plan.ndjson');
  if (!existsSync(file)) return undefined;
  const [own, others]: [StoredRun[], Line[]] = [[], []];
  for (const line of linesOf(file)) {
    const known = ID.exec(line.text)?.[1];
    const isOwn = ids.has(known ?? (parseLine(line) as StoredRun | null)?.id ?? '');
    if (isOwn) own.push(ofLine(line.where, () => parsePlannedRun(parseLine(line), line.where)));
    else others.push(line);
  }
  const seeds = new Set(own.map(({ definition }) => String(definition.seed)));
  const spelled = new Map<string, Line>();
  for (const line of others) {
    const { seed, rest } = apartFromSeed(line.text);
    spelled.set(seeds.has(seed) ? `${seed} ${rest}` : rest, line);
  }
  const kin = [...spelled.values()].flatMap((line) => {
    const run = parseLine(line) as StoredRun | null;
    return run?.definition && isKin(own, run)
      ? [ofLine(line.where, () => parsePlannedRun(run, line.where))]
      : [];
  });
  return { own, kin };
}

interface Line {
  readonly text: string;
  readonly where: string;
}

/** Those that are not empty. */
const linesOf = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, i) => (text.trim() === '' ? [] : [{ text, where: `${file}, line ${i + 1}` }]));

const parseLine = ({ text, where }: Line): unknown =>
  ofLine(where, () => parseJson(where, text, 'PLAN_DAMAGED'));

const ID = /^\{"id":"([0-9a-f]+)","arm":"/;

/** Seed and definition as we spell them; a line that another hand has written is its own definition. */
function apartFromSeed(text: string): { readonly seed: string; readonly rest: string } {
  const begin = text.indexOf('"definition":');
  const end = text.lastIndexOf(',"seed":');
  const seed = SEED.exec(text.slice(end))?.[1];
  if (!ID.test(text) || begin < 0 || end < begin || seed === undefined) return { seed: '', rest: text };
  return { seed, rest: text.slice(begin, end) + text.slice(end).replace(SEED, '') };
}

const SEED = /^,"seed":(\d+|null)(?=[,}])/;

/** Where the settings of a line begin; inside a string its quotes would be escaped. */
const SETTINGS = '"settings":';

/**
 * One value a line. Runs of an arm lie next to each other and differ in their seeds alone: settings that are spelt as those of
 * the line before, most of a plan's text, are not parsed again but shared.
 */
function valuesIn(file: string): { readonly value: unknown; readonly where: string }[] {
  let [spelling, known]: [string, unknown] = ['', undefined];
  return linesOf(file).map(({ text, where }) => {
    const begin = text.indexOf(SETTINGS) + SETTINGS.length;
    if (known !== undefined && text.startsWith(spelling, begin)) {
      const shorter = tryJson(`${text.slice(0, begin)}null${text.slice(begin + spelling.length)}`);
      if (isPlanned(shorter) && shorter.definition.settings === null) {
        shorter.definition.settings = known;
        return { value: shorter, where };
      }
    }
    const value = parseLine({ text, where });
    known = isPlanned(value) ? (value.definition.settings ?? undefined) : undefined;
    spelling = known === undefined ? '' : JSON.stringify(known);
    if (!text.startsWith(spelling, begin)) known = undefined; // written by another hand
    return { value, where };
  });
}

/** @throws InputError PLAN_DAMAGED with what the line's own error says */
function ofLine<Value>(where: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw planDamaged(`A line is no planned run: ${(cause as Error).message}`, where);
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isPlanned = (value: unknown): value is { definition: { settings: unknown } } => {
  const definition = (value as { definition?: unknown } | null | undefined)?.definition;
  return typeof definition === 'object' && definition !== null;
};

const planDamaged = (message: string, where: string): InputError =>
  new InputError('PLAN_DAMAGED', message, {
    where,
    hint: 'Run the study again: it writes its plan first of all.',
  });
