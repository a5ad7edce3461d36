import { InputError, nearest } from '../../errors.js';

const MARKS = [
  ...['arc', 'area', 'bar', 'circle', 'geoshape', 'image', 'line', 'point', 'rect', 'rule', 'square', 'text'],
  ...['tick', 'trail', 'boxplot', 'errorband', 'errorbar'],
];

/**
 * Vega-Lite fails inside itself at a mark it does not know.
 * @throws InputError CHART_SPEC, with the nearest mark
 */
export function checkMarks(spec: unknown, place = 'mark'): void {
  if (typeof spec !== 'object' || spec === null) return;
  const { mark, spec: inner, ...parts } = spec as Readonly<Record<string, unknown>>;
  const type = typeof mark === 'object' && mark !== null ? (mark as { type?: unknown }).type : mark;
  if (typeof type === 'string' && !MARKS.includes(type)) {
    const guess = nearest(type, MARKS);
    throw new InputError('CHART_SPEC', `The chart cannot be drawn: there is no mark "${type}".`, {
      where: place,
      hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}Known: ${MARKS.join(', ')}.`,
    });
  }
  checkMarks(inner, `spec.${place}`);
  for (const name of ['layer', 'concat', 'hconcat', 'vconcat']) {
    const list = parts[name];
    if (!Array.isArray(list)) continue;
    for (const [index, part] of list.entries()) checkMarks(part, `${name}[${index}].mark`);
  }
}
