/** Of rows and of columns. */
export type Pair = readonly [rows: number, columns: number];

/** Which relative position a pair of tokens of a window has: [query · key], of (2 · rows − 1) · (2 · columns − 1). */
export const positionIndex: (window: Pair) => Int32Array = remembered(([rows, columns]: Pair) => {
  const tokens = rows * columns;
  const index = new Int32Array(tokens * tokens);
  for (let query = 0; query < tokens; query++) {
    for (let key = 0; key < tokens; key++) {
      const down = Math.floor(query / columns) - Math.floor(key / columns) + rows - 1;
      const right = (query % columns) - (key % columns) + columns - 1;
      index[query * tokens + key] = down * (2 * columns - 1) + right;
    }
  }
  return index;
});

/** Result by arguments; there are few windows and sizes of maps, and the tables are small. */
function remembered<Pairs extends readonly Pair[], T>(
  compute: (...pairs: Pairs) => T,
): (...pairs: Pairs) => T {
  const known = new Map<string, T>();
  return (...pairs) => {
    const key = pairs.join(' ');
    const table = known.get(key) ?? compute(...pairs);
    known.set(key, table);
    return table;
  };
}

/**
 * Coordinates of every relative position, in log spacing: sign(c) · log₂(1 + |c|) / 3 of c = 8 · offset / (reach of the
 * window of the pre-training). [position, 2], rows first.
 */
export const coordinateTable = remembered((window: Pair, pretrained: Pair): Float32Array => {
  const axis = (index: 0 | 1): number[] =>
    Array.from({ length: 2 * window[index] - 1 }, (_, at) => {
      const offset = at - (window[index] - 1);
      // a window of one pixel has one position, 0
      const c = offset === 0 ? 0 : (8 * offset) / (pretrained[index] - 1);
      return (Math.sign(c) * Math.log2(1 + Math.abs(c))) / 3;
    });
  const columns = axis(1);
  return Float32Array.from(axis(0).flatMap((row) => columns.flatMap((column) => [row, column])));
});

/**
 * Positions [row · columns + column] of the tokens of each window of a map that is rolled by −shift: [window, token].
 * @param extent rows and columns of the map, which windows divide
 */
export const windowRows = remembered((extent: Pair, window: Pair, shift: Pair): Int32Array => {
  const [down, across] = [extent[0] / window[0], extent[1] / window[1]];
  const rows = new Int32Array(extent[0] * extent[1]);
  let at = 0;
  for (let one = 0; one < down * across; one++) {
    const [top, left] = [Math.floor(one / across) * window[0], (one % across) * window[1]];
    for (let row = 0; row < window[0]; row++) {
      const y = (top + row + shift[0]) % extent[0];
      for (let column = 0; column < window[1]; column++) {
        rows[at++] = y * extent[1] + ((left + column + shift[1]) % extent[1]);
      }
    }
  }
  return rows;
});

/** Between tokens that are neighbours only because the map was rolled. */
const APART = -100;

export interface RegionMask {
  readonly data: Float32Array;
  readonly windows: number;
}

/**
 * What keeps parts of a rolled map from attending to each other: [window, query, key], 0 or −100.
 * @param extent rows and columns of the padded map
 */
export const regionMask = remembered((extent: Pair, window: Pair, shift: Pair): RegionMask => {
  /** 0: inside; 1: before the seam; 2: what came round. */
  const region = (axis: 0 | 1, at: number): number => {
    if (shift[axis] === 0 || at < extent[axis] - window[axis]) return 0;
    return at < extent[axis] - shift[axis] ? 1 : 2;
  };
  const [down, across] = [extent[0] / window[0], extent[1] / window[1]];
  const tokens = window[0] * window[1];
  const data = new Float32Array(down * across * tokens * tokens);
  for (let at = 0; at < down * across; at++) {
    const [top, left] = [Math.floor(at / across) * window[0], (at % across) * window[1]];
    const regions = Array.from({ length: tokens }, (_, token) => {
      const row = region(0, top + Math.floor(token / window[1]));
      return 3 * row + region(1, left + (token % window[1]));
    });
    const isWhole = regions.every((one) => one === regions[0]);
    if (isWhole) continue;
    for (let query = 0; query < tokens; query++) {
      for (let key = 0; key < tokens; key++) {
        if (regions[query] !== regions[key]) data[(at * tokens + query) * tokens + key] = APART;
      }
    }
  }
  return { data, windows: down * across };
});
