import { LEGEND_CHARACTERS, legendColumns, wrappedLabels } from './chart.js';

/** As many colours as are told apart with any common colour blindness; each has a shape of its own too. */
export const MAXIMUM_COLOURS = 6;

const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross'];

/** Colour and shape of names, in one legend below the chart. @param margin pixels left of the plot */
export function highlightEncoding(field: string, names: readonly string[], margin: number) {
  const legend = {
    title: null,
    columns: legendColumns(names, margin),
    labelExpr: wrappedLabels(names, LEGEND_CHARACTERS),
    symbolOpacity: 1,
  };
  const scale = { domain: names };
  return {
    color: { field, type: 'nominal', sort: names, scale, legend },
    shape: {
      field,
      type: 'nominal',
      sort: names,
      scale: { ...scale, range: SHAPES.slice(0, names.length) },
      legend,
    },
  };
}
