import type { ChartSpec } from '../display/chart-output.js';
import { inContainer } from './charts/chart.js';
import { pageTheme, withTheme } from './charts/theme.js';
import { markup, type Markup } from './html.js';

/** Collects the charts of a page: each gets a place in it, and its specification for the page's script. */
export interface ChartCollection {
  /** A figure with the chart's title, its place, and under it what it shows and what was left out. */
  figure(spec: ChartSpec): Markup;
  readonly specs: Readonly<Record<string, ChartSpec>>;
}

interface ChartText {
  readonly title: string;
  readonly context: string;
  readonly notes: readonly string[];
}

export function createCharts(): ChartCollection {
  const specs: Record<string, ChartSpec> = {};
  return {
    specs,
    figure(spec) {
      const id = `chart-${Object.keys(specs).length + 1}`;
      const { title, context, notes } = spec.usermeta as ChartText;
      // the page's own heading and text take the place of the chart's
      const { title: _title, usermeta: _usermeta, ...drawn } = spec;
      specs[id] = withTheme(inContainer(drawn), pageTheme);
      const description = typeof spec.description === 'string' ? spec.description : title;
      return markup`<figure class="chart">
        <h3>${title}</h3>
        <div class="plot" id="${id}" role="img" aria-label="${description}"></div>
        <figcaption class="context">
          ${context}.${notes.map((note) => markup` <strong>${note}</strong>`)}
        </figcaption>
      </figure>`;
    },
  };
}
