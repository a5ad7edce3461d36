/** Tags of TIFF and GeoTIFF that are read, by their number. */
export const TAG = {
  subfileType: 254,
  oldSubfileType: 255,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planarConfiguration: 284,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  modelPixelScale: 33550,
  modelTiePoint: 33922,
  modelTransformation: 34264,
  geoKeys: 34735,
  geoDoubles: 34736,
  geoText: 34737,
  gdalMetadata: 42112,
  gdalNodata: 42113,
  lercParameters: 50674,
} as const;

/** Tags that say how the pixels lie: they hold whole numbers, and a page without one of them reads otherwise. */
export const PIXEL_TAGS: ReadonlySet<number> = new Set([
  TAG.subfileType,
  TAG.oldSubfileType,
  TAG.width,
  TAG.height,
  TAG.bitsPerSample,
  TAG.compression,
  TAG.photometric,
  TAG.fillOrder,
  TAG.stripOffsets,
  TAG.samplesPerPixel,
  TAG.rowsPerStrip,
  TAG.stripByteCounts,
  TAG.planarConfiguration,
  TAG.predictor,
  TAG.tileWidth,
  TAG.tileHeight,
  TAG.tileOffsets,
  TAG.tileByteCounts,
  TAG.extraSamples,
  TAG.sampleFormat,
]);

/** The types of whole numbers; those with a sign are written by some programs where none is needed. */
export const WHOLE_TYPES: ReadonlySet<number> = new Set([1, 3, 4, 6, 8, 9, 13, 16, 17, 18]);

/** Bytes of one value, by TIFF type; other types are unknown, and their tags are left out. */
export const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1, // unsigned byte
  2: 1, // text
  3: 2, // unsigned short
  4: 4, // unsigned long
  5: 8, // ratio of two unsigned longs
  6: 1, // signed byte
  7: 1, // any byte
  8: 2, // signed short
  9: 4, // signed long
  10: 8, // ratio of two signed longs
  11: 4, // float
  12: 8, // double
  13: 4, // place of a directory
  16: 8, // unsigned 64-bit
  17: 8, // signed 64-bit
  18: 8, // place of a directory, 64-bit
};

/** Compressions by their number, for errors and `inspect`; null: read without further decoding. */
export const COMPRESSION_NAMES: Readonly<Record<number, string | null>> = {
  1: null,
  2: 'CCITT modified Huffman',
  3: 'CCITT fax 3',
  4: 'CCITT fax 4',
  5: 'LZW',
  6: 'old JPEG',
  7: 'JPEG',
  8: 'Deflate',
  32766: 'NeXT',
  32773: 'PackBits',
  32809: 'ThunderScan',
  32946: 'Deflate',
  34661: 'JBIG',
  34676: 'SGI LogLuv',
  34677: 'SGI LogLuv 24',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34892: 'lossy DNG',
  34925: 'LZMA',
  50000: 'ZSTD',
  50001: 'WebP',
  50002: 'JPEG XL',
  52546: 'JPEG XL of DNG',
};
