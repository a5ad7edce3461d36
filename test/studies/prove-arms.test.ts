import { beforeAll, describe, expect, it } from 'vitest';
import { defineDataset } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import { startEngine } from '../../src/engine/engine.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { prepareRun } from '../../src/studies/prepare-run.js';
import { proveArmsDiffer } from '../../src/studies/prove-arms.js';
import { registerDefinition } from '../../src/studies/load-plugin.js';
import { Session } from '../../src/studies/session.js';
import type { StudyPlan } from '../../src/studies/study.js';
import { tempFolder } from '../support/temp-folder.js';

/** Images of 4 × 6 pixels and three bands whose numbers `value` gives. */
function dataset(id: string, value: (index: number) => number) {
  const definition = defineDataset(id, {
    manifest: {
      task: 'segmentation',
      modalities: { optical: { sensor: 'aerial', bands: ['red', 'green', 'blue'] } },
      classes: ['no', 'yes'],
    },
    entries: (split) => [{ id: `${split}-0` }],
    read() {
      const data = Float32Array.from({ length: 72 }, (_, index) => value(index));
      const labels = { data: new Uint8Array(24), height: 4, width: 6 };
      const image = sampleImage({ data, height: 4, width: 6, bands: ['red', 'green', 'blue'] });
      return Promise.resolve({
        images: { optical: image },
        target: { kind: 'mask', labels, stored: labels },
      });
    },
  });
  registerDefinition(definition, 'test');
  return id;
}

const planOf = (id: string, vary: Record<string, (string | number)[]>): Promise<StudyPlan> =>
  planStudy({
    name: 'try',
    title: 'Try?',
    protocol: 'pangaea',
    datasets: [id],
    encoders: ['resnet18-random'],
    decoders: ['upernet'],
    settings: { crop: 'none', evaluation: 'whole', encoderWeights: 'random' },
    vary,
    seeds: [0],
    data: { [id]: tempFolder() },
  });

const sessionOf = ({ study }: StudyPlan): Session =>
  new Session({
    ...{ study, versions: {}, store: undefined, isCheck: false, processes: 1 },
    engine: {} as never,
    emit: () => undefined,
    signal: new AbortController().signal,
  });

const prove = async (id: string, vary: Record<string, (string | number)[]>): Promise<void> => {
  const plan = await planOf(id, vary);
  await proveArmsDiffer(plan.runs[0]!, plan.runs, sessionOf(plan));
};

beforeAll(() => startEngine());

describe('inputs of a run', () => {
  it('are near mean 0 and spread 1 under z-score, and those of the file under none', async () => {
    const plan = await planOf(
      dataset('plain-numbers', (i) => (i * 37) % 256),
      { normalization: ['z-score', 'none'] },
    );
    const session = sessionOf(plan);
    for (const [index, mean] of [0, 127.5].entries()) {
      const { feed } = await prepareRun(plan.runs[index]!.definition, session, () => undefined);
      const [item] = await feed.samples('train');
      const { data } = (await feed.read(item!)).input.images['optical']!;
      const got = Array.from(data).reduce((sum, value) => sum + value, 0) / data.length;
      expect(Math.abs(got - mean)).toBeLessThan(index === 0 ? 1e-5 : 10); // sums of 72 float32 numbers near 1
    }
  });
});

describe('arms of an ablation', () => {
  it('that differ in their input pass', async () => {
    const id = dataset('many-numbers', (i) => (i * 37) % 256);
    await expect(prove(id, { normalization: ['z-score', 'none', 'min-max'] })).resolves.toBeUndefined();
    await expect(prove(id, { resolutionFactor: [1, 2] })).resolves.toBeUndefined();
  });

  it('that are told apart but get equal tensors fail', async () => {
    // every band has mean 0 and spread 1 already: z-score changes nothing
    const id = dataset('standard-numbers', (i) => (Math.floor(i / 3) % 2 ? 1 : -1));
    await expect(prove(id, { normalization: ['z-score', 'none'] })).rejects.toMatchObject({
      code: 'ARMS_EQUAL',
    });
    await expect(prove(id, { bands: ['match', 'rgb'] })).rejects.toMatchObject({
      code: 'ARMS_EQUAL',
      message: expect.stringContaining('bands "match"') as string,
    });
  });
});
