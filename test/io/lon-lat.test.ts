import { describe, expect, it } from 'vitest';
import { toLonLat } from '../../src/io/lon-lat.js';

/** Origins of projections and the like, which their definitions give; degrees. */
const KNOWN: readonly (readonly [crs: string, x: number, y: number, longitude: number, latitude: number])[] =
  [
    ['EPSG:4326', 11.5, 48.1, 11.5, 48.1],
    ['EPSG:32631', 500_000, 0, 3, 0], // central meridian of zone 31 at the equator
    ['EPSG:32733', 500_000, 10_000_000, 15, 0], // the same of zone 33 in the south
    ['EPSG:25832', 500_000, 0, 9, 0],
    ['EPSG:26918', 500_000, 0, -75, 0],
    ['EPSG:3857', 20_037_508.342789244, 0, 180, 0],
    ['EPSG:2154', 700_000, 6_600_000, 3, 46.5], // origin of Lambert-93
    ['EPSG:2193', 1_600_000, 10_000_000, 173, 0],
    ['EPSG:3035', 4_321_000, 3_210_000, 10, 52],
  ];

describe('places in other coordinate systems', () => {
  it.each(KNOWN)('become longitude and latitude: %s', async (crs, x, y, longitude, latitude) => {
    const [found, other] = (await toLonLat(crs))!(x, y)!;
    // the origins are exact by definition; 1e-7 degrees are a centimetre
    expect(Math.abs(Math.abs(found - longitude) % 360)).toBeLessThan(1e-7);
    expect(other).toBeCloseTo(latitude, 7);
  });

  it('are read of WKT too', async () => {
    const wkt =
      'PROJCS["WGS 84 / UTM zone 10N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-123],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]';
    const [longitude, latitude] = (await toLonLat(wkt))!(500_000, 5_000_000)!;
    expect(longitude).toBeCloseTo(-123, 7);
    const [, byCode] = (await toLonLat('EPSG:32610'))!(500_000, 5_000_000)!;
    expect(latitude).toBeCloseTo(byCode, 9);
  });

  it('are none where the system is not known, or the place not on the Earth', async () => {
    expect(await toLonLat('EPSG:99999')).toBeUndefined();
    expect(await toLonLat('a name of a file')).toBeUndefined();
    expect(await toLonLat('PROJCS[damaged')).toBeUndefined();
    expect((await toLonLat('EPSG:32631'))!(NaN, 0)).toBeNull();
  });
});
