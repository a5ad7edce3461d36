import { defineTortilla, type Images } from './define.js';
import { missingRow, type Row } from './container.js';
import { maskPixels } from './mask-pixels.js';
import { valuesOf } from './targets.js';
import { takeSteps } from '../take-steps.js';
import { firstPlaces, wantedSteps } from './time-steps.js';

/**
 * BioMassters: above-ground biomass a pixel; Sentinel-1 of twelve months and Sentinel-2 of those without too many clouds.
 * Bands, splits, known faults: data-manifests/datasets/gb2-biomassters.json
 */
export const biomassters = defineTortilla('gb2-biomassters', {
  /** Rows are called `<chip>_S1_<month>`, September first; a month without an image has no row. */
  rowsOf: () => (modality, rows) => rows.filter((row) => sensorOf(row) === modality.toUpperCase()),
  images: (images, { rows }, io) => {
    const wanted = wantedSteps(io);
    const chosen = Object.entries(images).map(([name, image]) => {
      if (wanted === null) return [name, image];
      const months = monthsOf(name, rows);
      const isFirst = io.isOn('unmatched-dates');
      return [name, takeSteps(image, isFirst ? firstPlaces(months.length, wanted) : matched(months, wanted))];
    });
    const taken = Object.fromEntries(chosen) as Images;
    return io.isOn('invalid-filled') ? maskedByRadar(taken) : taken;
  },
  target: ({ rows, where }) => {
    const row = rows.find((candidate) => sensorOf(candidate) === 'AGBM');
    if (!row) throw missingRow('row "…_AGBM"', rows, where);
    return valuesOf(row);
  },
  facts: ({ rows }) => ({
    steps: { s1: monthsOf('s1', rows).length, s2: monthsOf('s2', rows).length },
    months: { s1: monthsOf('s1', rows), s2: monthsOf('s2', rows) },
  }),
});

const MONTHS = 'September October November December January February March April May June July August'.split(
  ' ',
);

/** The same months for both sensors, from September on; null where there is no image. */
const matched = (months: readonly (string | null)[], wanted: number): (number | null)[] =>
  MONTHS.slice(0, wanted).map((month) => {
    const place = months.indexOf(month);
    return place < 0 ? null : place;
  });

/** The reference counts no pixel of a step, of either sensor, where any radar band has no value. */
function maskedByRadar(images: Images): Images {
  const { s1, s2 } = images;
  if (!s1?.valid) return images;
  const bandCount = s1.bands.length;
  const counts = new Uint8Array(s1.data.length / bandCount).fill(1);
  for (let at = 0; at < s1.valid.length; at++) if (s1.valid[at] === 0) counts[Math.floor(at / bandCount)] = 0;
  return { ...images, s1: maskPixels(s1, counts), ...(s2 && { s2: maskPixels(s2, counts) }) };
}

const monthsOf = (modality: string, rows: readonly Row[]): (string | null)[] =>
  rows.filter((row) => sensorOf(row) === modality.toUpperCase()).map(monthOf);

const sensorOf = ({ id, columns }: Row): string | undefined => {
  const { modality } = columns;
  return typeof modality === 'string' ? modality : /_(S1|S2|AGBM)(?:_|$)/.exec(id)?.[1];
};

const monthOf = ({ id, columns }: Row): string | null => {
  const { month } = columns;
  return typeof month === 'string' ? month : (/_([A-Z][a-z]+)$/.exec(id)?.[1] ?? null);
};
