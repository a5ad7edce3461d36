import { expect, it } from 'vitest';
import type { RunRecord, Settings } from '../../src/results/run-record.js';
import { outlookOf } from '../../src/studies/outlook.js';
import { planStudy } from '../../src/studies/plan-study.js';
import type { PlannedRun, StudyDefinition } from '../../src/studies/study.js';

const study: StudyDefinition = {
  ...{ name: 'try', title: 'Does it?', protocol: 'neon-crowns', datasets: ['neon-crowns'], seeds: [0, 1] },
  ...{
    encoders: ['efficientnet-lite0'],
    decoders: ['unet'],
    vary: { encoderMode: ['frozen', 'fine-tuned'] },
  },
};

const counts = { train: { samples: 40, pixels: 40 } };
const seconds = { prepare: 1, train: 60, validate: 12, evaluate: 5 };

function recordOf({ id, arm, definition }: PlannedRun, change: Settings = {}): RunRecord {
  const settings = { ...definition.settings, ...change };
  return {
    id,
    arm,
    definition: { ...definition, settings },
    counts,
    cost: { seconds, processes: 2 },
  } as unknown as RunRecord;
}

const outlook = async (change: Partial<StudyDefinition>, records: readonly RunRecord[]) => {
  const plan = await planStudy({ ...study, ...change });
  const done = new Set(records.map(({ id }) => id));
  return outlookOf(plan, records, { isDone: ({ id }) => done.has(id), store: 'results/try' });
};

it('is unknown as long as no run of an arm was measured', async () => {
  const { runs } = await planStudy(study);
  expect(await outlook({}, [])).toMatchObject({ done: 0, missing: 6, unknown: 4, expectedSeconds: null });
  expect(await outlook({}, [recordOf(runs[0]!)])).toMatchObject({ done: 1, missing: 5, unknown: 2 });
});

it('tells the rest from measured runs, which are shared by two processes', async () => {
  const { runs } = await planStudy(study);
  const records = [recordOf(runs[0]!), recordOf(runs[2]!)];
  // two runs of 78 s are left, and two trivial predictors
  expect(await outlook({}, records)).toMatchObject({ done: 2, unknown: 0, expectedSeconds: 78 });
});

it('scales what was measured to epochs, labels and validations, and passes over rates and seeds', async () => {
  const { runs } = await planStudy({ ...study, vary: {}, seeds: [7], settings: { learningRate: 0.1 } });
  const records = [recordOf(runs[0]!)];
  const of = async (settings: Settings) =>
    [...(await outlook({ vary: {}, seeds: [0], settings }, records)).secondsOf.values()][0];
  expect(await of({})).toBe(78);
  expect(await of({ epochs: 12 })).toBe(1 + 120 + 24 + 5);
  expect(await of({ labelFraction: 0.5 })).toBe(1 + 30 + 12 + 5);
  expect(await of({ validateEvery: 2 })).toBe(1 + 60 + 6 + 5);
  // 5 steps of 8 inputs: one after each, not three
  expect(await of({ validationsPerEpoch: 3 })).toBe(1 + 60 + 5 * 12 + 5);
  expect(await of({ inputSize: 448 })).toBeNull();
});
