import { InputError } from '../../errors.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';

const ROOT = 'v1.1/data/flood_events/HandLabeled';
/** What the reference dates an event that its metadata does not name exactly once. */
const DUMMY_DATE = '1998/10/13';

/**
 * Sen1Floods11: flood water, 512 × 512 px, 13 Sentinel-2 bands and 2 Sentinel-1 bands, 10 m.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/sen1floods11.json
 */
export const sen1floods11 = defineDataset('sen1floods11', {
  /** In the order of the lists: Sentinel-1 file and label file a line; the Sentinel-2 file shares their stem. */
  async entries(split, io) {
    const list = `v1.1/splits/flood_handlabeled/flood_${split === 'val' ? 'valid' : split}_data.csv`;
    const lines = await io.lines(list);
    const datesOfEvent = await readDates(io);
    return lines.map((line): Chip => {
      const [sar = '', mask = ''] = line.split(',').map((name) => name.trim());
      if (sar.endsWith('_S1Hand.tif') && mask !== '') {
        const [event = ''] = sar.split('_');
        const dates = datesOfEvent.get(event) ?? null;
        return { id: sar.slice(0, -'_S1Hand.tif'.length), sar, mask, event, dates };
      }
      throw new InputError('SPLIT_LIST', `"${line.slice(0, 80)}" names no chip.`, {
        where: io.path(list),
        hint: 'A line reads <event>_<chip>_S1Hand.tif,<event>_<chip>_LabelHand.tif: restore the list of the release.',
      });
    });
  },

  /**
   * optical [time = 1, height, width, band = 13], top-of-atmosphere reflectance × 10 000; sar [time = 1, height, width,
   * band = 2], dB, NaN masked; target [height, width], −1 = cloud or missing.
   */
  async read({ sar, mask, event, dates }, io) {
    const optical = await io.raster(`${ROOT}/S2Hand/${sar.replaceAll('S1Hand', 'S2Hand')}`, 'optical');
    const radar = await io.raster(`${ROOT}/S1Hand/${sar}`, 'sar');
    return {
      images: {
        optical: { ...optical, dates: [isoDate(dates?.optical)] },
        sar: { ...radar, dates: [isoDate(dates?.sar)] },
      },
      target: await io.labels(`${ROOT}/LabelHand/${mask}`),
      facts: { event, dates: statedDates(dates, io.isOn('dummy-date')) },
    };
  },
});

interface Chip {
  readonly id: string;
  readonly sar: string;
  readonly mask: string;
  readonly event: string;
  readonly dates: EventDates | null;
}

/** As stored: `YYYY/MM/DD`. */
interface EventDates {
  readonly optical: string;
  readonly sar: string;
}

interface Metadata {
  readonly features?: readonly {
    readonly properties?: {
      readonly location?: string;
      readonly s1_date?: string;
      readonly s2_date?: string;
    };
  }[];
}

/** Dates of the events that the metadata names exactly once; none where it is missing. */
async function readDates(io: DatasetIo): Promise<ReadonlyMap<string, EventDates>> {
  const file = 'v1.1/Sen1Floods11_Metadata.geojson';
  if (!io.exists(file)) return new Map();
  const { features = [] } = (await io.json(file)) as Metadata;
  const dates = new Map<string, EventDates>();
  const seen = new Set<string>();
  for (const { properties } of features) {
    const { location, s1_date: sar, s2_date: optical } = properties ?? {};
    if (location === undefined) continue;
    if (!seen.has(location) && sar && optical) dates.set(location, { optical, sar });
    else dates.delete(location);
    seen.add(location);
  }
  return dates;
}

/** Dates as stored, and [year, day of the year from 0, hour] as the reference hands it on. */
function statedDates(dates: EventDates | null, isDummyUsed: boolean): Record<string, unknown> {
  const optical = dates?.optical ?? (isDummyUsed ? DUMMY_DATE : null);
  return {
    s1: dates?.sar ?? null,
    s2: optical,
    timestamp_year_doy0_hour: optical === null ? null : [...yearAndDay(optical), 0],
  };
}

function yearAndDay(stored: string): [year: number, dayOfYear: number] {
  const [year = 0, month = 0, day = 0] = stored.split('/').map(Number);
  return [year, (Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / 86_400_000];
}

const isoDate = (stored: string | undefined): string | null => stored?.replaceAll('/', '-') ?? null;
