import { describe, expect, it } from 'vitest';
import { bandSeries } from '../../../src/io/geotiff/band-series.js';
import { parseGdalMetadata } from '../../../src/io/geotiff/gdal-metadata.js';
import { nearestOnGrid } from '../../../src/io/geotiff/nearest-grid.js';
import { asPixel, hiddenBy, parseNodata } from '../../../src/io/geotiff/nodata.js';
import { GeoTiffFile } from '../../../src/io/geotiff.js';
import { rasterCase } from '../../support/geotiff-parts.js';
import { writeTiff, type TiffTag } from '../../support/tiff-writer.js';

const size = { height: 2, width: 3, bands: 1 };
/** Header of a small image with these tags. */
function infoWith(...tags: TiffTag[]): GeoTiffFile['info'] {
  const file = GeoTiffFile.open({ name: 'made', bytes: writeTiff(new Uint8Array(6), size, tags) });
  file.close();
  return file.info;
}
const keys = (...entries: number[][]): TiffTag => [34735, 3, [1, 1, 0, entries.length, ...entries.flat()]];

describe('metadata of GDAL', () => {
  it('is read item by item, with what is said about single bands', () => {
    const { items, bands } = parseGdalMetadata(
      `<GDALMetadata>
        <Item name="data">b'a &lt; b &amp;&#x41;&#66; &bogus;'</Item>
        <Item name="EMPTY" />
        <Item name="DESCRIPTION" sample="1" role="description">Grün &gt; Rot</Item>
        <Item name="SCALE" sample="1" role="scale">0.0001</Item>
        <Item name="OFFSET" sample="1" role="offset">-0.2</Item>
        <Item name="UNITTYPE" sample="0" role="unittype">m</Item>
        <Item name="STATISTICS_MEAN" sample="0">7.5</Item>
      </GDALMetadata>`,
    );
    expect([...items]).toEqual([
      ['data', "b'a < b &AB &bogus;'"],
      ['EMPTY', ''],
    ]);
    expect(bands.get(1)).toMatchObject({ name: 'Grün > Rot', scale: 0.0001, offset: -0.2 });
    expect(bands.get(0)).toEqual({ unit: 'm', items: new Map([['STATISTICS_MEAN', '7.5']]) });
  });

  it('that is no XML gives what can be told, in time that grows with its length', () => {
    expect([...parseGdalMetadata('<Item name="a">x').items]).toEqual([]);
    const started = performance.now();
    parseGdalMetadata('<Item '.repeat(300_000));
    parseGdalMetadata('<Item name="a">'.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(3000); // it takes milliseconds; squared it would take hours
  });
});

describe('nodata', () => {
  it.each([
    ['nan', 'float32', NaN],
    ['-NaN', 'float64', NaN],
    ['nan', 'int16', null],
    ['-inf', 'float32', -Infinity],
    ['inf', 'uint8', null],
    ['0', 'uint8', 0],
    [' -9999 \0', 'int16', -9999],
    ['-9999', 'uint8', null],
    ['256', 'uint8', null],
    ['1e2abc', 'uint8', 100],
    ['0.1', 'float32', Math.fround(0.1)],
    ['-1.79769e+308', 'float32', null],
    ['', 'uint8', null],
    ['none', 'uint8', null],
    [undefined, 'uint8', null],
  ] as const)('of the text %j is, for %s, %d', (text, type, due) => {
    expect(parseNodata(text, type)).toBe(due);
  });

  it('that stands for the lowest float hides it, however short its text is', () => {
    const lowest = -3.4028234663852886e38;
    const isHidden = hiddenBy(parseNodata('-3.40282e+38', 'float32'), 'float32');
    expect([isHidden(lowest), isHidden(-3e38), isHidden(0), isHidden(-lowest), isHidden(-Infinity)]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('of the caller is taken as pixels have it', () => {
    expect([asPixel(0.1, 'float32'), asPixel(-1, 'uint16'), asPixel(-1, 'int16')]).toEqual([
      Math.fround(0.1),
      null,
      -1,
    ]);
  });
});

describe('the place on the Earth', () => {
  const scale: TiffTag = [33550, 12, [10, 20, 0]];
  const tie: TiffTag = [33922, 12, [2, 1, 0, 1000, 2000, 0]];

  it('is moved back from a tie point inside the image', () => {
    expect(infoWith(scale, tie).transform).toEqual([10, 0, 980, 0, -20, 2020]);
  });

  it('is half a pixel further out where the tie point is a centre', () => {
    const info = infoWith(scale, tie, keys([1025, 0, 1, 2]));
    expect([info.areaOrPoint, info.transform]).toEqual(['Point', [10, 0, 975, 0, -20, 2030]]);
  });

  it('has no coordinate system, not even a name, without keys of one', () => {
    expect(infoWith(scale, tie, keys([1025, 0, 1, 1])).crs).toBeNull();
  });

  it('names a coordinate system without a code', () => {
    const named: TiffTag = [34737, 2, 'A grid of our own|'];
    const info = infoWith(
      scale,
      tie,
      keys([1024, 0, 1, 1], [1026, 34737, 18, 0], [3072, 0, 1, 32767]),
      named,
    );
    expect(info.crs).toEqual({ epsg: null, name: 'A grid of our own' });
  });

  it('of one tie point without a pixel size is a control point', () => {
    const info = infoWith(tie, keys([1024, 0, 1, 2], [2048, 0, 1, 4326]));
    expect(info).toMatchObject({
      transform: null,
      crs: null,
      controlPoints: [{ row: 1, column: 2, x: 1000, y: 2000 }],
      controlPointCrs: { epsg: 4326 },
    });
  });

  it('is none where the matrix says that a pixel is a metre from nothing', () => {
    const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    expect(infoWith([34264, 12, matrix]).transform).toBeNull();
  });
});

describe('the header', () => {
  it('tells palette, pages, blocks and compression', () => {
    const file = GeoTiffFile.open(rasterCase('palette_labels'));
    expect(file.info.palette!.slice(0, 3)).toEqual([
      [0, 255, 0],
      [20, 246, 40],
      [40, 237, 80],
    ]);
    file.close();
    const tiled = GeoTiffFile.open(rasterCase('deflate_predictor2_i32_planar_tiles'));
    expect(tiled.info).toMatchObject({
      compression: 'Deflate (compression 8)',
      predictor: 2,
      interleave: 'band',
      isTiled: true,
      blockSize: [16, 16],
    });
    tiled.close();
  });

  it('with a chain of pages that overlap, each with thousands of tags, ends at a bound', () => {
    // pages two bytes apart, each reading the same bytes as a directory of many tags
    const bytes = Buffer.alloc(400_000);
    bytes.write('II*\0', 'latin1');
    bytes.writeUInt32LE(8, 4);
    for (let at = 8; at + 2 < bytes.length; at += 2) bytes.writeUInt16LE(0x1001, at);
    const started = performance.now();
    expect(() => GeoTiffFile.open({ name: 'made', bytes })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/BAD_HEADER|TRUNCATED/) as string }) as Error,
    );
    expect(performance.now() - started).toBeLessThan(5000); // the bound of the input cases
  });
});

describe('names of a time series', () => {
  it('give dates and bands, whichever changes faster', () => {
    const names = ['2019-03-01_B2', '2019-03-01_B8', '2019-05-12_B2', '2019-05-12_B8'];
    const due = { dates: ['2019-03-01', '2019-05-12'], bands: ['B2', 'B8'] };
    expect(bandSeries(names)).toEqual({
      ...due,
      places: [
        [0, 1],
        [2, 3],
      ],
    });
    const byBand = ['B2_2019-03-01', 'B2_2019-05-12', 'B8_2019-03-01', 'B8_2019-05-12'];
    expect(bandSeries(byBand)).toEqual({
      ...due,
      places: [
        [0, 2],
        [1, 3],
      ],
    });
  });

  it('are none without dates, with a gap, or with a band twice', () => {
    expect(bandSeries(['B2', 'B3'])).toBeNull();
    expect(bandSeries([null])).toBeNull();
    expect(bandSeries([])).toBeNull();
    expect(bandSeries(['2019-03-01_B2', '2019-03-01_B8', '2019-05-12_B2'])).toBeNull();
    expect(bandSeries(['2019-03-01_B2', '2019-03-01_B2'])).toBeNull();
  });
});

describe('an image on another grid', () => {
  const image = {
    data: Uint8Array.of(1, 2, 3, 4, 5, 6),
    height: 2,
    width: 3,
    bandCount: 1,
    transform: [60, 0, 0, 0, -60, 120] as const,
  };

  it('takes the value under each centre, by place and not by stretching', () => {
    const fine = nearestOnGrid(image, { transform: [20, 0, 40, 0, -20, 120], height: 4, width: 4 }, 0);
    expect([...fine.data]).toEqual([1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 4, 5, 5, 5]);
  });

  it('has the outside value where the image does not reach', () => {
    const shifted = nearestOnGrid(image, { transform: [60, 0, 120, 0, -60, 60], height: 2, width: 2 }, 9);
    expect([...shifted.data]).toEqual([6, 9, 9, 9]);
  });
});

describe('tags that say how the pixels lie', () => {
  /** A small image whose tag has another type. */
  const retyped = (tag: number, type: number): Uint8Array => {
    const bytes = writeTiff(new Uint8Array(6), size);
    for (let at = bytes.readUInt32LE(4) + 2; ; at += 12) {
      if (bytes.readUInt16LE(at) !== tag) continue;
      bytes.writeUInt16LE(type, at + 2);
      return bytes;
    }
  };

  it.each([
    ['an unknown type: without the compression packed bytes would be taken for pixels', 259, 0],
    ['a ratio', 273, 5],
    ['a float', 278, 11],
    ['text', 277, 2],
  ])('are refused as %s', (_, tag, type) => {
    expect(() => GeoTiffFile.open({ name: 'made', bytes: retyped(tag, type) })).toThrowError(
      expect.objectContaining({ code: 'BAD_HEADER', message: expect.stringContaining(`Tag ${tag}`) }),
    );
  });

  it('may have a sign; a place before the start of the file is refused', async () => {
    const file = GeoTiffFile.open({ name: 'made', bytes: retyped(273, 9) });
    expect((await file.read()).data.length).toBe(6);
    const bytes = Buffer.from(retyped(273, 9));
    bytes.writeInt32LE(-1, bytes.indexOf(Buffer.of(0x11, 1, 9, 0)) + 8);
    await expect(GeoTiffFile.open({ name: 'made', bytes }).read()).rejects.toMatchObject({
      code: 'BAD_HEADER',
    });
  });
});
