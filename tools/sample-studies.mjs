// Runs the studies of real samples and probes of two pre-trained encoders, and writes their scores beside the figures of
// other programs: reports/samples.md, reports/samples.json. usage: node tools/sample-studies.mjs FOLDER [--store DIR]
// FOLDER holds statlog-landsat, sen1floods11-sample, eolearn-testpatch, presto-series, weights-presto, weights-galileo-nano.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run, runTool, say, SetUpError, root } from './lib/process.mjs';

/** By study, metric and arm: what a linear model of another library gets, where one is known. */
const STUDIES = {
  statlog: { accuracy: { 'labelFraction 1': ['logistic regression', 0.8395] } },
  'flood-modality': {
    mIoU: {
      'modalities optical': ['logistic regression', 0.855],
      'modalities sar': ['logistic regression', 0.716],
      'modalities optical+sar': ['logistic regression', 0.85],
    },
  },
  dates: {
    mIoU: {
      'dates 1, temporal linear': ['logistic regression, one date', 0.266],
      'dates 5, temporal linear': ['logistic regression, five dates', 0.472],
    },
    accuracy: {
      'dates 1, temporal linear': ['logistic regression, one date', 0.805],
      'dates 5, temporal linear': ['logistic regression, five dates', 0.926],
    },
  },
  'flood-galileo': { mIoU: {} },
};

async function studyRows(name, store, samples) {
  say(`${name} …`);
  const { code, output } = await run(
    process.execPath,
    ['tools/gondwana.mjs', 'run', `studies/samples/${name}.ts`, '--store', path.join(store, name)],
    { env: { GONDWANA_SAMPLES: samples } },
  );
  if (code !== 0) throw new SetUpError(`The study "${name}" ended with ${code}:\n${output}`);
  const [{ openStore }, { meanInterval }] = await Promise.all([
    import('../dist/results/store.js'),
    import('../dist/statistics/summary.js'),
  ]);
  const { records } = openStore(path.join(store, name)).readAll();
  const arms = [...new Set(records.map(({ arm }) => arm))];
  return Object.entries(STUDIES[name]).flatMap(([metric, others]) =>
    arms.map((arm) => {
      const own = records.filter((record) => record.arm === arm);
      const isAsked = (row) =>
        row.split === 'test' && row.place === 'all' && row.metric === metric && row.className === null;
      const values = own.map(({ scores }) => scores.find(isAsked)?.value ?? null);
      const { mean, halfWidth } = meanInterval(values);
      const [other, figure] = others[arm] ?? [null, null];
      return { study: name, arm, metric, runs: own.length, value: mean, halfWidth, other, figure };
    }),
  );
}

/** Samples of some modalities alone. */
async function* only(samples, modalities) {
  for await (const sample of samples) {
    const images = Object.fromEntries(modalities.map((name) => [name, sample.images[name]]));
    yield { ...sample, images };
  }
}

/** What a probe sees without an encoder: of each band mean and spread, or all numbers. */
async function plainEmbeddings(samples, kind) {
  const found = { encoder: kind, ids: [], splits: [], labels: [], values: [], vectors: [] };
  for await (const { id, split, images, target } of samples) {
    found.ids.push(id);
    found.splits.push(split);
    found.labels.push(target.kind === 'class' ? target.label : null);
    if (target.kind === 'values') {
      const counted = [...target.values].filter((_, pixel) => target.valid?.[pixel] !== 0);
      found.values.push(counted.reduce((sum, value) => sum + value, 0) / counted.length);
    }
    found.vectors.push(
      Float32Array.from(
        Object.values(images).flatMap((image) => (kind === 'all' ? [...image.data] : moments(image))),
      ),
    );
  }
  const { values, ...rest } = found;
  return values.length > 0 ? found : rest;
}

function moments({ data, bands }) {
  return bands.flatMap((_, band) => {
    const numbers = [];
    for (let at = band; at < data.length; at += bands.length)
      if (!Number.isNaN(data[at])) numbers.push(data[at]);
    const mean = numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length);
    const square = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, numbers.length);
    return [mean, Math.sqrt(square)];
  });
}

/** Splits put together under one name. */
const joined = (parts) =>
  Object.fromEntries(
    Object.keys(parts[0]).map((key) => [
      key,
      Array.isArray(parts[0][key]) ? parts.flatMap((part) => part[key]) : parts[0][key],
    ]),
  );

/** Each with the figure of the same features and a linear model of another library. */
const PROBES = [
  {
    dataset: 'statlog-landsat',
    folder: 'statlog-landsat',
    train: ['train', 'val'],
    k: 1,
    plain: 'all',
    linear: 0.8395,
    knn: 0.8935,
  },
  ...[
    ['flood-share', 'optical', 0.124, 0.102],
    ['flood-share', 'sar', 0.142, 0.142],
    ['flood-share', 'optical+sar', 0.116, 0.104],
    ['flood-class', 'optical', 0.959, 0.93],
    ['flood-class', 'sar', 0.9, 0.898],
    ['flood-class', 'optical+sar', 0.945, 0.934],
  ].flatMap(([dataset, sensors, plain, encoded]) => {
    const common = { dataset, folder: 'sen1floods11-sample', train: ['train', 'val'], of: sensors };
    const used = sensors.split('+');
    return [
      { ...common, plain: 'mean and spread of bands', modalities: used, linear: plain },
      {
        ...common,
        encoder: 'galileo-nano',
        weights: 'weights-galileo-nano/encoder.pt',
        modalities: used.includes('optical') ? [...used, 'ndvi'] : used,
        linear: encoded,
      },
    ];
  }),
  ...[
    ['fuel-moisture', 'fuel_moisture', 29.22, 26.79],
    ['algae-blooms', 'algae_blooms', 0.884, 0.953],
  ].flatMap(([dataset, folder, plain, encoded]) => {
    const common = { dataset, folder: `presto-series/${folder}`, train: ['train'] };
    return [
      { ...common, plain: 'all', modalities: ['optical', 'sar', 'era5', 'srtm'], linear: plain },
      { ...common, encoder: 'presto', weights: 'weights-presto/default_model.pt', linear: encoded },
    ];
  }),
];

/** Of ridge regression, beside a sum, and of the classifier, beside a mean: as of 10,000 samples. */
const PENALTIES = [1, 10, 100, 1000].map((ridge) => ({ ridge, l2: ridge / 10_000 }));

async function probeRow(probe, samples) {
  const [{ openDataset }, { openEncoder }, { embedSamples }, { probeEmbeddings }] = await Promise.all([
    import('../dist/datasets/dataset.js'),
    import('../dist/encoders/open-encoder.js'),
    import('../dist/evaluation/embed-samples.js'),
    import('../dist/evaluation/probes/probe-embeddings.js'),
  ]);
  const { encoder: id, weights, plain, modalities, train, of = '' } = probe;
  const name = id ?? (plain === 'all' ? 'numbers as they are' : plain);
  say(`${probe.dataset} ${of} ${name} …`);
  const dataset = await openDataset(probe.dataset, path.join(samples, probe.folder));
  const encoder = id ? await openEncoder(id, { weights: path.join(samples, weights) }) : null;
  const embed = (split) => {
    const all = dataset.samples(split);
    const chosen = modalities ? only(all, modalities) : all;
    if (!encoder) return plainEmbeddings(chosen, plain);
    return embedSamples(encoder, chosen, { dataset, normalization: 'model', size: 'keep', batchSize: 64 });
  };
  const k = probe.k ?? 20;
  const parts = [];
  for (const split of train) parts.push(await embed(split));
  // where there is a validation split, it chooses the penalty; then both splits train
  const judge = (options) => {
    const { linear, metric } = probeEmbeddings(parts[0], parts[1], { k, ...options });
    return metric === 'RMSE' ? -linear : linear;
  };
  const penalties = parts.length === 1 ? [] : PENALTIES.map((options) => [judge(options), options]);
  const [, penalty] = penalties.sort(([a], [b]) => b - a)[0] ?? [];
  const result = probeEmbeddings(joined(parts), await embed('test'), { k, ...penalty });
  encoder?.dispose();
  return {
    ...{ dataset: probe.dataset, of, features: name, metric: result.metric },
    ...{ linear: result.linear, linearOther: probe.linear, knn: result.knn, knnOther: probe.knn ?? null },
    ...{ trivial: result.trivial, trainCount: result.trainCount, testCount: result.testCount },
  };
}

const number = (value, digits = 3) => (value === null || value === undefined ? '–' : value.toFixed(digits));

function markdown({ studies, probes }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const scores = studies.map((row) =>
    line([
      ...[row.study, row.arm, row.metric, row.runs],
      row.halfWidth === null ? number(row.value) : `${number(row.value)} ± ${number(row.halfWidth)}`,
      row.figure === null ? '–' : `${number(row.figure)} (${row.other})`,
    ]),
  );
  const vectors = probes.map((row) =>
    line([
      ...[row.dataset, row.of || '–', row.features, `${row.trainCount} / ${row.testCount}`, row.metric],
      ...[
        number(row.linear),
        number(row.linearOther),
        number(row.knn),
        number(row.knnOther),
        number(row.trivial),
      ],
    ]),
  );
  return [
    '# Studies of real samples',
    '',
    'Written by `node tools/sample-studies.mjs FOLDER`; the studies are `studies/samples`. Scores of the test split beside figures that other programs gave',
    'for the same samples (scikit-learn for linear models; none of them is a copy of the training used here).',
    '',
    '## Trained',
    '',
    'Mean over seeds ± half of its 95 % interval.',
    '',
    line(['study', 'arm', 'metric', 'runs', 'score', 'other']),
    line(['---', '---', '---', '---:', '---:', '---']),
    ...scores,
    '',
    '## Told from features without training the encoder',
    '',
    'Linear: logistic or ridge regression of the features, its penalty chosen on a validation split where there is one (the penalties of the other program are',
    'not known); neighbours: by cosine. The other figure of neighbours is of the nearest one by distance.',
    '',
    line([
      'dataset',
      'sensors',
      'features',
      'train / test',
      'metric',
      'linear',
      'other',
      'neighbours',
      'other',
      'trivial',
    ]),
    line(['---', '---', '---', '---', '---', '---:', '---:', '---:', '---:', '---:']),
    ...vectors,
    '',
  ].join('\n');
}

await runTool(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { store: { type: 'string', default: 'results/samples' } },
  });
  if (positionals.length !== 1)
    throw new SetUpError('Name the folder of the samples.', 'usage: node tools/sample-studies.mjs FOLDER');
  const samples = path.resolve(positionals[0]);
  const { loadPlugin } = await import('../dist/studies/load-plugin.js');
  for (const file of ['statlog.ts', 'flood-tiles.ts', 'fuel-moisture.ts'])
    await loadPlugin(path.join(root, 'studies/samples', file));
  const probes = [];
  for (const probe of PROBES) probes.push(await probeRow(probe, samples));
  const studies = [];
  for (const name of Object.keys(STUDIES)) studies.push(...(await studyRows(name, values.store, samples)));
  const result = { studies, probes };
  writeFileSync(path.join(root, 'reports/samples.json'), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(root, 'reports/samples.md'), markdown(result));
  say('Written: reports/samples.md, reports/samples.json');
  return 0;
});
