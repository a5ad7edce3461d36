import { findEncoderModalities } from './used-modalities.js';
import type { PublishedManifest } from '../manifests/published-manifest.js';
import { completeProtocol, protocolProblem, readProtocolManifest } from '../manifests/protocol-manifest.js';
import { isOfImages } from '../results/main-score.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { JsonValue, RunRecord, Settings } from '../results/run-record.js';
import { armScores, type OwnArm, type ScorePlace } from './own-arms.js';
import type { PublishedCell } from './published-cells.js';

/** What a published score and an arm differ by. */
export interface Differences {
  /** In words, the gravest first; many settings are counted. Empty where they are alike. */
  readonly reasons: readonly string[];
  /** How many there are, each setting for itself. */
  readonly count: number;
}

/**
 * Why runs of the same encoder on the same dataset are not like a published score: all reasons, the gravest first; none:
 * they are. Mode, faults, decoder, every setting that the table states and every other one of the paper's protocol must
 * be the same, and the runs must have the score.
 */
export function differences(cell: PublishedCell, arm: OwnArm, paper: PublishedManifest): Differences {
  const record = arm.records[0]!;
  const { mode, faults, encoder, decoder, settings } = record.definition;
  const reasons: string[] = [];
  if (mode !== paper.mode) reasons.push(`mode is ${mode}, the paper's numbers are ${paper.mode}`);
  const repaired = Object.entries(faults ?? {}).filter(([, isOn]) => !isOn);
  if (mode === paper.mode && repaired.length > 0)
    reasons.push(`faults are switched off: ${repaired.map(([id]) => id).join(', ')}`);
  if (decoder !== cell.decoder) reasons.push(`decoder is ${decoder}, not ${cell.decoder}`);
  if (cell.search !== null) reasons.push(`what the search over ${cell.search} found is not printed`);
  if (settings.encoderWeights === 'random' && !FROM_SCRATCH.has(encoder))
    reasons.push('the encoder starts from random weights');
  const settingLines = settingReasons(cell, arm, paper);
  reasons.push(...shortened(settingLines));
  const where = ownPlace(cell);
  if (armScores(arm, where).length === 0) reasons.push(`no ${placeWords(where)}`);
  return { reasons, count: reasons.length - shortened(settingLines).length + settingLines.length };
}

const placeWords = ({ metric, class: className, split, place }: ScorePlace): string =>
  [metric, className && `of class ${className}`, `on split ${split}`, place !== 'all' && `in ${place}`]
    .filter(Boolean)
    .join(' ');

/** In runs as published precision and recall are exchanged as in PANGAEA's tables, so that they are found by the printed name. */
const EXCHANGED: Readonly<Record<string, string>> = {
  mPrecision: 'mRecall',
  mRecall: 'mPrecision',
  precision: 'recall',
  recall: 'precision',
};

/** Where a run as published keeps the number that a cell has. */
export const ownPlace = ({ split, place, metric, class: className, printed }: PublishedCell): ScorePlace => ({
  split,
  place,
  metric: printed === null ? metric : (EXCHANGED[metric] ?? metric),
  class: className,
});

/** A record from before a setting came ran with what is its default. */
function completed(settings: Settings, paper: PublishedManifest): Settings {
  const names = Object.keys(readProtocolManifest(paper.protocol).settings);
  const known = Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
  return protocolProblem(known) === undefined ? { ...settings, ...completeProtocol(known) } : settings;
}

/** Settings with one line each. */
function settingReasons(cell: PublishedCell, arm: OwnArm, paper: PublishedManifest): string[] {
  const record = arm.records[0]!;
  const expected = expectedSettings(cell, paper, record);
  const settings = completed(record.definition.settings, paper);
  return Object.entries(expected)
    .filter(([name, value]) => canonicalJson(settings[name] ?? null) !== canonicalJson(value))
    .filter(([name, value]) => !(name === 'modalities' && usesModalities(record, value)))
    .map(([name, value]) => `${name} is ${words(settings[name])}, not ${words(value)}`);
}

const LINES = 6;

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length <= LINES ? lines : [...lines.slice(0, LINES), `and ${lines.length - LINES} more settings`];

/** Encoders that the papers train from the start. */
const FROM_SCRATCH = new Set(['unet', 'vit-b16-scratch', 'utae']);

/** `all` of an encoder that takes optical images alone is `optical`. */
const usesModalities = (
  { definition: { settings, dataset, encoder } }: RunRecord,
  wanted: JsonValue,
): boolean => settings.modalities === 'all' && findEncoderModalities(dataset, encoder) === wanted;

/**
 * What a run must have been set to: what the table states, over the paper's protocol without what it searches for. What
 * only runs as published are set to says no more than that the mode is another.
 */
function expectedSettings(
  cell: PublishedCell,
  paper: PublishedManifest,
  record: RunRecord,
): Readonly<Record<string, JsonValue>> {
  const { settings, datasets, asPublished, decoders } = readProtocolManifest(paper.protocol);
  const protocol = completeProtocol({
    ...settings,
    ...datasets[cell.dataset],
    ...asPublished,
    decoderOptions: decoders[cell.decoder] ?? {},
  });
  const skipped = new Set([
    ...paper.searched,
    ...(cell.search === null ? [] : ['learningRate']),
    ...SAME_NUMBERS,
    ...(isOfImages(record) ? OF_PIXELS : []),
    ...(record.definition.mode === paper.mode ? [] : Object.keys(asPublished)),
  ]);
  const known = Object.entries(protocol).filter(([name]) => !skipped.has(name));
  return { ...Object.fromEntries(known), ...cell.settings };
}

/** Settings that change time and memory alone. */
const SAME_NUMBERS = ['checkpointBlocks'];
/** Settings that mean nothing where an image has one answer. */
const OF_PIXELS = ['evaluation', 'wholeImages', 'windowStride'];

const words = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value || 'empty' : JSON.stringify(value ?? null);
