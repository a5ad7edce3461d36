import { listed } from '../display/words.js';
import { formatCount } from '../display/numbers.js';
import { canonicalJson } from '../results/canonical-json.js';
import { lossOf, validationScoreOf } from '../results/main-score.js';
import { armOfTrial, type JsonValue, type RunRecord } from '../results/run-record.js';
import type { StoredPlan } from '../results/store.js';
import { counted, markup, type Markup } from './html.js';
import { evaluationName, settingText, type DatasetView } from './view.js';

/**
 * What was done on a dataset, in sentences as for a paper's methods: data, models, inputs, training, choice of the epoch,
 * evaluation, seeds, statistics. Written from the settings that the runs have; where arms differ, all values are told.
 */
export function methodsSection(
  view: DatasetView,
  trials: readonly RunRecord[],
  plan: StoredPlan | undefined,
): Markup | undefined {
  if (view.trained.length === 0) return undefined;
  const runs = view.trained.flatMap((arm) => arm.runs);
  const paragraphs = [
    [dataText(view, runs), modelText(runs), inputText(view, runs)],
    [trainingText(runs), choiceText(runs), searchText(trials)],
    [evaluationText(view), seedText(runs), statisticsText(view), modeText(runs, plan)],
  ];
  return markup`${paragraphs.map((sentences) => markup`<p>${sentences.filter(Boolean).join(' ')}</p>`)}`;
}

/** Values that a setting has among the runs, in words: `8`, `8 or 16`; undefined where no run has it. */
function valuesOf(runs: readonly RunRecord[], name: string): string | undefined {
  const values = [...new Set(runs.map(({ definition }) => definition.settings[name]))]
    .filter((value): value is JsonValue => value !== undefined && value !== null)
    .map((value) => numberText(value) ?? settingText(name, value));
  return values.length === 0 ? undefined : alternatives([...new Set(values)]);
}

const numberText = (value: JsonValue): string | undefined =>
  typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : undefined;

const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;

const distinct = (runs: readonly RunRecord[], of: (run: RunRecord) => string): string[] => [
  ...new Set(runs.map(of)),
];

function dataText(view: DatasetView, runs: readonly RunRecord[]): string {
  const sizes = Object.entries(runs[0]!.counts).map(
    ([split, { samples }]) => `${split} ${formatCount(samples)}`,
  );
  const fraction = valuesOf(runs, 'labelFraction');
  const share =
    fraction === undefined || fraction === '1'
      ? ''
      : ` The share of the training split that is used is ${fraction}.`;
  return `Data: ${view.dataset}${sizes.length > 0 ? ` (samples: ${sizes.join(', ')})` : ''}.${share}`;
}

function modelText(runs: readonly RunRecord[]): string {
  const encoders = distinct(runs, ({ definition }) => definition.encoder);
  const decoders = distinct(runs, ({ definition }) => definition.decoder);
  const mode = valuesOf(runs, 'encoderMode');
  const weights = valuesOf(runs, 'encoderWeights');
  const how = [mode, weights && `weights ${weights}`].filter(Boolean).join('; ');
  return `Models: ${encoders.length === 1 ? 'encoder' : 'encoders'} ${listed(encoders)}${how && ` (${how})`} with the ${decoders.length === 1 ? 'decoder' : 'decoders'} ${listed(decoders)}.`;
}

function inputText(view: DatasetView, runs: readonly RunRecord[]): string {
  const size = valuesOf(runs, 'inputSize');
  const flips = valuesOf(runs, 'flipProbability');
  const parts = [
    valuesOf(runs, 'normalization') && `normalisation ${valuesOf(runs, 'normalization')}`,
    valuesOf(runs, 'modalities') && `modalities ${valuesOf(runs, 'modalities')}`,
    valuesOf(runs, 'crop') && `training crop ${valuesOf(runs, 'crop')}`,
    size && `side ${size}`,
    flips && flips !== '0' && `mirrored with a chance of ${flips}`,
    valuesOf(runs, 'dates') && `${valuesOf(runs, 'dates')} dates`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : `Inputs of ${view.dataset}: ${parts.join(', ')}.`;
}

function trainingText(runs: readonly RunRecord[]): string {
  const value = (name: string): string | undefined => valuesOf(runs, name);
  const loss = alternatives(distinct(runs, lossOf).map((name) => name.replaceAll('-', ' ')));
  const parts = [
    value('epochs') && `${value('epochs')} epochs`,
    value('batchSize') && `batches of ${value('batchSize')}`,
    value('optimizer'),
    value('learningRate') && `learning rate ${value('learningRate')}`,
    value('encoderLearningRate') && `of the encoder ${value('encoderLearningRate')}`,
    value('weightDecay') && `weight decay ${value('weightDecay')}`,
    value('schedule') && `schedule ${value('schedule')}`,
    `loss ${loss}`,
  ].filter(Boolean);
  return `Training: ${parts.join(', ')}.`;
}

function choiceText(runs: readonly RunRecord[]): string {
  if (runs.every(({ curve }) => curve.length === 0)) return '';
  const patience = valuesOf(runs, 'patience');
  const early = patience === undefined ? '' : ` Training stops after ${patience} validations without gain.`;
  return `The epoch with the best validation ${alternatives(distinct(runs, validationScoreOf))} is evaluated.${early}`;
}

function searchText(trials: readonly RunRecord[]): string {
  if (trials.length === 0) return '';
  const searches = new Set(
    trials.map((trial) => {
      const { dataset, encoder, decoder, mode } = trial.definition;
      return canonicalJson([armOfTrial(trial), dataset, encoder, decoder, mode]);
    }),
  ).size;
  return `Settings were chosen on the validation split by ${counted(searches, 'search', 'searches')} with ${counted(trials.length, 'trial')} in all.`;
}

const evaluationText = (view: DatasetView): string =>
  `Evaluation: ${view.metric} on ${listed(view.splits.map(({ name }) => name))}, ${evaluationName(view, view.evaluation)}.`;

function seedText(runs: readonly RunRecord[]): string {
  const seeds = [...new Set(runs.map(({ definition }) => definition.seed!))].sort((a, b) => a - b);
  return `${counted(seeds.length, 'seed')} (${seeds.join(', ')}), ${counted(runs.length, 'run')}.`;
}

const statisticsText = (view: DatasetView): string =>
  view.trained.some(({ runs }) => runs.length > 1)
    ? 'Scores are means over seeds with 95 % intervals by Student’s t; differences are paired by seed and not corrected for their number.'
    : 'One run an arm: no intervals.';

function modeText(runs: readonly RunRecord[], plan: StoredPlan | undefined): string {
  const modes = distinct(runs, ({ definition }) => definition.mode).join(' and ');
  const source = plan?.study.source;
  const versions = distinct(runs, ({ versions: { gondwana }, engine }) =>
    [gondwana && `gondwana ${gondwana}`, engine.name, engine.library].filter(Boolean).join(', '),
  );
  return `Mode ${modes}${source ? `, after ${source}` : ''}. Computed with ${listed(versions)}.`;
}
