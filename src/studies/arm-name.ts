import { canonicalJson } from '../results/canonical-json.js';
import type { JsonValue, RunDefinition, Settings } from '../results/run-record.js';

/**
 * Of the settings that a study writes for its arms, those that have more than one value over all of them.
 * @param written what each arm sets; @param resolved all settings of each arm, in the same order
 */
export function variedSettings(written: readonly Settings[], resolved: readonly Settings[]): string[] {
  const names = [...new Set(written.flatMap((arm) => Object.keys(arm)))];
  return names.filter(
    (name) => new Set(resolved.map((settings) => canonicalJson(settings[name] ?? null))).size > 1,
  );
}

/** `{ layout: 'terratorch', hidden: [64, 32] }` → `layout terratorch, hidden 64 + 32` */
export function valueWords(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueWords).join(' + ') : 'none';
  const words = Object.entries(value).map(([name, of]) => `${name} ${valueWords(of)}`);
  return words.join(', ') || 'default';
}

function axisWords(name: string, value: JsonValue): string {
  if (name !== 'decoderOptions') return `${name} ${valueWords(value)}`;
  return value === null ? 'decoder as it is' : valueWords(value);
}

/**
 * The short name of an arm: what differs between arms, in words where there are some.
 * `{ encoderMode: 'fine-tuned', encoderWeights: 'random', normalization: 'z-score' }` → `from scratch, z-score`
 */
export function armName(
  {
    dataset,
    encoder,
    decoder,
    settings,
  }: Pick<RunDefinition, 'dataset' | 'encoder' | 'decoder' | 'settings'>,
  varied: readonly string[],
  many: { readonly dataset: boolean; readonly encoder: boolean; readonly decoder: boolean },
): string {
  const parts = [
    ...(many.dataset ? [dataset] : []),
    ...(many.encoder ? [encoder] : []),
    ...(many.decoder ? [decoder] : []),
  ];
  if (varied.includes('encoderMode') || varied.includes('encoderWeights')) parts.push(encoderWords(settings));
  if (varied.includes('normalization')) {
    parts.push(settings.normalization === 'none' ? 'not normalised' : String(settings.normalization));
  }
  const worded = ['encoderMode', 'encoderWeights', 'normalization'];
  for (const name of varied.filter((axis) => !worded.includes(axis)))
    parts.push(axisWords(name, settings[name] ?? null));
  return parts.join(', ') || encoder;
}

function encoderWords({ encoderMode, encoderWeights }: RunDefinition['settings']): string {
  if (encoderWeights === 'random') return encoderMode === 'frozen' ? 'frozen random' : 'from scratch';
  return String(encoderMode);
}
