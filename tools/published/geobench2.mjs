// GEO-Bench-2: printed tables, numbers of the text, and the released runs of the leaderboard.
import { checkUnique, factJson, factRows, idsOf, printedNumber } from './facts.mjs';

const METRICS = {
  Multiclass_Jaccard_Index: 'mIoU',
  Multilabel_F1_Score: 'macroF1',
  Overall_Accuracy: 'accuracy',
  RMSE: 'scaledRMSE',
  test_test_map: 'boxAP',
  test_test_segm_map: 'maskAP',
};
const DECODERS = { UNet: 'unet-smp', 'faster-rcnn': 'faster-rcnn', 'mask-rcnn': 'mask-rcnn' };
const RUN_COLUMNS = [
  'encoder',
  'decoder',
  'dataset',
  'labelFraction',
  'encoderMode',
  'seed',
  'split',
  'metric',
  'value',
  'batchSize',
  'learningRate',
  'weightDecay',
  'trials',
  'patience',
  'releasedEncoder',
  'releasedDataset',
];
const RUNS = [
  ['geobench2-runs-full', 'leaderboard_main_full_ft.csv', 'fine-tuned', 1630],
  ['geobench2-runs-multimodal', 'leaderboard_multimodal_full_ft.csv', 'fine-tuned', 285],
  ['geobench2-runs-frozen', 'leaderboard_frozen.csv', 'frozen', 750],
];
const CAPABILITIES = {
  core: 'core',
  pixel_wise: 'pixel-wise',
  classification: 'classification',
  detection: 'detection',
  multi_temporal: 'multi-temporal',
  below_10m: 'below-10m',
  ge_10m: 'from-10m',
  rgb_nir: 'rgb-nir',
  multi_spectral: 'multi-spectral',
};

export function geobench2Tables(folder) {
  const found = idsOf(folder);
  const ids = { dataset: found.dataset('geobench2'), encoder: found.encoder('geobench2') };
  const facts = (name) => factRows(folder, 'geobench2', 'tables', name);
  const tables = new Map([
    [
      'geobench2-table-2',
      {
        rows: facts('table2_datasets.csv').map((row) => ({
          dataset: ids.dataset(row.dataset_or_capability),
          property: row.metric,
          value: row.value,
        })),
        columns: ['dataset', 'property', 'value'],
      },
    ],
    [
      'geobench2-table-3',
      {
        rows: facts('table3_capabilities.csv').map((row) => ({
          dataset: ids.dataset(row.dataset_or_capability),
          property: CAPABILITIES[row.setting] ?? fail(`unknown capability ${row.setting}`),
          value: printedNumber(row.value, row.setting),
        })),
        columns: ['dataset', 'property', 'value'],
      },
    ],
    [
      'geobench2-table-4',
      {
        rows: facts('table4_models.csv').map((row) => ({
          encoder: ids.encoder(row.model),
          property: row.metric,
          value: row.value,
        })),
        columns: ['encoder', 'property', 'value'],
      },
    ],
    [
      'geobench2-text',
      {
        rows: facts('text_numbers.csv').map((row) => ({
          section: row.table.replace(/^text /, ''),
          about: [row.dataset_or_capability, row.setting].filter(Boolean).join(', '),
          property: row.metric,
          value: printedNumber(row.value, row.metric),
        })),
        columns: ['section', 'about', 'property', 'value'],
      },
    ],
    [
      'geobench2-normaliser',
      {
        rows: Object.entries(factJson(folder, 'geobench2', 'results', 'normalizer.json')).map(
          ([name, [low, high]]) => ({
            dataset: ids.dataset(name),
            low: String(low),
            high: String(high),
          }),
        ),
        columns: ['dataset', 'low', 'high'],
      },
    ],
  ]);
  for (const [id, file, encoderMode, count] of RUNS) {
    const rows = factRows(folder, 'geobench2', 'results', file).map((row, i) =>
      run(row, `${file}, run ${i + 1}`, encoderMode, ids),
    );
    if (rows.length !== count) fail(`${file}: ${rows.length} runs, not ${count}`);
    checkUnique(rows, file);
    tables.set(id, { rows, columns: RUN_COLUMNS });
  }
  checkNormaliser(tables);
  return tables;
}

const fail = (message) => {
  throw new Error(message);
};

function run(row, where, encoderMode, ids) {
  const number = (name) => printedNumber(row[name], `${where}, ${name}`);
  if ((row.frozen_or_full_ft === 'frozen') !== (encoderMode === 'frozen'))
    fail(`${where}: ${row.frozen_or_full_ft}`);
  const value = number('test metric');
  if (!(value >= 0 && value <= 1)) fail(`${where}: ${value}`);
  return {
    encoder: ids.encoder(row.backbone),
    decoder: DECODERS[row.decoder] ?? fail(`${where}: decoder ${row.decoder}`),
    dataset: ids.dataset(row.dataset),
    labelFraction: String(number('data_percentages') / 100),
    encoderMode,
    seed: number('Seed'),
    split: 'test',
    metric: METRICS[row.Metric] ?? fail(`${where}: metric ${row.Metric}`),
    value,
    batchSize: number('batch_size'),
    learningRate: number('lr'),
    weightDecay: number('weight_decay'),
    trials: number('n_trials'),
    patience: row.early_stop_patience.replace(/\.0$/, ''),
    // the released bootstrap goes through groups in the order of these names
    releasedEncoder: row.backbone,
    releasedDataset: row.dataset,
  };
}

/** The factors are the lowest and highest scores over all runs with trained encoders. */
function checkNormaliser(tables) {
  const runs = [...tables.get('geobench2-runs-full').rows, ...tables.get('geobench2-runs-multimodal').rows];
  for (const { dataset, low, high } of tables.get('geobench2-normaliser').rows) {
    const values = runs.filter((row) => row.dataset === dataset).map(({ value }) => Number(value));
    const apart = Math.max(Math.abs(Math.min(...values) - low), Math.abs(Math.max(...values) - high));
    if (!(apart < 1e-12)) fail(`normaliser of ${dataset} is off by ${apart}`);
  }
}
