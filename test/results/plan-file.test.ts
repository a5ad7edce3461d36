import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlannedRuns, writePlan } from '../../src/results/plan-file.js';
import type { StoredRun } from '../../src/results/record-schema.js';
import { syntheticPlan, syntheticRecords } from '../fixtures/results/synthetic-store.js';
import { tempFolder } from '../support/temp-folder.js';

const isKin = (own: readonly StoredRun[], { definition }: StoredRun): boolean =>
  own.some((run) => run.definition.dataset === definition.dataset);

/** A plan of two arms with a hundred seeds each. */
async function written() {
  const folder = tempFolder();
  const plan = syntheticPlan(syntheticRecords());
  const [first] = plan.runs;
  const runs = ['frozen', 'fine-tuned'].flatMap((arm, at) =>
    Array.from({ length: 100 }, (_, seed): StoredRun => {
      const settings = { ...first!.definition.settings, encoderMode: arm };
      const id = `${at}${String(seed).padStart(7, '0')}`;
      return { id, arm, definition: { ...first!.definition, settings, seed } };
    }),
  );
  await writePlan(folder, { ...plan, runs });
  return { folder, runs, file: path.join(folder, 'plan.ndjson') };
}

describe('runs of a plan by their ids', () => {
  it('come with those of every other definition that have their seeds, and the last', async () => {
    const { folder, runs } = await written();
    const { own, kin } = readPlannedRuns(folder, new Set([runs[7]!.id, runs[150]!.id]), isKin)!;
    expect(own).toEqual([runs[7], runs[150]]);
    expect(kin.map(({ arm, definition }) => `${arm} ${definition.seed}`).sort()).toEqual([
      ...['fine-tuned 7', 'fine-tuned 99', 'frozen 50', 'frozen 99'],
    ]);
  });

  it('leave out what is no kin, and ids that the plan does not have', async () => {
    const { folder, runs } = await written();
    const { own, kin } = readPlannedRuns(folder, new Set(['ffffffff', runs[0]!.id]), () => false)!;
    expect({ own, kin }).toEqual({ own: [runs[0]], kin: [] });
  });

  it('are found in lines that another hand has written', async () => {
    const { folder, runs, file } = await written();
    const spaced = runs.map(({ id, arm, definition }) => {
      const { seed, ...others } = definition;
      return JSON.stringify({ definition: { seed, ...others }, arm, id }).replaceAll('":', '": ');
    });
    writeFileSync(file, spaced.join('\r\n'));
    const { own, kin } = readPlannedRuns(folder, new Set([runs[7]!.id]), isKin)!;
    expect(own).toEqual([runs[7]]);
    expect(kin).toHaveLength(199);
  });

  it('are refused where a line is cut or is no run', async () => {
    const { folder, runs, file } = await written();
    const ids = new Set([runs[0]!.id]);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, -40));
    expect(() => readPlannedRuns(folder, ids, isKin)).toThrow(
      expect.objectContaining({ code: 'PLAN_DAMAGED', where: `${file}, line 200` }),
    );
    writeFileSync(file, text.replace('"weights":', '"weighs":'));
    expect(() => readPlannedRuns(folder, ids, isKin)).toThrow(
      expect.objectContaining({ code: 'PLAN_DAMAGED', where: `${file}, line 1` }),
    );
  });
});
