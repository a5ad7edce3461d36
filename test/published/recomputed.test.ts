import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../src/io/csv.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { listManifests, manifestNames } from '../../src/manifests/read-manifest.js';
import {
  geobenchAggregates,
  geobenchConvergence,
  geobenchDiscriminativity,
  geobenchFractions,
  geobenchLimits,
} from '../../src/published/geobench.js';
import {
  geobench2Capabilities,
  geobench2Datasets,
  geobench2FrozenEffect,
  geobench2RankChanges,
} from '../../src/published/geobench2.js';
import {
  PANGAEA_MAIN_TABLES,
  pangaeaFigure1,
  pangaeaTopTwo,
  percentDifferences,
} from '../../src/published/pangaea.js';
import { publishedRows } from '../../src/published/published-rows.js';
import { createRandom } from '../../src/random.js';
import { randomDraws } from '../../src/statistics/draws.js';
import { ranks } from '../../src/statistics/ranks.js';
import { root } from '../support/needs.js';

/** Expected figures, computed apart from the library: test/fixtures/published/make_expected.py. */
function expected(name: string): Record<string, string>[] {
  const text = readFileSync(path.join(root, 'test', 'fixtures', 'published', name), 'utf8');
  const { columns, rows } = parseCsv(text, name);
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]!])));
}

const encoderIds = new Map(
  listManifests('encoders').flatMap((id) =>
    [id, ...readEncoderManifest(id).aliases].map((name) => [name, id]),
  ),
);
/** Id of a dataset by a name that its benchmark uses. */
const datasetNames = new Map(
  manifestNames('datasets').flatMap(({ id, aliases, benchmark }) =>
    [id, ...aliases].map((name) => [`${benchmark} ${name}`, id]),
  ),
);
const datasetId = (name: string, benchmark: string): string => datasetNames.get(`${benchmark} ${name}`)!;
const encoderId = (name: string): string => encoderIds.get(name) ?? name;

describe('PANGAEA', () => {
  it.each(PANGAEA_MAIN_TABLES)('#Top2 of %s comes out as printed, for all 14 models', (table) => {
    const counts = pangaeaTopTwo(table);
    expect(counts).toHaveLength(14);
    for (const { model, printed, recomputed } of counts)
      expect([model, recomputed]).toEqual([model, printed]);
  });

  it('all 103 percent differences come out within 0.75 of a point', () => {
    const all = [8, 9, 11, 12, 13].flatMap((number) => percentDifferences(`pangaea-table-${number}`));
    expect(all).toHaveLength(103);
    // printed as whole numbers, of scores that were rounded to two digits: half a point and what the rounding moves
    for (const { printed, recomputed } of all) expect(Math.abs(printed - recomputed)).toBeLessThan(0.75);
  });

  it('figure 1 is 0 for the worst and 1 for the best of each dataset, RMSE turned round', () => {
    const { models, datasets, cells } = pangaeaFigure1();
    const rows = expected('pangaea-figure-1.csv');
    expect(rows).toHaveLength(14 * 11);
    for (const { model, dataset, score } of rows) {
      const row = models.indexOf(model === 'croma' ? 'croma' : encoderId(model!));
      const column = datasets.indexOf(datasetId(dataset!, 'pangaea'));
      expect([model, dataset, cells[row]?.[column]?.values[0]?.toFixed(6)]).toEqual([model, dataset, score]);
    }
  });
});

describe('GEO-Bench-2', () => {
  const capabilityNames: Readonly<Record<string, string>> = {
    pixel_wise: 'pixel-wise',
    multi_temporal: 'multi-temporal',
    below_10m: 'below-10m',
    ge_10m: 'from-10m',
    rgb_nir: 'rgb-nir',
    multi_spectral: 'multi-spectral',
  };
  const ranked = new Map<string, ReturnType<typeof geobench2Capabilities>>();

  it.each([
    ['paper', 'paper_composite', 126],
    ['full', 'main_full_ft', 154],
    ['multimodal', 'multimodal_full_ft', 27],
    ['frozen', 'frozen', 70],
  ] as const)(
    'capability scores of the runs "%s" are those of the released code',
    (runs, submission, count) => {
      const scores = geobench2Capabilities(runs);
      ranked.set(runs, scores);
      const rows = expected('geobench2-capabilities.csv').filter((row) => row.submission === submission);
      expect([scores.length, rows.length]).toEqual([count, count]);
      const byKey = new Map(scores.map((score) => [`${score.model} ${score.capability}`, score]));
      for (const { backbone, capability, iqm_mean, sem, sd } of rows) {
        const own = byKey.get(`${encoderId(backbone!)} ${capabilityNames[capability!] ?? capability!}`)!;
        // the draws are the same; expected figures have six digits
        expect(Math.abs(own.mean! - Number(iqm_mean))).toBeLessThan(6e-7);
        expect(Math.abs(own.monteCarloError! - Number(sem))).toBeLessThan(6e-7);
        expect(Math.abs(own.standardDeviation! - Number(sd))).toBeLessThan(6e-7);
      }
    },
  );

  it('the core ranking has Clay first and both ResNet-50 last, and ties no more than the text says', () => {
    const core = ranked.get('paper')!.filter(({ capability }) => capability === 'core');
    const places = ranks(core.map(({ mean }) => mean));
    const order = core.map(({ model }, i) => [places[i]!, model] as const).sort(([a], [b]) => a - b);
    expect(order.map(([, model]) => model)).toEqual([
      'clay-v1-base',
      'convnext-xlarge-in22k',
      'dinov3-convnext-large-web',
      'convnext-large-in22k',
      'prithvi-v2-600m-tl',
      'terramind-v1-large',
      'satlas-swin-b-sentinel2',
      'dofa-large',
      'prithvi-v2-300m-tl',
      'dinov3-vit-large-sat',
      'terramind-v1-base',
      'satlas-swin-b-naip',
      'resnet50-decur',
      'resnet50-timm',
    ]);
  });

  it('Table 1: the place of every model on every capability comes out', () => {
    const rows = expected('geobench2-ranks.csv');
    expect(rows).toHaveLength(9 * 14);
    for (const { encoder, capability: name, rank } of rows) {
      const scores = ranked
        .get('paper')!
        .filter(({ capability }) => capability === (capabilityNames[name!] ?? name));
      const places = ranks(scores.map(({ mean }) => mean));
      const place = places[scores.findIndex(({ model }) => model === encoder)];
      expect([encoder, name, place]).toEqual([encoder, name, Number(rank)]);
    }
  });

  it('the multi-spectral podium of the text does not hold under its rule: Clay is fourth', () => {
    const scores = ranked.get('paper')!.filter(({ capability }) => capability === 'multi-spectral');
    const places = ranks(scores.map(({ mean }) => mean));
    expect(places[scores.findIndex(({ model }) => model === 'clay-v1-base')]).toBe(4);
  });

  it.each([
    ['paper', 'paper_composite'],
    ['full', 'main_full_ft'],
    ['frozen', 'frozen'],
    ['multimodal', 'multimodal_full_ft'],
  ] as const)('scores of each dataset of the runs "%s" come out', (runs, submission) => {
    const rows = expected('geobench2-datasets.csv').filter((row) => row.submission === submission);
    const scores = geobench2Datasets(runs);
    expect(scores).toHaveLength(rows.length);
    const byKey = new Map(scores.map((score) => [`${score.model} ${score.dataset}`, score]));
    for (const { backbone, dataset, raw_mean, raw_sd, norm_iqm, seeds } of rows) {
      const own = byKey.get(`${encoderId(backbone!)} ${datasetId(dataset!, 'geobench2')}`)!;
      expect(own.runs).toBe(Number(seeds));
      // expected figures have eight digits
      expect(Math.abs(own.mean! - Number(raw_mean))).toBeLessThan(6e-9);
      expect(Math.abs(own.standardDeviation! - Number(raw_sd))).toBeLessThan(6e-9);
      expect(Math.abs(own.normalizedIqm! - Number(norm_iqm))).toBeLessThan(6e-9);
    }
  });

  it('the effect of fine-tuning comes out, largest on BEN V2', () => {
    const effects = geobench2FrozenEffect();
    const rows = expected('geobench2-frozen-effect.csv');
    expect(effects).toHaveLength(rows.length);
    const byDataset = new Map(effects.map((effect) => [effect.dataset, effect]));
    for (const { dataset, paired_t_p, cohen_d_pooled } of rows) {
      const own = byDataset.get(datasetId(dataset!, 'geobench2'))!;
      expect(own.models).toHaveLength(10);
      // expected figures have six digits
      expect(Math.abs(own.pValue! - Number(paired_t_p))).toBeLessThan(6e-7);
      expect(Math.abs(own.cohensDPooled! - Number(cohen_d_pooled))).toBeLessThan(6e-7);
    }
    expect(effects.reduce((a, b) => (b.cohensDPooled! > a.cohensDPooled! ? b : a)).dataset).toBe('gb2-benv2');
  });
});

describe('GEO-Bench-2, frozen against fine-tuned', () => {
  it('more than a fifth of the pairs of models change their order, as its text says: 25.6 %', () => {
    const changes = geobench2RankChanges().map(({ distance }) => distance!);
    expect(changes.reduce((sum, distance) => sum + distance, 0) / changes.length).toBeCloseTo(0.2562963, 7);
  });
});

describe('GEO-Bench segmentation', () => {
  const draws = () => randomDraws(createRandom(8));

  it('lowest and highest run of each dataset come out', () => {
    const limits = geobenchLimits();
    for (const { dataset, min, max } of expected('geobench-normaliser.csv'))
      expect(limits[datasetId(dataset!, 'geobench')]).toEqual({ low: Number(min), high: Number(max) });
  });

  it('aggregates and datasets come out at every training fraction', () => {
    const resamples = 200;
    const rows = expected('geobench-segmentation.csv');
    expect(geobenchFractions()).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    for (const labelFraction of geobenchFractions()) {
      const setting = `train ratio ${labelFraction === 1 ? '1.0' : labelFraction}`;
      const parts = [undefined, ...Object.keys(geobenchLimits())];
      for (const dataset of parts) {
        const own = geobenchAggregates({
          labelFraction,
          resamples,
          draws: draws(),
          ...(dataset && { datasets: [dataset] }),
        });
        const wanted = rows.filter(
          (row) =>
            row.setting === setting &&
            (row.dataset_or_capability === 'aggregated'
              ? dataset === undefined
              : datasetId(row.dataset_or_capability!, 'geobench') === dataset),
        );
        expect(wanted).toHaveLength(6);
        for (const { model, value, std } of wanted) {
          const { mean, standardDeviation } = own.find((score) => score.model === encoderId(model!))!;
          // both are means over unseeded resamples of a distribution with deviation std: of 100 each at least
          expect(Math.abs(mean! - Number(value))).toBeLessThan(
            5 * Number(std) * Math.sqrt(1 / 100 + 1 / resamples) + 1e-6,
          );
          expect(standardDeviation! / Number(std)).toBeGreaterThan(0.5);
          expect(standardDeviation! / Number(std)).toBeLessThan(2);
        }
      }
    }
  });

  it('convergence and discriminativity of every dataset and fraction come out', () => {
    const found = geobenchConvergence();
    const told = geobenchDiscriminativity();
    const of = (values: typeof found, dataset: string, fraction: number): number =>
      values.find((row) => row.dataset === dataset && row.labelFraction === fraction)!.value!;
    for (const { dataset, ...values } of expected('geobench-convergence.csv'))
      for (const [fraction, value] of Object.entries(values))
        // expected figures have three digits
        expect(
          Math.abs(of(found, datasetId(dataset!, 'geobench'), Number(fraction)) - Number(value)),
        ).toBeLessThan(6e-4);
    for (const { dataset, ratio, discriminativity } of expected('geobench-discriminativity.csv'))
      // expected figures have five digits
      expect(
        Math.abs(of(told, datasetId(dataset!, 'geobench'), Number(ratio)) - Number(discriminativity)),
      ).toBeLessThan(6e-6);
  });

  it('agrees with means made with the official normaliser, over its five datasets', () => {
    const official = publishedRows('geobench-segmentation-official').filter(
      ({ dataset }) => dataset === 'all',
    );
    const datasets = Object.keys(geobenchLimits()).filter((id) => id !== 'm-cashew-plantation');
    const own = geobenchAggregates({ labelFraction: 1, resamples: 1000, draws: draws(), datasets });
    expect(official).toHaveLength(6);
    for (const { encoder, value } of official) {
      const { mean } = own.find(({ model }) => model === encoder)!;
      // limits are other, resamples are unseeded: the deviation of each is up to 0.06, of the mean of a thousand 0.002
      expect(Math.abs(mean! - Number(value))).toBeLessThan(0.003);
    }
  });
});
