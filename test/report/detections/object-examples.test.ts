import { encode } from 'fast-png';
import { expect, test } from 'vitest';
import { runLengthMask } from '../../../src/metrics/coco/run-length-mask.js';
import { renderReport } from '../../../src/report/document.js';
import { readObjectExample } from '../../../src/report/detections/object-example.js';
import type { ExampleRow } from '../../../src/results/run-record.js';
import { syntheticRecords } from '../../fixtures/results/synthetic-store.js';

const [height, width] = [48, 64];
const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const list = (...objects: object[]): Uint8Array =>
  bytes({ height, width, classes: ['background', 'tern', 'egret'], objects });

const files: Record<string, Uint8Array> = {
  'image.png': encode({ width, height, channels: 3, depth: 8, data: new Uint8Array(width * height * 3) }),
  'truth.json': list(
    { label: 1, box: [4, 4, 12, 10], isCrowd: false },
    { label: 2, box: [30, 20, 12, 10], isCrowd: true },
    { label: 2, box: [44, 4, 12, 10] },
  ),
  'found.json': list(
    { label: 1, box: [4, 5, 12, 10], score: 0.875 },
    { label: 1, box: [20, 36, 10, 10], score: 0.55 },
    { label: 1, box: [0, 36, 10, 10], score: 0.2 },
  ),
  'damaged.json': bytes({ height, width, objects: [{ label: 1 }] }),
};
const [first, second] = syntheticRecords({ arms: ['frozen, z-score', 'fine-tuned, none'], seeds: [0] });
const example = (prediction: string): ExampleRow => ({
  ...{ id: 'test/coast/r0-c0', split: 'test', place: 'coast', image: 'image.png', truth: 'truth.json' },
  ...{ prediction, score: 0.5 },
});
const page = (prediction = 'found.json'): Promise<string> =>
  renderReport({
    records: [
      { ...first!, examples: [example('found.json')] },
      { ...second!, examples: [example(prediction)] },
    ],
    options: { artifact: (name) => files[name]! },
  });

test('a report shows truth and detections of each arm beside each other, with scores and words for both', async () => {
  const html = await page();
  const images = /<section id="images">[\s\S]*?<\/section>\s*<\/section>/.exec(html)![0];
  expect(images.match(/<figure class="pane">/g)).toHaveLength(3);
  expect(images).toContain('aria-label="test/coast/r0-c0: 2 objects over the image"');
  expect(images).toContain(
    'aria-label="test/coast/r0-c0, frozen, z-score. Truth and detections: 2 objects: 1 hit, 1 miss; 1 false alarm from a score of 0.5"',
  );
  expect(images).toContain('<title>hit: tern 0.875</title>');
  expect(images).toContain('<title>missed: egret</title>');
  expect(images).toContain('>tern 0.88</text>');
  expect(images).toContain('AP50 0.500');
  expect(images).toContain('Detections from a score of 0.5 on');
  // the picture stands once
  expect(images.match(/data:image\/png/g)).toHaveLength(1);
});

test('a list that cannot be read is told, and the others are shown', async () => {
  const html = await page('damaged.json');
  expect(html).toContain('test/coast/r0-c0, fine-tuned, none: this is no list of objects');
  expect(html).toContain('<title>hit: tern 0.875</title>');
});

test('masks have to be of the size of their image', () => {
  const mask = runLengthMask(new Uint8Array(16).fill(1), 4, 4);
  const object = { label: 1, box: [0, 0, 4, 4], mask };
  expect(readObjectExample(bytes({ height: 4, width: 4, objects: [object] })).hasMasks).toBe(true);
  for (const other of [
    { ...mask, counts: [0, 15] },
    { ...mask, height: 8, counts: [0, 32] },
  ])
    expect(() =>
      readObjectExample(bytes({ height: 4, width: 4, objects: [{ ...object, mask: other }] })),
    ).toThrow('a mask has another size');
});
