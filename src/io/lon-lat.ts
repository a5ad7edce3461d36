/** Longitude and latitude, degrees, of a place in another coordinate system; null where it has none. */
export type ToLonLat = (x: number, y: number) => [longitude: number, latitude: number] | null;

/** Projections by EPSG code, as far as datasets of the field use them; zones of UTM are counted out. */
const PROJECTIONS: ReadonlyMap<number, string> = new Map([
  [4326, '+proj=longlat +datum=WGS84'],
  [4258, '+proj=longlat +ellps=GRS80'],
  [4269, '+proj=longlat +datum=NAD83'],
  [3857, '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null'],
  [3395, '+proj=merc +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m'],
  [2154, '+proj=lcc +lat_1=49 +lat_2=44 +lat_0=46.5 +lon_0=3 +x_0=700000 +y_0=6600000 +ellps=GRS80 +units=m'],
  [2193, '+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80 +units=m'],
  [3035, '+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m'],
  [5070, '+proj=aea +lat_1=29.5 +lat_2=45.5 +lat_0=23 +lon_0=-96 +x_0=0 +y_0=0 +datum=NAD83 +units=m'],
  [3031, '+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m'],
  [3413, '+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m'],
  [6933, '+proj=cea +lat_ts=30 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m'],
]);

function projectionOf(epsg: number): string | undefined {
  const known = PROJECTIONS.get(epsg);
  if (known !== undefined) return known;
  const utm = (zone: number, rest: string): string => `+proj=utm +zone=${zone} ${rest} +units=m`;
  const within = (first: number, last: number): number | undefined =>
    epsg >= first && epsg <= last ? epsg - first + 1 : undefined;
  const north = within(32601, 32660);
  if (north !== undefined) return utm(north, '+datum=WGS84');
  const south = within(32701, 32760);
  if (south !== undefined) return utm(south, '+south +datum=WGS84');
  const american = within(26901, 26923);
  if (american !== undefined) return utm(american, '+datum=NAD83');
  const european = within(25828, 25838);
  return european === undefined ? undefined : utm(european + 27, '+ellps=GRS80');
}

/** Longest text that is read as WKT: others are no coordinate system. */
const MAX_WKT = 20_000;

/**
 * How places of a coordinate system become longitude and latitude.
 * @param crs `EPSG:n`, or WKT
 * @returns undefined for one that is not known
 */
export async function toLonLat(crs: string): Promise<ToLonLat | undefined> {
  const [, code] = /^EPSG:(\d+)$/i.exec(crs) ?? [];
  const definition = code === undefined ? wktOf(crs) : projectionOf(Number(code));
  if (definition === undefined) return undefined;
  try {
    const { default: proj4 } = await import('proj4');
    const forward = proj4(definition, PROJECTIONS.get(4326)!).forward as (place: number[]) => number[];
    return (x, y) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return null; // proj4 throws
      const [longitude = NaN, latitude = NaN] = forward([x, y]);
      const isOnEarth = Math.abs(longitude) <= 360 && Math.abs(latitude) <= 90;
      return isOnEarth ? [((longitude + 540) % 360) - 180, latitude] : null;
    };
  } catch {
    return undefined; // WKT of a kind that is not known
  }
}

const wktOf = (text: string): string | undefined =>
  /^\s*(?:PROJCS|GEOGCS|PROJCRS|GEOGCRS|BOUNDCRS|COMPD_?CS)\s*\[/i.test(text) && text.length <= MAX_WKT
    ? text
    : undefined;

/** Of the ellipsoid of WGS 84: half of its long axis in metres, and the square of its eccentricity. */
const [LONG_AXIS_M, ECCENTRICITY_SQUARED] = [6_378_137, 6.694379990141e-3];
const RADIANS = Math.PI / 180;

/** Metres between two places, degrees, that lie so near to each other that the Earth is flat there. */
export function metresBetween(
  [fromLongitude, fromLatitude]: readonly [number, number],
  [toLongitude, toLatitude]: readonly [number, number],
): number {
  const latitude = ((fromLatitude + toLatitude) / 2) * RADIANS;
  const flattened = 1 - ECCENTRICITY_SQUARED * Math.sin(latitude) ** 2;
  const acrossM = (LONG_AXIS_M / Math.sqrt(flattened)) * Math.cos(latitude);
  const upM = (LONG_AXIS_M * (1 - ECCENTRICITY_SQUARED)) / flattened ** 1.5;
  // the shorter way round
  const turn = ((((toLongitude - fromLongitude + 180) % 360) + 360) % 360) - 180;
  return Math.hypot(turn * RADIANS * acrossM, (toLatitude - fromLatitude) * RADIANS * upM);
}
