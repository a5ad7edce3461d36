import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ChartSpec } from '../../display/chart-output.js';
import type { DatasetPlaces, SamplePlace } from '../../datasets/places/dataset-places.js';
import { AVAILABLE, MAXIMUM_ROWS, toSpec } from './chart.js';

const require = createRequire(import.meta.url);

/** Degrees from side to side at least: a single place is seen with its country. */
const LEAST_SPAN = 36;
/** Degrees from which on the whole Earth is shown, and latitude beyond which Mercator's map swells. */
const [WHOLE_SPAN, MAXIMUM_LATITUDE] = [170, 82];
const HEIGHT = 300;

/**
 * A map of where the samples of a dataset lie: land (Natural Earth, 1 : 110 million) and a graticule, one dot a sample,
 * coloured by split. The map shows the part of the Earth that holds all places.
 */
export function placesChart(found: DatasetPlaces): ChartSpec {
  const places = thinned(found.places);
  const splits = [...new Set(places.map(({ split }) => split))];
  const view = viewOf(places);
  const dots = places.map(({ sample, split, longitude, latitude }) => ({
    sample,
    split,
    longitude: round(longitude),
    latitude: round(latitude),
  }));
  const land = { type: 'topojson', feature: 'land' };
  const body = {
    height: HEIGHT,
    projection: view ?? { type: 'equalEarth' },
    layer: [
      { data: { sphere: true }, mark: { type: 'geoshape', fill: 'rgba(120,160,200,.14)', clip: true } },
      {
        data: { graticule: { step: view ? [5, 5] : [30, 30] } },
        mark: {
          type: 'geoshape',
          filled: false,
          stroke: 'rgba(128,128,128,.35)',
          strokeWidth: 0.6,
          clip: true,
        },
      },
      {
        data: { values: worldAtlas(), format: land },
        mark: {
          type: 'geoshape',
          fill: 'rgba(128,128,128,.28)',
          stroke: 'rgba(128,128,128,.7)',
          strokeWidth: 0.5,
          clip: true,
        },
      },
      {
        data: { values: dots },
        mark: { type: 'circle', size: places.length > 500 ? 16 : 42, opacity: 0.75, clip: true },
        encoding: {
          longitude: { field: 'longitude', type: 'quantitative' },
          latitude: { field: 'latitude', type: 'quantitative' },
          color: { field: 'split', type: 'nominal', scale: { domain: splits }, legend: { title: 'split' } },
          tooltip: ['sample', 'split', 'longitude', 'latitude'].map((field) => ({ field })),
        },
      },
    ],
  };
  const notes = [
    ...(found.without > 0 ? [`${found.without} of ${found.looked} samples say no place.`] : []),
    ...(places.length < found.places.length
      ? [`Every ${Math.ceil(found.places.length / MAXIMUM_ROWS)}th place is drawn.`]
      : []),
    ...(found.unknownCrs.length > 0 ? [`Not known: ${found.unknownCrs.join(', ')}.`] : []),
  ];
  return toSpec({
    title: 'Where the samples lie',
    context: `${found.dataset}, ${found.places.length} samples`,
    notes,
    description: `Map of ${found.places.length} samples of ${found.dataset} by split: ${splits.join(', ')}.`,
    body,
  });
}

/** The part of the Earth that holds all places, by Mercator; undefined: all of it. */
function viewOf(places: readonly SamplePlace[]): object | undefined {
  if (places.length === 0) return undefined;
  const latitudes = places.map(({ latitude }) => latitude);
  const south = latitudes.reduce((a, b) => Math.min(a, b));
  const north = latitudes.reduce((a, b) => Math.max(a, b));
  const { middle, span } = longitudeRange(places.map(({ longitude }) => longitude));
  if (span > WHOLE_SPAN || north > MAXIMUM_LATITUDE || south < -MAXIMUM_LATITUDE) return undefined;
  const room = (degrees: number): number => Math.max(LEAST_SPAN, degrees * 1.25);
  const [top, bottom] = [mercator(north), mercator(south)];
  const across = (room(span) * Math.PI) / 180;
  const down = Math.max((top - bottom) * 1.25, (LEAST_SPAN * Math.PI) / 360);
  return {
    type: 'mercator',
    center: [0, round(latitudeOf((top + bottom) / 2))],
    rotate: [-round(middle), 0, 0],
    scale: { expr: `min(${AVAILABLE} / ${across.toFixed(5)}, ${HEIGHT} / ${down.toFixed(5)})` },
    translate: { expr: `[width / 2, ${HEIGHT / 2}]` },
  };
}

/** Of the shortest arc that holds all longitudes: it is what the widest gap between them leaves. */
function longitudeRange(longitudes: readonly number[]): { middle: number; span: number } {
  const sorted = longitudes.toSorted((a, b) => a - b);
  let [widest, after] = [360 - (sorted.at(-1)! - sorted[0]!), 0];
  for (let place = 1; place < sorted.length; place++) {
    const gap = sorted[place]! - sorted[place - 1]!;
    if (gap > widest) [widest, after] = [gap, place];
  }
  const span = 360 - widest;
  const middle = sorted[after]! + span / 2;
  return { span, middle: middle > 180 ? middle - 360 : middle };
}

const mercator = (latitude: number): number => Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
const latitudeOf = (y: number): number => (360 / Math.PI) * Math.atan(Math.exp(y)) - 90;

let atlas: unknown;
const worldAtlas = (): unknown =>
  (atlas ??= JSON.parse(readFileSync(require.resolve('world-atlas/land-110m.json'), 'utf8')));

const thinned = (places: readonly SamplePlace[]): readonly SamplePlace[] => {
  const step = Math.ceil(places.length / MAXIMUM_ROWS);
  return places.filter((_, index) => index % step === 0);
};

const round = (degrees: number): number => Math.round(degrees * 1e4) / 1e4;
