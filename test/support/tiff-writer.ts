/** One tag: number, type (2 text, 3 uint16, 4 uint32, 12 float64), values. */
export type TiffTag = readonly [tag: number, type: 2 | 3 | 4 | 12, values: readonly number[] | string];

const SIZES = { 2: 1, 3: 2, 4: 4, 12: 8 } as const;

/** An uncompressed little-endian TIFF of one strip, with further tags. */
export function writeTiff(
  pixels: Uint8Array,
  { height, width, bands }: { height: number; width: number; bands: number },
  more: readonly TiffTag[] = [],
): Buffer {
  const tags: TiffTag[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, new Array<number>(bands).fill(8)],
    [259, 3, [1]],
    [262, 3, [bands >= 3 ? 2 : 1]],
    [273, 4, [8]],
    [277, 3, [bands]],
    [278, 4, [height]],
    [279, 4, [pixels.length]],
    ...more,
  ];
  tags.sort(([a], [b]) => a - b);
  const start = 8 + pixels.length + (pixels.length % 2);
  const directory = Buffer.alloc(2 + tags.length * 12 + 4);
  directory.writeUInt16LE(tags.length, 0);
  const extra: Buffer[] = [];
  let extraAt = start + directory.length;
  tags.forEach(([tag, type, values], i) => {
    const bytes = encodeValues(type, values);
    const at = 2 + i * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(bytes.length / SIZES[type], at + 4);
    if (bytes.length <= 4) bytes.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(extraAt, at + 8);
      extra.push(bytes);
      extraAt += bytes.length;
    }
  });
  const header = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(start, 4);
  return Buffer.concat([header, pixels, Buffer.alloc(pixels.length % 2), directory, ...extra]);
}

function encodeValues(type: TiffTag[1], values: readonly number[] | string): Buffer {
  if (typeof values === 'string') return Buffer.from(`${values}\0`, 'latin1');
  const bytes = Buffer.alloc(values.length * SIZES[type]);
  values.forEach((value, i) => {
    if (type === 3) bytes.writeUInt16LE(value, i * 2);
    else if (type === 4) bytes.writeUInt32LE(value, i * 4);
    else bytes.writeDoubleLE(value, i * 8);
  });
  return bytes;
}
