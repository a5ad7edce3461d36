/** A cell of a matrix, coloured by its share of the full colour. */
export interface MatrixCell {
  /** 0 … 1 from no colour to the full one, below 0 the same in the opposite colour; null for a cell without a value. */
  readonly share: number | null;
  readonly label: string;
  readonly isBold: boolean;
}

export interface CellEncoding {
  readonly x: object;
  readonly y: object;
  readonly tooltip: readonly object[];
}

/** Columns of a matrix with their names above, upright. */
export const columnEncoding = (field: string, names: readonly string[]): object => ({
  field,
  type: 'nominal',
  sort: names,
  scale: { domain: names, paddingInner: 0.06, paddingOuter: 0 },
  axis: {
    title: null,
    orient: 'top',
    ticks: false,
    domain: false,
    labelAngle: -90,
    labelFontSize: names.length > 12 ? 10 : 12,
    labelPadding: 6,
    labelLimit: 180,
    labelOverlap: false,
  },
});

/** From this share of the colour on, the text is that of the background. */
const STRONG = 0.62;

/** Rectangles with their numbers, which narrow columns leave to hover. A cell without a value is an outline. */
export function cellLayers(cells: readonly MatrixCell[], { x, y, tooltip }: CellEncoding): object[] {
  // a digit of 11 px is 7 px wide
  const labelWidth =
    2 + 7 * Math.max(2, ...cells.filter(({ share }) => share !== null).map(({ label }) => label.length));
  const opacity = { field: 'shade', type: 'quantitative', scale: null, legend: null };
  const rectangles = (style: string, own: readonly MatrixCell[]): object => ({
    data: { values: own.map((cell) => ({ ...cell, shade: 0.05 + 0.95 * Math.abs(cell.share!) })) },
    mark: { type: 'rect', style },
    encoding: { x, y, fillOpacity: opacity, tooltip },
  });
  const texts = (style: string, isBold: boolean, own: readonly MatrixCell[]): object => ({
    data: { values: own },
    mark: {
      type: 'text',
      style,
      fontSize: 11,
      fontWeight: isBold ? 'bold' : 'normal',
      opacity: { expr: `bandwidth('x') >= ${labelWidth} ? 1 : 0` },
    },
    encoding: { x, y, text: { field: 'label' }, tooltip },
  });
  const known = cells.filter(({ share }) => share !== null);
  const isStrong = ({ share }: MatrixCell): boolean => Math.abs(share ?? 0) > STRONG;
  const layers = [
    rectangles(
      'cell',
      known.filter(({ share }) => share! >= 0),
    ),
    rectangles(
      'cell-below',
      known.filter(({ share }) => share! < 0),
    ),
    ...[false, true].flatMap((isBold) => [
      texts(
        'on-strong',
        isBold,
        known.filter((cell) => cell.isBold === isBold && isStrong(cell)),
      ),
      texts(
        'on-faint',
        isBold,
        known.filter((cell) => cell.isBold === isBold && !isStrong(cell)),
      ),
    ]),
    {
      data: { values: cells.filter(({ share }) => share === null) },
      mark: { type: 'rect', style: 'outline', filled: false, strokeWidth: 1, strokeDash: [2, 2] },
      encoding: { x, y, tooltip },
    },
  ];
  return layers.filter((layer) => (layer as { data: { values: unknown[] } }).data.values.length > 0);
}
