// Seconds in which the records of a compacted store are read. usage: node bench/scale/read-records.mjs FOLDER COUNT
// Prints {"scores", "whole"}: main scores by the columns of its segments; every record, checked. Makes the store where it is not.
import { existsSync } from 'node:fs';
import { createRandom } from '../../dist/random.js';
import { compactRecords, readRunScores } from '../../dist/results/compact.js';
import { openStore } from '../../dist/results/store.js';

const [folder, count] = [process.argv[2], Number(process.argv[3])];
const SEGMENT = 5000;
const random = createRandom(0);
const now = '2026-01-01T00:00:00.000Z';

const recordOf = (index) => ({
  ...{
    schema: 'gondwana-run/1',
    id: index.toString(16).padStart(20, '0'),
    attempt: `a-${index}`,
    study: 'bench',
  },
  arm: `arm ${index % 40}`,
  definition: {
    ...{
      dataset: `dataset-${index % 19}`,
      encoder: `encoder-${index % 40}`,
      decoder: 'unet',
      seed: index % 10,
    },
    settings: { learningRate: 0.001, epochs: 50, evaluation: 'whole', encoderMode: 'frozen' },
    ...{ mode: 'corrected', datasetManifest: 'none', weights: null, revision: 1 },
  },
  ...{ dataHash: 'none', counts: { train: { samples: 100, pixels: 1000 } }, inputs: [] },
  scores: ['val', 'test'].map((split) => ({
    ...{ split, place: 'all', evaluation: 'whole', metric: 'mIoU', className: null, value: random.uniform() },
  })),
  ...{
    curve: [],
    selectedEpoch: 50,
    examples: [],
    versions: { gondwana: '0.1.0' },
    startedAt: now,
    finishedAt: now,
  },
  cost: {
    ...{ parameters: 1, trainableParameters: 1, seconds: { train: 60 }, peakResidentBytes: 1, processes: 1 },
  },
  engine: {
    ...{
      name: 'cpu',
      library: 'none',
      api: 'none',
      device: 'none',
      threads: 1,
      processor: 'none',
      notices: [],
    },
  },
});

if (!existsSync(folder)) {
  for (let start = 0; start < count; start += SEGMENT)
    await compactRecords(
      folder,
      Array.from({ length: SEGMENT }, (_, at) => recordOf(start + at)),
    );
}
const seconds = async (work) => {
  const started = performance.now();
  const found = await work();
  if (found.length !== count) throw new Error(`${found.length} of ${count}`);
  return (performance.now() - started) / 1000;
};
const scores = await seconds(() => readRunScores(folder));
const whole = await seconds(() => openStore(folder).readAll().records);
process.stdout.write(`${JSON.stringify({ scores, whole })}\n`);
