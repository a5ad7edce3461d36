import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { loadStudy, shippedStudies } from '../../src/studies/load-study.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { prepareRun } from '../../src/studies/prepare-run.js';
import { proveArmsDiffer } from '../../src/studies/prove-arms.js';
import { groupOf } from '../../src/studies/rival-arms.js';
import { Session } from '../../src/studies/session.js';
import type { StudyPlan } from '../../src/studies/study.js';
import { fixtureFolders, withFixture } from '../support/study-fixtures.js';
import { tempFolder } from '../support/temp-folder.js';

/** Of its first seed, on fixtures, with weight files that are named and never opened. */
async function planOf(id: string): Promise<StudyPlan> {
  const study = await loadStudy(id);
  const file = path.join(tempFolder(), 'weights.safetensors');
  writeFileSync(file, '');
  const datasets = study.datasets.map(withFixture);
  return planStudy({
    ...study,
    datasets,
    seeds: [0],
    data: fixtureFolders(datasets),
    weights: Object.fromEntries(study.encoders.map((encoder) => [encoder, file])),
  });
}

const sessionOf = ({ study }: StudyPlan): Session =>
  new Session({
    ...{ study, versions: {}, store: undefined, isCheck: false, processes: 1 },
    engine: {} as never,
    emit: () => undefined,
    signal: new AbortController().signal,
  });

beforeAll(() => startEngine());

describe.each(shippedStudies().filter((id) => !['quickstart', 'smoke', 'tree-crowns'].includes(id)))(
  'the shipped study %s',
  (id) => {
    it('gives each of its encoders the bands that it takes, in arms that differ', async () => {
      const plan = await planOf(id);
      const session = sessionOf(plan);
      const groups = new Map(plan.runs.map((run) => [groupOf(run.definition), run]));
      for (const run of groups.values()) {
        if (run.definition.encoder !== 'none') await proveArmsDiffer(run, plan.runs, session);
      }
      for (const { arm, definition } of plan.runs) {
        if (definition.encoder === 'none') continue;
        const { feed, encoder, wavelengths } = await prepareRun(definition, session, () => undefined);
        const [item] = await feed.samples('train');
        const { images } = (await feed.read(item!)).input;
        const got = Object.entries(images).map(([name, { bands }]) => [name, bands.length]);
        const wanted = Object.keys(images).map((name) => [
          name,
          encoder.manifest.modalities[name]!.bands.length || wavelengths[name]?.length,
        ]);
        expect([arm, definition.encoder, got]).toEqual([arm, definition.encoder, wanted]);
      }
    });
  },
);
