import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { leaderboard, type Leaderboard } from '../../src/published/leaderboard/leaderboard.js';
import { readRunSources } from '../../src/published/leaderboard/read-runs.js';
import { recordRuns } from '../../src/published/leaderboard/record-runs.js';
import { releasedRuns } from '../../src/published/leaderboard/released-runs.js';
import type { RunRecord } from '../../src/results/run-record.js';
import { syntheticRecords, writeSyntheticStore } from '../fixtures/results/synthetic-store.js';

const folder = mkdtempSync(path.join(tmpdir(), 'leaderboard-'));
afterAll(() => rmSync(folder, { recursive: true }));

const few = { resamples: 30 };
const CORE = leaderboard(few).rankings[0]!.datasets;

/** A table of runs that repeats a released model, all scores raised by `gain`. */
function tableFile(
  name: string,
  { gain = 0, datasets = CORE, seeds = 5 }: { gain?: number; datasets?: readonly string[]; seeds?: number },
): string {
  const runs = releasedRuns('full').filter(
    ({ model, dataset }) => model === 'dofa-large' && datasets.includes(dataset),
  );
  const lines = datasets.flatMap((dataset) =>
    runs
      .filter((run) => run.dataset === dataset)
      .slice(0, seeds)
      .map(({ seed, metric, score }) => ['mine', dataset, seed, metric, score! + gain].join(',')),
  );
  const file = path.join(folder, name);
  writeFileSync(file, `${['model,dataset,seed,metric,score', ...lines].join('\n')}\n`);
  return file;
}

const firstRows = ({ rankings }: Leaderboard) => rankings[0]!.rows;

describe('the leaderboard', () => {
  it('ranks the 14 models of the paper on the core capability, ties inside the interval marked', () => {
    const board = leaderboard({ resamples: 200 });
    const rows = firstRows(board);
    expect(rows.map(({ model }) => model).slice(0, 3)).toEqual([
      'convnext-xlarge-in22k',
      'clay-v1-base',
      'dinov3-convnext-large-web',
    ]);
    expect(rows).toHaveLength(14);
    expect(rows[0]!.tiedWith).toEqual(['clay-v1-base']);
    expect(rows[0]!.places).toEqual({ best: 1, worst: 2 });
    for (const { estimate, interval } of rows) {
      expect(interval!.low).toBeLessThan(estimate!);
      expect(interval!.high).toBeGreaterThan(estimate!);
    }
    // #Top2 counts each dataset twice, ties aside; average ranks of 14 models have the mean 7.5
    expect(rows.reduce((sum, { topTwo }) => sum + topTwo!, 0)).toBe(2 * 12);
    expect(rows.reduce((sum, { averageRank }) => sum + averageRank!, 0) / 14).toBeCloseTo(7.5, 9);
    expect(board.rankings.map(({ capability }) => capability)).toHaveLength(10);
  });

  it('gives the same numbers for the same seed', () => {
    expect(firstRows(leaderboard({ ...few, seed: 4 }))).toEqual(firstRows(leaderboard({ ...few, seed: 4 })));
    expect(firstRows(leaderboard({ ...few, seed: 5 }))).not.toEqual(
      firstRows(leaderboard({ ...few, seed: 4 })),
    );
  });

  it('takes a capability in any spelling, and one of datasets of a user’s choice', () => {
    expect(leaderboard({ ...few, capability: 'Pixel Wise' }).rankings[0]!.datasets).toHaveLength(11);
    const own = leaderboard({ ...few, capability: 'fire=burn_scars, gb2-caffe' });
    expect(own.capability).toBe('fire');
    expect(own.rankings[0]!.datasets).toEqual(['gb2-burn-scars', 'gb2-caffe']);
    expect(() => leaderboard({ capability: 'detections' })).toThrow(/detections/);
    expect(() => leaderboard({ capability: 'x=mados' })).toThrow(/mados/);
  });

  it('ranks a user’s table beside released runs: equal scores give an equal score, higher ones a better place', () => {
    const [same, better] = [tableFile('same.csv', {}), tableFile('better.csv', { gain: 0.2 })];
    const board = leaderboard({ ...few, sources: readRunSources([same, better]) });
    const rowOf = (model: string) => firstRows(board).find((row) => row.model === model)!;
    expect(rowOf('mine (same.csv)').estimate).toBe(rowOf('dofa-large').estimate);
    expect(rowOf('mine (better.csv)').place).toBe(1);
    expect(rowOf('mine (better.csv)').source).toBe('better.csv');
    expect(board.checks.map(({ isComplete }) => isComplete)).toEqual([false, false]); // tables do not tell trials
    expect(new Set(board.checks[0]!.shortfalls.map(({ code }) => code))).toEqual(new Set(['TRIALS_UNKNOWN']));
  });

  it('gives no score to a model that lacks datasets, and the check names them and missing seeds', () => {
    const file = tableFile('short.csv', { datasets: CORE.slice(0, 3), seeds: 3 });
    const board = leaderboard({ ...few, sources: readRunSources([file]) });
    const row = firstRows(board).at(-1)!;
    expect([row.model, row.place, row.estimate]).toEqual(['mine', null, null]);
    expect(row.lacks).toEqual(CORE.slice(3));
    const { shortfalls } = board.checks[0]!;
    const of = (code: string) => shortfalls.filter((shortfall) => shortfall.code === code);
    expect(of('DATASET_MISSING').map(({ dataset }) => dataset)).toEqual(CORE.slice(3));
    expect(of('SEEDS_MISSING').map(({ have, due }) => [have, due])).toEqual([
      [3, 5],
      [3, 5],
      [3, 5],
    ]);
    // who is complete is ranked as if the other were not there
    expect(firstRows(board)[0]!.averageRank).toBe(firstRows(leaderboard(few))[0]!.averageRank);
  });

  it('ranks runs on other datasets among themselves, and a store by its arms', async () => {
    const store = path.join(folder, 'store');
    await writeSyntheticStore(store);
    const board = leaderboard({ ...few, sources: readRunSources([store]) });
    expect(board.capability).toBe('all');
    expect(firstRows(board)).toHaveLength(5);
    expect(firstRows(board).every(({ model }) => model.startsWith('efficientnet-lite0, '))).toBe(true);
    expect(board.notes.join(' ')).toContain('ranked among themselves');
    expect(board.checks[0]!.shortfalls.map(({ code }) => code)).toContain('TRIALS_MISSING');
  });

  it('brings percent and an RMSE in t/ha to the released scores, and leaves out what it cannot', () => {
    const file = path.join(folder, 'mixed.csv');
    writeFileSync(
      file,
      'model,dataset,seed,metric,score\na,gb2-caffe,0,mIoU,51\na,gb2-biomassters,0,RMSE,28.989\na,gb2-so2sat,0,kappa,0.4\n',
    );
    const [source] = readRunSources([file]);
    expect(source!.runs.map(({ dataset, metric, score }) => [dataset, metric, score])).toEqual([
      ['gb2-caffe', 'mIoU', 0.51],
      ['gb2-biomassters', 'scaledRMSE', 1 - 0.02538],
    ]);
    expect(source!.notes.join(' ')).toContain('gb2-so2sat: 1 run is scored by kappa');
  });

  it('reads the score of each run by itself, whatever stands first', () => {
    const file = path.join(folder, 'words.csv');
    const rows = [
      'a,gb2-biomassters,1,rmse,28.989',
      ...['a,gb2-caffe,0,overall_accuracy,0.9', 'a,gb2-caffe,1,Multiclass_Jaccard_Index,0.5'],
    ];
    writeFileSync(file, `model,dataset,seed,metric,score\n${rows.join('\n')}\n`);
    const [source] = readRunSources([file]);
    expect(source!.runs.map(({ dataset, seed, metric, score }) => [dataset, seed, metric, score])).toEqual([
      ['gb2-biomassters', '1', 'scaledRMSE', 1 - 0.02538],
      ['gb2-caffe', '1', 'mIoU', 0.5],
    ]);
    expect(source!.notes.join(' ')).toContain('gb2-caffe: 1 run is scored by accuracy');
  });

  it('counts the trials of each arm by themselves', () => {
    const [record] = syntheticRecords().filter(({ definition }) => definition.seed !== null);
    const of = (decoder: string, change: Partial<RunRecord>, trial?: number): RunRecord => {
      const identity = { search: 'geobench2', digest: 'd', number: trial ?? 0 };
      const definition = { ...record!.definition, decoder, ...(trial !== undefined && { trial: identity }) };
      return { ...record!, definition, ...change };
    };
    const records = ['unet', 'fpn'].flatMap((decoder) => [
      of(decoder, { arm: decoder }),
      ...[0, 1, 2].map((number) => of(decoder, { arm: `${decoder}, trial ${number + 1}` }, number)),
    ]);
    expect([...recordRuns(records, 'store').trials.values()]).toEqual([3, 3]);
  });

  it('leaves out a dataset on which all runs are alike, by name, and ranks by the others', () => {
    const file = path.join(folder, 'constant.csv');
    const rows = [0, 1].flatMap((seed) => [`a,same,${seed},mIoU,0.5`, `b,same,${seed},mIoU,0.5`]);
    const others = [0, 1].flatMap((seed) => [
      `a,other,${seed},mIoU,0.${seed + 1}`,
      `b,other,${seed},mIoU,0.${seed + 6}`,
    ]);
    writeFileSync(file, `model,dataset,seed,metric,score\n${[...rows, ...others].join('\n')}\n`);
    const board = leaderboard({ ...few, sources: readRunSources([file]) });
    expect(board.rankings[0]!.datasets).toEqual(['other']);
    expect(firstRows(board).map(({ model, place }) => [model, place])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    expect(board.warnings.map(({ code }) => code)).toContain('DATASET_CONSTANT');
  });

  it('reads a submission with its trials and the broken rules, and a folder of tables', () => {
    const header =
      'dataset,Metric,backbone,decoder,early_stop_patience,n_trials,Seed,batch_size,weight_decay,lr,test metric';
    const lines = [0, 1, 2, 3, 4].map(
      (seed) =>
        `caffe,Multiclass_Jaccard_Index,dofa_large_patch16_224,UNet,10,20,${seed},32,0.01,0.0001,0.5${seed}`,
    );
    const own = path.join(mkdtempSync(path.join(folder, 'form-')), 'form.csv');
    writeFileSync(own, `${[header, ...lines].join('\n')}\n`);
    const [source] = readRunSources([path.dirname(own)]);
    expect([source!.kind, source!.name]).toEqual(['submission', 'form.csv']);
    const board = leaderboard({ ...few, sources: [source!], capability: 'mine=gb2-caffe' });
    expect(firstRows(board).map(({ model }) => model)).toContain('dofa-large (form.csv)');
    expect(board.checks[0]!.shortfalls.map(({ code }) => code)).toEqual(['TRIALS']);
  });
});
