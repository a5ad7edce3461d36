/** Mean and spread of a band. */
export interface BandNumbers {
  readonly mean: number;
  readonly std: number;
}

/** A band whose numbers are those of another. */
export interface MisplacedBand {
  /** Place of the band, from 0. */
  readonly place: number;
  /** Place of the band of the manifest whose numbers it has. */
  readonly looksLike: number;
}

export interface BandOrder {
  /** Empty: the manifest's order explains the numbers. */
  readonly misplaced: readonly MisplacedBand[];
  /** Else it may be chance. */
  readonly isSure: boolean;
}

export interface OrderContext {
  /** Samples that were measured. */
  readonly sampleCount: number;
  /** Of the stated bands; null: none. */
  readonly wavelengthsNm: readonly (number | null)[];
}

/** Samples from which on numbers stand for the dataset. */
export const MANY_SAMPLES = 30;

/** How far another order must explain the numbers better: by a sum of squared distances, and down to a share of it. */
interface Threshold {
  readonly gain: number;
  readonly left: number;
}

/** Of many samples any order is believed. Of few, only what is clear beyond the differences between scenes. */
const ANY_ORDER = { few: { gain: 0.5, left: 0.2 }, many: { gain: 0.02, left: 0.35 } } as const;
/** Red for blue is the order that readers get wrong most often, and scenes differ little in it: fewer numbers tell. */
const RED_FOR_BLUE: Threshold = { gain: 0.01, left: 0.35 };
const SURE_GAIN = 0.06;
/** The best assignment takes cubic time. */
const MAXIMUM_BANDS = 128;

/**
 * Whether measured bands stand in another order than the manifest's, by their numbers: red and blue exchanged, then any two
 * bands, the reverse order, and of many samples the assignment of measured to stated bands with the least sum of distances.
 * Brightness and contrast that all bands share do not count, since they are the same in every order.
 * @param measured in the order of the files
 * @param stated in the order of the manifest
 */
export function bandOrder(
  measured: readonly BandNumbers[],
  stated: readonly BandNumbers[],
  { sampleCount, wavelengthsNm }: OrderContext,
): BandOrder {
  const count = measured.length;
  const inOrder: BandOrder = { misplaced: [], isSure: true };
  if (count < 2 || count !== stated.length || count > MAXIMUM_BANDS) return inOrder;
  const isMany = sampleCount >= MANY_SAMPLES;
  const visible = visiblePlaces(wavelengthsNm);
  if (visible) {
    const pick = <T>(list: readonly T[]): T[] => visible.map((place) => list[place]!);
    const own = distances(pick(measured), pick(stated));
    const last = visible.length - 1;
    const exchange = visible.map((_, place) => (place === 0 ? last : place === last ? 0 : place));
    const gain = gainOf(own, exchange, RED_FOR_BLUE);
    const [blue, red] = [visible[0]!, visible[last]!];
    if (gain !== null)
      return {
        misplaced: [blue, red]
          .sort((a, b) => a - b)
          .map((place) => ({ place, looksLike: place === blue ? red : blue })),
        isSure: isMany || gain >= SURE_GAIN,
      };
  }
  const distance = distances(measured, stated);
  const threshold = isMany ? ANY_ORDER.many : ANY_ORDER.few;
  const candidates = isMany ? cyclesOf(assign(distance)) : simpleOrders(count);
  const found = candidates
    .flatMap((order) => {
      const gain = gainOf(distance, order, threshold);
      return gain === null ? [] : [{ order, gain }];
    })
    .sort((a, b) => b.gain - a.gain);
  const orders = isMany ? found : found.slice(0, 1);
  const misplaced = orders.flatMap(({ order }) =>
    order.flatMap((looksLike, place) => (looksLike === place ? [] : [{ place, looksLike }])),
  );
  return { misplaced: misplaced.sort((a, b) => a.place - b.place), isSure: isMany };
}

/** What an order gains over the manifest's, over the bands that it moves; null where that is not clear. */
function gainOf(
  distance: readonly (readonly number[])[],
  order: readonly number[],
  { gain: least, left }: Threshold,
): number | null {
  let [asStated, exchanged] = [0, 0];
  for (const [place, looksLike] of order.entries()) {
    if (looksLike === place) continue;
    asStated += distance[place]![place]!;
    exchanged += distance[place]![looksLike]!;
  }
  const gain = asStated - exchanged;
  return gain >= least && exchanged <= left * asStated ? gain : null;
}

/** Two bands exchanged, each pair in turn, and all in reverse. */
function simpleOrders(count: number): number[][] {
  const places = Array.from({ length: count }, (_, place) => place);
  const orders = [places.toReversed()];
  for (const a of places) {
    for (let b = a + 1; b < count; b++)
      orders.push(places.map((place) => (place === a ? b : place === b ? a : place)));
  }
  return orders;
}

/** Ends of the visible: blue, green and red, nm; a band further away is none. */
const [BLUE_NM, GREEN_NM, RED_NM, REACH_NM] = [485, 555, 660, 40];

/** Places of blue, green where there is one, and red, in this order; null without both ends. */
function visiblePlaces(wavelengthsNm: readonly (number | null)[]): number[] | null {
  const nearest = (wanted: number): number | undefined => {
    const distance = wavelengthsNm.map((nm) => (nm === null ? Infinity : Math.abs(nm - wanted)));
    const least = Math.min(...distance);
    return least <= REACH_NM ? distance.indexOf(least) : undefined;
  };
  const [blue, green, red] = [nearest(BLUE_NM), nearest(GREEN_NM), nearest(RED_NM)];
  if (blue === undefined || red === undefined || blue === red) return null;
  return green === undefined || green === blue || green === red ? [blue, red] : [blue, green, red];
}

/** Spreads of a part of a dataset are smaller; where they are like the whole's, they tell bands apart as means do. */
const ALIKE = 1.6;

/**
 * Squared distance of each measured band to each stated one: of the logarithms of means, and of spreads where those can be
 * compared; where means have signs (dB), of means in stated spreads.
 */
function distances(measured: readonly BandNumbers[], stated: readonly BandNumbers[]): number[][] {
  const spreads = centred(
    measured.map(({ std }) => std),
    stated.map(({ std }) => std),
  );
  const usesSpreads = spreads !== null && spreads.factor < ALIKE && spreads.factor > 1 / ALIKE;
  const means = centred(
    measured.map(({ mean }) => mean),
    stated.map(({ mean }) => mean),
  );
  return measured.map((found, row) =>
    stated.map((wanted, column) => {
      const ofMeans = means
        ? means.found[row]! - means.wanted[column]!
        : (found.mean - wanted.mean) / Math.max(wanted.std, Number.MIN_VALUE);
      const ofSpreads = usesSpreads ? spreads.found[row]! - spreads.wanted[column]! : 0;
      return Math.min(FAR, ofMeans * ofMeans + ofSpreads * ofSpreads);
    }),
  );
}

/** Largest distance: sums stay finite. */
const FAR = 1e6;

/** Logarithms without the factor that all have in common; null where a number has none. */
function centred(
  found: readonly number[],
  wanted: readonly number[],
): { readonly found: number[]; readonly wanted: number[]; readonly factor: number } | null {
  if ([...found, ...wanted].some((value) => !(value > 0))) return null;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + Math.log(value), 0) / values.length;
  const [own, other] = [mean(found), mean(wanted)];
  return {
    found: found.map((value) => Math.log(value) - own),
    wanted: wanted.map((value) => Math.log(value) - other),
    factor: Math.exp(own - other),
  };
}

/** Distance of two normal distributions after Bhattacharyya; 0 where they are the same. */
export function bhattacharyya(a: BandNumbers, b: BandNumbers): number {
  const least = 1e-6 * Math.max(Math.abs(a.mean), Math.abs(b.mean), a.std, b.std, Number.MIN_VALUE);
  const [s, t] = [Math.max(a.std, least), Math.max(b.std, least)];
  const together = s * s + t * t;
  return (a.mean - b.mean) ** 2 / (4 * together) + Math.log(together / (2 * s * t)) / 2;
}

/** Cycles of a permutation with two members or more, each as an order that leaves all else in place. */
function cyclesOf(permutation: readonly number[]): number[][] {
  const seen = new Set<number>();
  const cycles: number[][] = [];
  for (const start of permutation.keys()) {
    const order = [...permutation.keys()];
    let length = 0;
    for (let at = start; !seen.has(at); at = permutation[at]!) {
      seen.add(at);
      order[at] = permutation[at]!;
      length++;
    }
    if (length > 1) cycles.push(order);
  }
  return cycles;
}

/**
 * The assignment of rows to columns with the least sum of costs (Kuhn and Munkres, with potentials).
 * @returns column of each row
 */
export function assign(costs: readonly (readonly number[])[]): number[] {
  const count = costs.length;
  const rowPotential = new Float64Array(count + 1);
  const columnPotential = new Float64Array(count + 1);
  const rowOf = new Int32Array(count + 1); // 0: none
  const before = new Int32Array(count + 1);
  for (let row = 1; row <= count; row++) {
    rowOf[0] = row;
    let column = 0;
    const least = new Float64Array(count + 1).fill(Infinity);
    const isUsed = new Uint8Array(count + 1);
    do {
      isUsed[column] = 1;
      const current = rowOf[column]!;
      let [step, next] = [Infinity, 0];
      for (let other = 1; other <= count; other++) {
        if (isUsed[other]) continue;
        const cost = costs[current - 1]![other - 1]! - rowPotential[current]! - columnPotential[other]!;
        if (cost < least[other]!) {
          least[other] = cost;
          before[other] = column;
        }
        if (least[other]! < step) [step, next] = [least[other]!, other];
      }
      for (let other = 0; other <= count; other++) {
        if (isUsed[other]) {
          rowPotential[rowOf[other]!]! += step;
          columnPotential[other]! -= step;
        } else least[other]! -= step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      rowOf[column] = rowOf[before[column]!]!;
      column = before[column]!;
    }
  }
  const columns = new Array<number>(count).fill(0);
  for (let column = 1; column <= count; column++) columns[rowOf[column]! - 1] = column - 1;
  return columns;
}
