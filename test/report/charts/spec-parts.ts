import type { ChartSpec } from '../../../src/display/chart-output.js';

/** A row of a chart's data. */
export type Row = Readonly<Record<string, unknown>>;

export interface Layer {
  readonly data: { readonly values: readonly Row[] };
  readonly mark: { readonly type: string; readonly style?: string; readonly opacity?: number };
  readonly encoding: Readonly<Record<string, { readonly scale?: { readonly domain?: unknown } } | undefined>>;
}

/** Layers that draw, from nested ones too. */
export const layersOf = (spec: object): Layer[] =>
  'layer' in spec ? (spec.layer as object[]).flatMap(layersOf) : [spec as Layer];

/** Rows of all visible marks of a type, of one style where it is asked for. */
export const rowsOf = (spec: ChartSpec, type: string, style?: string): Row[] =>
  layersOf(spec)
    .filter(({ mark }) => mark.type === type && mark.opacity !== 0 && (!style || mark.style === style))
    .flatMap(({ data }) => data.values);

export const textsOf = (spec: ChartSpec) =>
  spec.usermeta as { readonly title: string; readonly context: string; readonly notes: readonly string[] };

export const domainOf = (spec: ChartSpec, channel: string): unknown =>
  layersOf(spec)[0]!.encoding[channel]?.scale?.domain;
