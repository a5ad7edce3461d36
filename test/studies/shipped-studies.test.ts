import { describe, expect, it } from 'vitest';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { loadStudy, shippedStudies } from '../../src/studies/load-study.js';

describe.each(shippedStudies())('the shipped study %s', (id) => {
  it('asks a question, of ids that there are', async () => {
    const study = await loadStudy(id);
    expect(study.title).toMatch(/^[A-Z].*\?$/);
    const { runs } = await study.plan();
    const names = (of: 'dataset' | 'encoder' | 'decoder'): string[] => [
      ...new Set(runs.flatMap(({ definition }) => (definition.encoder === 'none' ? [] : [definition[of]]))),
    ];
    // another name of an id would plan another run
    expect(names('dataset')).toEqual(study.datasets);
    expect(names('encoder')).toEqual(study.encoders);
    expect(names('decoder')).toEqual(study.decoders);
    expect(
      names('encoder').map((encoder) =>
        encoder === 'smoke-encoder' ? encoder : readEncoderManifest(encoder).id,
      ),
    ).toEqual(study.encoders);
  });

  it('tells its arms apart by name', async () => {
    const study = await loadStudy(id);
    const { runs } = await study.plan();
    const named = new Map<string, Set<string>>();
    for (const { arm, definition } of runs) {
      const { seed: _, ...rest } = definition;
      const own = named.get(arm) ?? new Set();
      named.set(arm, own.add(JSON.stringify(rest)));
    }
    expect([...named].filter(([, definitions]) => definitions.size > 1)).toEqual([]);
  });

  it('is short when quick', async () => {
    const { runs } = await (await loadStudy(id)).plan({ quick: true });
    const trained = runs.filter(({ definition }) => definition.encoder !== 'none');
    expect(new Set(trained.map(({ definition }) => definition.seed))).toEqual(new Set([0]));
    expect(Math.max(...trained.map(({ definition }) => Number(definition.settings.epochs)))).toBeLessThan(4);
  });
});

it('runs of a dataset with code of its own depend on that code, those that look at no image too', async () => {
  const { runs } = await (await loadStudy('smoke')).plan();
  expect(runs.some(({ definition }) => definition.encoder === 'none')).toBe(true);
  for (const { definition } of runs)
    expect(definition.own?.['smoke-blocks'], definition.encoder).toMatch(/^[0-9a-f]{64}$/);
});
