/** A time series whose dates and bands are stacked in one image. */
export interface BandSeries {
  /** `YYYY-MM-DD`, in the order of the file. */
  readonly dates: readonly string[];
  readonly bands: readonly string[];
  /** Place of each band in the file: [date][band]. */
  readonly places: readonly (readonly number[])[];
}

const NAME =
  /^(?:(?<first>\d{4}-\d{2}-\d{2})[ _.:-]+(?<band>.+)|(?<name>.+?)[ _.:-]+(?<last>\d{4}-\d{2}-\d{2}))$/;

/**
 * Dates and bands from names such as `2019-03-01_B2` or `B2_2019-03-01`, whichever of the two changes faster.
 * @returns null where a name has no date, or where a date lacks a band that another has
 */
export function bandSeries(names: readonly (string | null)[]): BandSeries | null {
  const places = new Map<string, Map<string, number>>();
  const bands = new Set<string>();
  for (const [place, name] of names.entries()) {
    const parts = NAME.exec(name ?? '')?.groups;
    const date = parts?.first ?? parts?.last;
    const band = parts?.band ?? parts?.name;
    if (date === undefined || band === undefined) return null;
    const ofDate = places.get(date) ?? new Map<string, number>();
    if (ofDate.has(band)) return null;
    places.set(date, ofDate.set(band, place));
    bands.add(band);
  }
  if (places.size === 0 || [...places.values()].some((ofDate) => ofDate.size !== bands.size)) return null;
  return {
    dates: [...places.keys()],
    bands: [...bands],
    places: [...places.values()].map((ofDate) => [...bands].map((band) => ofDate.get(band)!)),
  };
}
