import { expect, test } from 'vitest';
import { detectionConfusion } from '../../../src/metrics/coco/detection-confusion.js';
import { detectionCurves } from '../../../src/metrics/coco/detection-curves.js';
import { renderReport } from '../../../src/report/document.js';
import { readDetectionSummary } from '../../../src/results/detection-summary.js';
import { DetectionSummaries } from '../../../src/studies/detection-summaries.js';
import { syntheticRecords } from '../../fixtures/results/synthetic-store.js';

const classes = ['background', 'tern', 'egret'].map((name) => ({ name }));
const image = {
  truth: [
    { label: 1, box: [0, 0, 10, 10] as const },
    { label: 2, box: [40, 0, 10, 10] as const },
  ],
  detected: [{ label: 1, score: 0.9, box: [0, 0, 10, 10] as const }],
};

/** Summary of a run as the store keeps it. */
async function summaryOf(images: readonly (typeof image)[]): Promise<Uint8Array> {
  let kept: Uint8Array = new Uint8Array(0);
  const summaries = new DetectionSummaries({ task: 'detection', classes: classes as never });
  for (const one of images) summaries.see('test', one);
  const rows = await summaries.keep({
    putArtifact: (bytes) => {
      kept = bytes;
      return Promise.resolve('a.json');
    },
  });
  expect(rows).toEqual([{ split: 'test', summary: 'a.json' }]);
  return kept;
}

test('a run keeps its curves and what was taken for what', async () => {
  const summary = readDetectionSummary(await summaryOf([image, image]));
  expect(summary.classes).toEqual(['background', 'tern', 'egret']);
  expect(summary.curves).toEqual(detectionCurves([image, image], { overlaps: [0.5] }));
  expect(summary.confusion).toEqual(detectionConfusion([image, image], { labels: [1, 2] }));
  for (const other of [
    '{}',
    '[]',
    JSON.stringify({ ...summary, confusion: { ...summary.confusion, counts: [1] } }),
  ])
    expect(() => readDetectionSummary(Buffer.from(other))).toThrow('no summary of detections');
});

test('a report draws them for each arm, and tells which it cannot read', async () => {
  const files: Record<string, Uint8Array> = {
    'good.json': await summaryOf([image]),
    'bad.json': Buffer.from('{}'),
  };
  const records = syntheticRecords({ arms: ['frozen, z-score', 'fine-tuned, none'], seeds: [0] }).map(
    (record, at) => ({
      ...record,
      ...(record.definition.seed !== null && {
        detections: [{ split: 'test', summary: at === 0 ? 'good.json' : 'bad.json' }],
      }),
    }),
  );
  const html = await renderReport({ records, options: { artifact: (name) => files[name]! } });
  const [, section] = /<section id="detections">([\s\S]*?)<\/section>/.exec(html)!;
  expect(section).toContain('Average precision at an overlap of 0.5: from 1.000 of tern to 0.000 of egret');
  expect(section).toContain('50.0 % of the objects are found in their class, 0 detections are of nothing');
  expect(section).toContain('1 summary could not be read: fine-tuned, none: this is no summary');
  expect(await renderReport({ records })).not.toContain('id="detections"');
});
