import { describe, expect, it } from 'vitest';
import { compareWithPublished } from '../../src/published/compare-published.js';
import type { RunRecord, Settings } from '../../src/results/run-record.js';
import { planStudy } from '../../src/studies/plan-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

/** Records of what a study plans, each with one score. */
async function recordsOf(study: Partial<StudyDefinition>, metric: string): Promise<RunRecord[]> {
  const { runs } = await planStudy({
    name: 'own',
    title: 'Own',
    datasets: [],
    encoders: [],
    decoders: [],
    protocol: 'pangaea',
    seeds: [0],
    mode: 'as-published',
    ...study,
  });
  const [template] = syntheticRecords({ trivial: false });
  return runs.map(({ id, arm, definition }) => ({
    ...template!,
    ...{ id, arm, definition },
    task: 'segmentation',
    scores: [
      {
        split: 'test',
        place: 'all',
        evaluation: definition.settings.evaluation as RunRecord['scores'][number]['evaluation'],
        metric,
        className: null,
        value: 0.5,
      },
    ],
  }));
}

const compared = (records: readonly RunRecord[], table: string) =>
  compareWithPublished(records, table)
    .filter(({ isComparable }) => isComparable)
    .map(({ dataset, encoder, settings }) => [dataset, encoder, settings.labelFraction]);

describe('what a study plans', () => {
  it("under PANGAEA's protocol as published is like its tables", async () => {
    const study = {
      datasets: ['hls-burn-scars', 'mados', 'pastis-r', 'spacenet7-change'],
      encoders: ['croma-joint', 'prithvi-v1-100m'],
      decoders: ['upernet'],
    };
    const records = await recordsOf(study, 'mIoU');
    expect(compared(records, 'pangaea-table-5')).toEqual([
      ['pastis-r', 'croma-joint', 1],
      ['hls-burn-scars', 'prithvi-v1-100m', 1],
      ['mados', 'prithvi-v1-100m', 1],
      ['pastis-r', 'prithvi-v1-100m', 1],
      ['spacenet7-change', 'prithvi-v1-100m', 1],
    ]);
    expect(compared(records, 'pangaea-table-7')).toEqual([]);
  });

  it("under GEO-Bench-2's is like the released runs, fine-tuned beside fine-tuned and frozen beside frozen", async () => {
    const settings = (encoderMode: string): Settings => ({ encoderMode });
    const study = (encoderMode: string): Partial<StudyDefinition> => ({
      protocol: 'geobench2',
      datasets: ['gb2-burn-scars'],
      encoders: ['clay-v1-base'],
      decoders: ['unet-smp'],
      settings: settings(encoderMode),
    });
    const row = [['gb2-burn-scars', 'clay-v1-base', 1]];
    for (const [mode, table, other] of [
      ['fine-tuned', 'geobench2-runs-full', 'geobench2-runs-frozen'],
      ['frozen', 'geobench2-runs-frozen', 'geobench2-runs-full'],
    ] as const) {
      const records = await recordsOf(study(mode), 'mIoU');
      expect(compared(records, table)).toEqual(row);
      expect(compared(records, other)).toEqual([]);
    }
  });
});
