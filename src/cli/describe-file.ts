import { tableText } from '../display/table.js';
import type { BandDescription, Fact, FileDescription } from '../io/inspect/description.js';
import { facts } from './facts.js';

/** Names of statistics as a table shows them, in order. */
const COLUMNS: readonly (keyof BandDescription)[] = [
  'name',
  'unit',
  'count',
  'hidden',
  'nanCount',
  'infCount',
  'mean',
  'std',
  'min',
  'max',
  'scale',
  'offset',
];

/** A description for a person: facts, a table of bands, the parts as a tree or a table, notes. */
export function descriptionText(file: string, description: FileDescription): string {
  const blocks = [
    facts({ file, ...lines({ kind: description.kind, ...description.facts }) }),
    bandsText(description),
    partsText(description.parts ?? []),
    (description.notes ?? []).map((note) => `note: ${note}`).join('\n'),
  ];
  return blocks.filter(Boolean).join('\n\n');
}

/** Facts as lines: lists of lists and records take a line for each member. */
function lines(values: Readonly<Record<string, Fact>>): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [spaced(name), factLines(value)] as const),
  );
}

/** `areaOrPoint` → `area or point` */
const spaced = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

function factLines(value: Fact): string | readonly string[] {
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([name, fact]) => `${name}: ${inline(fact)}`);
    return entries.length > 0 ? entries : 'none';
  }
  return inline(value);
}

const isRecord = (value: Fact): value is { readonly [name: string]: Fact } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function inline(value: Fact): string {
  if (value === null) return 'none';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : `[${value.map((item) => inline(item as Fact)).join(', ')}]`;
  if (isRecord(value)) return JSON.stringify(value);
  return String(value).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

function bandsText({ bands = [] }: FileDescription): string {
  if (bands.length === 0) return '';
  const columns = COLUMNS.filter((column) => {
    const values = bands.map((band) => band[column]);
    const isCount = column === 'nanCount' || column === 'infCount';
    return values.some((value) => value !== undefined && value !== null && !(isCount && value === 0));
  });
  return tableText(bands, { columns });
}

/** Parts as lines, those inside of others further in; parts of numbers with their statistics. */
function partsText(parts: readonly FileDescription[], indent = ''): string {
  return parts
    .map((part) => {
      const said = Object.entries(part.facts).map(([name, value]) => `${spaced(name)} ${inline(value)}`);
      const head = `${indent}${part.name ?? part.kind}  ${[part.name === undefined ? '' : part.kind, ...said].filter(Boolean).join(', ')}`;
      const more = [
        ...(part.bands ?? []).map((band) => `${indent}  ${statisticsText(band)}`),
        ...(part.notes ?? []).map((note) => `${indent}  note: ${note}`),
        partsText(part.parts ?? [], `${indent}  `),
      ];
      return [head, ...more].filter(Boolean).join('\n');
    })
    .join('\n');
}

function statisticsText(band: BandDescription): string {
  const { count, nanCount, mean, std, min, max } = band;
  if (count === undefined) return '';
  const number = (value: number | null | undefined): string =>
    typeof value !== 'number'
      ? 'none'
      : String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  const nan = nanCount ? `, ${nanCount} NaN` : '';
  return `${count} values${nan}: ${number(min)} to ${number(max)}, mean ${number(mean)}, std ${number(std)}`;
}
