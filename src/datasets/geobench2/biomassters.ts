import { defineTortilla } from './define.js';
import { missingRow, type Row } from './container.js';
import { valuesOf } from './targets.js';

/**
 * BioMassters: above-ground biomass a pixel; Sentinel-1 of twelve months and Sentinel-2 of those without too many clouds.
 * Bands, splits, known faults: data-manifests/datasets/gb2-biomassters.json
 */
export const biomassters = defineTortilla('gb2-biomassters', {
  /** Rows are called `<chip>_S1_<month>`, September first; a month without an image has no row. */
  rowsOf: () => (modality, rows) => rows.filter((row) => sensorOf(row) === modality.toUpperCase()),
  target: ({ rows, where }) => {
    const row = rows.find((candidate) => sensorOf(candidate) === 'AGBM');
    if (!row) throw missingRow('row "…_AGBM"', rows, where);
    return valuesOf(row);
  },
  facts: ({ rows }, images) => ({
    steps: Object.fromEntries(Object.entries(images).map(([name, { timeCount }]) => [name, timeCount])),
    months: Object.fromEntries(
      Object.keys(images).map((name) => [
        name,
        rows.filter((row) => sensorOf(row) === name.toUpperCase()).map(monthOf),
      ]),
    ),
  }),
});

const sensorOf = ({ id, columns }: Row): string | undefined => {
  const { modality } = columns;
  return typeof modality === 'string' ? modality : /_(S1|S2|AGBM)(?:_|$)/.exec(id)?.[1];
};

const monthOf = ({ id, columns }: Row): string | null => {
  const { month } = columns;
  return typeof month === 'string' ? month : (/_([A-Z][a-z]+)$/.exec(id)?.[1] ?? null);
};
