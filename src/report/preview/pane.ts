import type { Color } from './colors.js';
import type { View } from './raster-view.js';

/** A box or outline over a pane, in shares of its width and height, 0 … 1. */
export interface Shape {
  /** x0, y0, x1, y1, …, closed. */
  readonly points: readonly number[];
  readonly color: Color;
}

/** One picture of a sample. */
export interface Pane {
  readonly title: string;
  readonly subtitle: string;
  readonly view: View;
  readonly shapes?: readonly Shape[];
  /** Ends of the ramp of colours below the picture. */
  readonly bar?: { readonly low: number; readonly high: number };
  /** Of a series that begins with this pane: a line above its row. */
  readonly heading?: string;
  /** One of many dates: drawn smaller. */
  readonly isStrip?: boolean;
}

/** A colour and what it means. */
export interface LegendItem {
  readonly name: string;
  /** `hatched`: pixels without a value. */
  readonly color: Color | 'hatched';
}

/** What is drawn of one sample. */
export interface Drawing {
  readonly title: string;
  readonly caption: string;
  readonly panes: readonly Pane[];
  readonly legend: readonly LegendItem[];
}
