// PANGAEA: every printed table as tidy rows, in the words of runs (docs/decisions/0016-published-tables.md).
import { checkUnique, factRows, idsOf, printedNumber } from './facts.mjs';

const TABLES = [
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(String),
  ...Array.from({ length: 19 }, (_, i) => `A${i + 1}`),
];
const DESCRIPTIONS = new Set(['2', '3', 'A19']);
/** Values of tables 3 … A19 together. */
const PRINTED_VALUES = 3998;

export const tableId = (number) => `pangaea-table-${number.toLowerCase()}`;

/** Metric, class and printed heading; precision and recall are exchanged in every table (known fault `precision-recall`). */
const METRICS = {
  mIoU: { metric: 'mIoU' },
  mF1: { metric: 'mF1' },
  mPrec: { metric: 'mRecall', printed: 'mPrec' },
  mRec: { metric: 'mPrecision', printed: 'mRec' },
  mAcc: { metric: 'accuracy', printed: 'm-acc' },
  RMSE: { metric: 'RMSE' },
  IoU_water: { metric: 'IoU', class: 'Water' },
  F1_water: { metric: 'F1', class: 'Water' },
  IoU_fg: { metric: 'IoU', class: 'Crop Field' },
  F1_fg: { metric: 'F1', class: 'Crop Field' },
  Prec_fg: { metric: 'recall', class: 'Crop Field', printed: 'precision' },
  Rec_fg: { metric: 'precision', class: 'Crop Field', printed: 'recall' },
  IoU_change: { metric: 'IoU', class: 'Change' },
  F1_change: { metric: 'F1', class: 'Change' },
  IoU_col1_printed_no_building: { metric: 'IoU', class: 'No damage', printed: 'IoU no building' },
  IoU_col2_printed_no_damage: { metric: 'IoU', class: 'No building', printed: 'IoU no damage' },
  IoU_minor_damage: { metric: 'IoU', class: 'Minor damage' },
  IoU_major_damage: { metric: 'IoU', class: 'Major damage' },
  IoU_destroyed: { metric: 'IoU', class: 'Destroyed' },
  pct_diff: { metric: 'percentDifference' },
  n_top2: { metric: 'top2' },
  gmacs: { metric: 'gigaMultiplyAdds' },
  trainable_params_M: { metric: 'trainableParametersM' },
  total_params_M: { metric: 'parametersM' },
};

/** `key=value` of a setting → columns of runs. */
const SETTINGS = {
  labels: (value) => ({ labelFraction: String(Number(value.replace('%', '')) / 100) }),
  temporal: (value) => (value === 'single' ? { dates: '1' } : { temporal: value }),
  modality: (value) => ({ modalities: value === 'joint' ? 'optical+sar' : value }),
  strategy: (value) => ({ change: value === 'diff' ? 'difference' : value }),
  normalisation: (value) => ({
    normalization: { with: 'z-score', without: 'none', without_vs_with: 'none' }[value],
  }),
  encoder: (value) => ({ encoderMode: value === 'frozen' ? 'frozen' : 'fine-tuned' }),
  resolution_matching: (value) => ({ crop: value === 'without' ? 'random' : 'resize' }),
  regional_gap: (value) => ({ place: value === 'without' ? 'all' : 'north' }),
  lr: (value) =>
    value === '1e-4' ? { learningRate: '0.0001', search: 'none' } : { search: 'learning-rate' },
  role: (value) => ({ role: value }),
  decoder: () => ({}),
};

const FAMILIES = {
  croma: { optical: 'croma-optical', sar: 'croma-sar', 'optical+sar': 'croma-joint' },
  'ssl4eo-mae': { optical: 'ssl4eo-mae', sar: 'ssl4eo-mae-sar' },
};

export const columns = [
  'encoder',
  'decoder',
  'dataset',
  'labelFraction',
  'modalities',
  'temporal',
  'dates',
  'change',
  'normalization',
  'crop',
  'encoderMode',
  'learningRate',
  'search',
  'role',
  'split',
  'place',
  'metric',
  'class',
  'printed',
  'value',
  'unit',
  'settingsFrom',
  'note',
];

const unitOf = (metric) => {
  if (metric === 'RMSE') return 't/ha';
  return ['top2', 'gigaMultiplyAdds', 'parametersM', 'trainableParametersM'].includes(metric) ? '1' : '%';
};

function scoreRow(row, ids) {
  const where = `table ${row.table}: ${row.model}, ${row.dataset}, ${row.setting}, ${row.metric}`;
  const metric = METRICS[row.metric];
  if (!metric) throw new Error(`${where}: unknown metric`);
  const settings = Object.assign(
    {},
    ...row.setting.split(';').map((pair) => {
      const [key, value] = pair.split('=');
      if (!SETTINGS[key]) throw new Error(`${where}: unknown setting "${key}"`);
      return SETTINGS[key](value);
    }),
  );
  const isCost = row.dataset === 'none';
  const dataset = isCost ? '' : row.dataset === 'all' ? 'all' : ids.dataset(row.dataset);
  const value = printedNumber(row.value, where);
  const unit = unitOf(metric.metric);
  if (unit === '%' && metric.metric !== 'percentDifference' && !(value >= 0 && value <= 100))
    throw new Error(`${where}: ${value} %`);
  if (unit === 't/ha' && !(value > 0 && value < 400)) throw new Error(`${where}: ${value} t/ha`);
  return {
    encoder: FAMILIES[row.model]?.[settings.modalities] ?? ids.encoder(row.model),
    decoder: row.model === 'unet' ? 'unet-pangaea' : 'upernet',
    dataset,
    ...(!isCost &&
      dataset !== 'all' && {
        labelFraction: '1',
        normalization: dataset === 'biomassters' ? 'min-max' : 'z-score',
        encoderMode: ['unet', 'vit'].includes(row.model) ? 'fine-tuned' : 'frozen',
      }),
    ...settings,
    ...(!isCost && { split: 'test', place: settings.place ?? 'all' }),
    ...metric,
    value,
    unit,
  };
}

/** Tables 2, 3 and A19 describe; their values are texts. */
function descriptionRow(row, ids) {
  const pretraining = { patches: 'patches', volume_TB: 'volumeTB' };
  const encoder = (name) => (name === 'ssl4eo-s12' ? 'ssl4eo-s12 (four encoders)' : ids.encoder(name));
  if (row.table === '2') return { dataset: ids.dataset(row.dataset), property: row.metric, value: row.value };
  const task = row.setting.replace('task=', '');
  if (row.table === 'A19')
    return {
      encoder: encoder(row.model),
      dataset: row.dataset,
      property: `used in its paper: ${task}`,
      value: row.value,
    };
  return {
    encoder: encoder(row.model),
    property: pretraining[row.metric],
    value: row.value,
    images: row.setting.replace('images=', ''),
  };
}

/** Id of each table → its rows and columns. */
export function pangaeaTables(folder) {
  const found = idsOf(folder);
  const ids = { dataset: found.dataset('pangaea'), encoder: found.encoder('pangaea') };
  const tables = new Map();
  let count = 0;
  for (const number of TABLES) {
    const file = number.startsWith('A')
      ? `table_A${number.slice(1).padStart(2, '0')}.csv`
      : `table_${number.padStart(2, '0')}.csv`;
    const facts = factRows(folder, 'pangaea', 'tables', file);
    if (facts.some(({ table }) => table !== number)) throw new Error(`${file} holds rows of another table`);
    if (number !== '2') count += facts.length;
    const isDescription = DESCRIPTIONS.has(number);
    const rows = facts.map((row) => (isDescription ? descriptionRow(row, ids) : scoreRow(row, ids)));
    checkUnique(rows, `table ${number}`);
    tables.set(tableId(number), {
      rows,
      columns: isDescription ? ['encoder', 'dataset', 'property', 'images', 'value'] : columns,
    });
  }
  if (count !== PRINTED_VALUES) throw new Error(`${count} values, not ${PRINTED_VALUES}`);
  const appendix = TABLES.filter((number) => /^A(?!19)/.test(number)).flatMap((number) =>
    tables.get(tableId(number)).rows.map((row) => ({ ...row, from: number })),
  );
  for (const number of ['5', '6', '7', '8', '9', '10', '11', '12', '13'])
    tables.get(tableId(number)).rows = tables
      .get(tableId(number))
      .rows.map((row) => besideAppendix(row, appendix));
  checkNumbers(tables);
  return tables;
}

const family = (encoder) => encoder.replace(/-(optical|joint|sar)$/, '');

/**
 * A cell of the main part beside the appendix. The main tables do not print modality, temporal and change strategy: where
 * exactly one row of the appendix has the same number, its settings are taken over; where none has it, a note says what is there.
 */
function besideAppendix(row, appendix) {
  const isBaseline = !(
    row.normalization === 'none' ||
    row.crop === 'resize' ||
    row.place === 'north' ||
    (row.role && row.encoderMode === 'fine-tuned') ||
    row.search === 'learning-rate'
  );
  if (!isBaseline || !['mIoU', 'RMSE'].includes(row.metric)) return row;
  const candidates = appendix.filter(
    (other) =>
      other.metric === row.metric &&
      !other.class &&
      other.dataset === row.dataset &&
      family(other.encoder) === family(row.encoder) &&
      other.labelFraction === row.labelFraction &&
      (row.temporal === undefined || other.temporal === row.temporal),
  );
  if (candidates.length === 0) return row;
  const settings = ({ encoder, modalities, temporal, dates, change }) =>
    JSON.stringify({ encoder, modalities, temporal, dates, change });
  const same = candidates.filter((other) => Number(other.value) === Number(row.value));
  const [first] = same;
  if (first && new Set(same.map(settings)).size === 1) {
    const { encoder, modalities, temporal, dates, change, from } = first;
    const given = Object.fromEntries(
      Object.entries({ modalities, temporal, dates, change }).filter(([, value]) => value),
    );
    return { ...row, encoder, ...given, settingsFrom: tableId(from) };
  }
  if (first) {
    return {
      ...row,
      note: `several rows of table ${[...new Set(same.map(({ from }) => from))].join(', ')} have this number`,
    };
  }
  const words = ({ modalities, temporal, dates, change }) =>
    [modalities, temporal, dates && 'one date', change].filter(Boolean).join(' ');
  const others = new Map(
    candidates.map((other) => [`${other.value}${words(other) ? ` (${words(other)})` : ''}`, other.from]),
  );
  const texts = [...new Set([...others.values()])].map(
    (from) =>
      `table ${from}: ${[...others]
        .filter(([, at]) => at === from)
        .map(([text]) => text)
        .join(', ')}`,
  );
  return { ...row, note: texts.join('; ') };
}

/** What the numbers must say of each other. */
function checkNumbers(tables) {
  const rows = (number) => tables.get(tableId(number)).rows;
  const xview = rows('A7');
  for (const encoder of new Set(xview.map((row) => row.encoder))) {
    const own = xview.filter((row) => row.encoder === encoder);
    const classes = own.filter(({ metric }) => metric === 'IoU').map(({ value }) => Number(value));
    const mean = classes.reduce((sum, value) => sum + value, 0) / classes.length;
    const printed = Number(own.find(({ metric }) => metric === 'mIoU').value);
    if (Math.abs(mean - printed) > 0.0101)
      throw new Error(`table A7, ${encoder}: mIoU ${printed}, classes ${mean}`);
  }
  for (const number of ['5', '6', '7']) {
    const counts = rows(number).filter(({ metric }) => metric === 'top2');
    const sum = counts.reduce((total, { value }) => total + Number(value), 0);
    if (counts.length !== 14 || sum !== 22)
      throw new Error(`table ${number}: #Top2 of ${counts.length} models, ${sum} in all`);
  }
}
