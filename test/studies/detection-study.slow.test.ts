import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleImage } from '../../src/datasets/image.js';
import type { ObjectExample } from '../../src/results/object-example.js';
import type { RunRecord, ScoreRow } from '../../src/results/run-record.js';
import { openStore } from '../../src/results/store.js';
import { checkStudy } from '../../src/studies/check-study.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { openDetector } from '../../src/studies/open-detector.js';
import { runStudy } from '../../src/studies/run-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';
import { root } from '../support/needs.js';
import { fixtureFolders } from '../support/study-fixtures.js';
import { tempFolder } from '../support/temp-folder.js';

beforeAll(() => loadPlugin(path.join(root, 'test/fixtures/plugins/tiny-pyramid.ts')));

const SMALL = {
  ...{ pyramidChannels: 8, headWidth: 16, anchorSizes: [8, 16, 32, 64] },
  ...{ trainingProposals: 50, proposals: 20, anchorBatch: 32, boxBatch: 16, minScore: 0 },
};
const SMALL_MASKS = { ...SMALL, headConvolutions: [8], maskConvolutions: [8], maskWidth: 8 };

const study = (datasets: readonly string[], change: Partial<StudyDefinition>): StudyDefinition => ({
  ...{ name: 'objects', title: 'Are objects found?', protocol: 'geobench2', datasets },
  ...{ encoders: ['tiny-pyramid'], decoders: [{ id: 'faster-rcnn', options: SMALL }], seeds: [0] },
  data: fixtureFolders(datasets),
  ...change,
  settings: { epochs: 1, batchSize: 2, inputSize: 64, encoderMode: 'frozen', ...change.settings },
});

const namesOf = ({ scores }: RunRecord): Set<string> =>
  new Set(scores.filter(({ className }) => className === null).map(({ metric }) => metric));
const scoreOf = (record: RunRecord, metric: string): ScoreRow | undefined =>
  record.scores.find((row) => row.metric === metric && row.split === 'test' && row.className === null);

describe('a study of boxes', () => {
  it('trains frozen and fine-tuned encoders, scores them beside trivial detectors, and its detectors open', async () => {
    const folder = tempFolder();
    const { records, failed } = await runStudy(
      study(['gb2-everwatch', 'gb2-nz-cattle'], {
        vary: { encoderMode: ['frozen', 'fine-tuned'] },
        settings: { validateEvery: 1 },
        keepWeights: true,
      }),
      { store: folder },
    );
    expect(failed.map(({ error }) => error)).toEqual([]);
    expect(records.map(({ arm }) => arm)).toHaveLength(2 * (2 + 2));
    for (const record of records) {
      expect(namesOf(record)).toContain('mAP-small');
      const classes = record.scores.flatMap(({ className }) => className ?? []);
      expect(classes.map((name) => name.toLowerCase())).not.toContain('background');
      expect(record.task).toBe('detection');
      expect(scoreOf(record, 'AR-100')!.value).not.toBeNull();
    }
    const trained = records.filter(({ definition }) => definition.encoder !== 'none');
    for (const { faults, curve, counts, examples } of trained) {
      expect(faults).toMatchObject({ 'likely-boxes-alone': false });
      expect(Number.isFinite(curve[0]!.trainLoss)).toBe(true);
      expect(counts['test']!.samples).toBe(1);
      expect(examples).toHaveLength(1);
    }
    const store = openStore(folder);
    const [example] = trained[0]!.examples;
    const truth = JSON.parse(Buffer.from(store.readArtifact(example!.truth)).toString()) as ObjectExample;
    expect(truth).toMatchObject({ height: 64, width: 64 });
    expect(truth.objects.length).toBeGreaterThan(0);

    const cattle = trained.find(({ definition }) => definition.dataset === 'gb2-nz-cattle')!;
    const detector = await openDetector(cattle, {
      store,
      study: { data: fixtureFolders(['gb2-nz-cattle']) },
    });
    const [height, width] = [40, 72];
    const bands = ['red', 'green', 'blue'];
    const data = Uint8Array.from({ length: height * width * 3 }, (_, at) => (at * 37) % 251);
    const found = await detector.detect({ optical: sampleImage({ data, height, width, bands }) });
    expect(found.length).toBeGreaterThan(0);
    for (const { box } of found) {
      expect(box[0] + box[2]).toBeLessThanOrEqual(width + 1e-3); // sides are rounded to float32
      expect(box[1] + box[3]).toBeLessThanOrEqual(height + 1e-3);
    }
    detector.dispose();
    const [trivial] = records.filter(({ definition }) => definition.encoder === 'none');
    await expect(openDetector(trivial!, { store })).rejects.toMatchObject({ code: 'TASK_OTHER' });
    const { modelWeights: _, ...without } = cattle;
    await expect(openDetector(without, { store })).rejects.toMatchObject({ code: 'WEIGHTS_NOT_KEPT' });
  });
});

describe('a study of instances', () => {
  it('trains masks from outlines and from rasters, and scores them by either rule', async () => {
    const masks = { decoders: [{ id: 'mask-rcnn', options: SMALL_MASKS }] };
    const datasets = ['gb2-substation', 'gb2-pastis-panoptic'];
    const { records, failed } = await runStudy(
      study(datasets, { ...masks, mode: 'as-published', settings: { dates: 2, modalities: 's2' } }),
      { store: tempFolder() },
    );
    expect(failed.map(({ error }) => error)).toEqual([]);
    for (const record of records) {
      expect(namesOf(record)).toContain('box-mAP');
      if (record.definition.encoder !== 'none')
        expect(record.faults).toMatchObject({ 'likely-boxes-alone': true });
    }
  });

  it('gets through a check', async () => {
    const checks = await checkStudy(
      study(['gb2-substation'], { decoders: [{ id: 'mask-rcnn', options: SMALL_MASKS }] }),
    );
    expect(checks).toHaveLength(3);
  });
});
