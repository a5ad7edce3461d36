// GEO-Bench: its printed table of datasets, numbers of the text, and the released runs of segmentation.
import { checkUnique, factJson, factRows, idsOf, printedNumber } from './facts.mjs';

const DECODERS = { Unet: 'unet-smp', DeepLabV3: 'deeplabv3' };
const RUNS = 3000;
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
  'validationScore',
  'bestStep',
  'batchSize',
  'encoderLearningRate',
  'optimizer',
];

export function geobenchTables(folder) {
  const found = idsOf(folder);
  const ids = { dataset: found.dataset('geobench'), encoder: found.encoder('geobench') };
  return new Map([
    ['geobench-table-1', { rows: datasets(folder, ids), columns: ['dataset', 'property', 'value'] }],
    ['geobench-text', { rows: textNumbers(folder), columns: ['property', 'value'] }],
    ['geobench-segmentation-runs', { rows: segmentationRuns(folder, ids), columns: RUN_COLUMNS }],
    [
      'geobench-segmentation-official',
      {
        rows: officialMeans(folder, ids),
        columns: ['encoder', 'dataset', 'labelFraction', 'metric', 'value', 'standardDeviation'],
      },
    ],
  ]);
}

const datasets = (folder, ids) =>
  factRows(folder, 'geobench', 'tables', 'table1_datasets.csv').map((row) => ({
    dataset: ids.dataset(row.dataset_or_capability),
    property: row.metric,
    value: row.value,
  }));

const textNumbers = (folder) =>
  Object.entries(factJson(folder, 'geobench', 'tables', 'README.json').text_claims).map(
    ([property, value]) => ({
      property: property.replaceAll('_', ' '),
      value: Array.isArray(value) ? value.join(' ') : String(value),
    }),
  );

function segmentationRuns(folder, ids) {
  const rows = factRows(folder, 'geobench', 'results', 'baseline_segmentation_results.csv').map((row, i) => {
    const where = `segmentation run ${i + 1}`;
    const number = (name) => printedNumber(row[name], `${where}, ${name}`);
    const value = number('test metric');
    if (!(value >= 0 && value <= 1)) throw new Error(`${where}: mIoU ${value}`);
    return {
      encoder: ids.encoder(row.model),
      decoder: DECODERS[row['decoder type']],
      dataset: ids.dataset(row.dataset),
      labelFraction: String(Number(row['partition name'].replace('x train', ''))),
      encoderMode: 'fine-tuned',
      seed: number('seed'),
      split: 'test',
      metric: 'mIoU',
      value,
      validationScore: number('val metric'),
      bestStep: number('best step'),
      batchSize: number('batch size'),
      encoderLearningRate: number('lr backbone'),
      optimizer: row.optimizer,
    };
  });
  if (rows.length !== RUNS) throw new Error(`${rows.length} runs of segmentation, not ${RUNS}`);
  checkUnique(rows, 'segmentation runs');
  return rows;
}

/** Rows of the baselines; three of another team's own models have no encoder here and are left out. */
const officialMeans = (folder, ids) =>
  factRows(folder, 'geobench', 'results', 'official_normaliser_segmentation_bootstrap.csv')
    .filter(({ model }) => !model.startsWith('prithvi'))
    .map((row) => ({
      encoder: ids.encoder(row.model),
      dataset: row.dataset === 'aggregated' ? 'all' : ids.dataset(row.dataset),
      labelFraction: '1',
      metric: 'normalised IQM of mIoU',
      value: printedNumber(row.bootstrap_iqm_mean, row.model),
      standardDeviation: printedNumber(row.bootstrap_iqm_sd, row.model),
    }));
