import type { ChartSpec } from '../../display/chart-output.js';

/** Colours of a chart; in the HTML report they are CSS variables, so that light, dark and print need one chart. */
export interface ChartTheme {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly background: string;
  /** For arms, told apart by people with any common colour blindness (after Okabe & Ito 2008). */
  readonly categories: readonly string[];
  /** Full colour of a cell, laid over the background the fainter the lower its value. */
  readonly cell: string;
  /** The same for what lies below the middle of two directions. */
  readonly cellBelow: string;
  /** Text on a cell of nearly full colour. */
  readonly onCell: string;
  readonly font: string;
}

const LIGHT_CATEGORIES = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#a8518a',
  '#b07c00',
  '#3b9bd6',
  '#6b6f76',
] as const;
const DARK_CATEGORIES = [
  '#5db7f0',
  '#ff8f4a',
  '#34c79c',
  '#e59bca',
  '#e8bd45',
  '#b3d9f7',
  '#a9aeb6',
] as const;

export const lightTheme: ChartTheme = {
  text: '#22262b',
  muted: '#5f6670',
  line: '#dfe2e6',
  background: '#ffffff',
  categories: LIGHT_CATEGORIES,
  cell: '#00467f',
  cellBelow: '#7a3200',
  onCell: '#ffffff',
  font: 'DejaVu Sans',
};

export const darkTheme: ChartTheme = {
  text: '#e6e8eb',
  muted: '#a2a9b2',
  line: '#343a42',
  background: '#15181c',
  categories: DARK_CATEGORIES,
  cell: '#5db7f0',
  cellBelow: '#ff8f4a',
  onCell: '#15181c',
  font: 'DejaVu Sans',
};

/** Refers to the variables that the page's style sheet sets. */
export const pageTheme: ChartTheme = {
  text: 'var(--text)',
  muted: 'var(--muted)',
  line: 'var(--line)',
  background: 'transparent',
  categories: LIGHT_CATEGORIES.map((_, i) => `var(--category-${i + 1})`),
  cell: 'var(--cell)',
  cellBelow: 'var(--cell-below)',
  onCell: 'var(--on-cell)',
  font: 'system-ui, sans-serif',
};

/** The specification with the theme's configuration; what the specification configures itself stays. */
export function withTheme(spec: ChartSpec, theme: ChartTheme): ChartSpec {
  const label = {
    labelColor: theme.text,
    titleColor: theme.muted,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
  };
  return {
    background: theme.background,
    ...spec,
    config: {
      font: theme.font,
      // Vega-Lite 5 and 6 have different default sizes
      view: { stroke: null, continuousWidth: 420, continuousHeight: 240 },
      range: { category: theme.categories },
      axis: {
        ...label,
        gridColor: theme.line,
        domainColor: theme.line,
        tickColor: theme.line,
        labelLimit: 300,
        titlePadding: 8,
      },
      legend: {
        ...label,
        orient: 'bottom',
        direction: 'horizontal',
        symbolSize: 60,
        titleFontSize: 12,
        labelLimit: 340,
        offset: 14,
      },
      title: {
        color: theme.text,
        subtitleColor: theme.muted,
        anchor: 'start',
        fontSize: 14,
        subtitleFontSize: 11.5,
        subtitlePadding: 5,
        offset: 14,
      },
      text: { color: theme.muted, fontSize: 11 },
      rule: { color: theme.muted },
      style: markStyles(theme),
      ...(spec.config as object | undefined),
    },
  };
}

/** Colours that a mark names by `style`: a specification knows no theme. */
const markStyles = (theme: ChartTheme): Config => ({
  strong: { color: theme.categories[0] },
  opposite: { color: theme.categories[1] },
  quiet: { color: theme.muted },
  outline: { color: theme.line },
  cell: { color: theme.cell },
  'cell-below': { color: theme.cellBelow },
  'on-faint': { color: theme.text },
  'on-strong': { color: theme.onCell },
});

type Config = Readonly<Record<string, unknown>>;

/**
 * A compiled chart that looks the same in every viewer: colours that it leaves open are those of the theme. A viewer with a
 * dark theme (JupyterLab) would fill in its own, made for its own background: a white title on our white.
 */
export function pinnedColors(vega: Config, theme: ChartTheme): Config {
  const config = (vega.config ?? {}) as Readonly<Record<string, Config | undefined>>;
  const style = (config.style ?? {}) as Readonly<Record<string, Config | undefined>>;
  // Vega-Lite moves the colour of titles to a style, which gives way to a viewer's `title.color`
  const title = { color: style['group-title']?.fill ?? theme.text, subtitleColor: theme.muted };
  const line = { domainColor: theme.line, gridColor: theme.line, tickColor: theme.line };
  return {
    ...vega,
    config: {
      ...config,
      title: { ...title, ...config.title },
      axis: { ...line, ...config.axis },
      style: {
        ...style,
        'guide-label': { fill: theme.text, ...style['guide-label'] },
        'guide-title': { fill: theme.muted, ...style['guide-title'] },
      },
    },
  };
}

/** CSS that sets the variables of `pageTheme`. */
export const themeVariables = (theme: ChartTheme): string =>
  [
    `--text:${theme.text}`,
    `--muted:${theme.muted}`,
    `--line:${theme.line}`,
    `--background:${theme.background}`,
    `--cell:${theme.cell}`,
    `--cell-below:${theme.cellBelow}`,
    `--on-cell:${theme.onCell}`,
    ...theme.categories.map((color, i) => `--category-${i + 1}:${color}`),
  ].join(';');
