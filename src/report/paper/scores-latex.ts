import { plainText } from '../../display/mime.js';
import type { ScoreCell, ScoreGrid } from './score-grid.js';

/** Tables of scores for LaTeX with the package booktabs: the best bold, ties marked by `=`, trivial predictors below a line. */
export const scoresLatex = (grids: readonly ScoreGrid[]): string =>
  `% \\usepackage{booktabs}\n${grids.map(gridLatex).join('\n')}`;

function gridLatex({ dataset, caption, columns, rows }: ScoreGrid): string {
  const line = (cells: readonly string[]): string => `${cells.join(' & ')} \\\\`;
  const learned = rows.filter(({ isTrivial }) => !isTrivial);
  const trivial = rows.filter(({ isTrivial }) => isTrivial);
  const lines = (own: ScoreGrid['rows']): string[] =>
    own.map(({ arm, cells }) => line([latexText(arm), ...cells.map(cellLatex)]));
  return [
    '\\begin{table}',
    '\\centering',
    `\\caption{${latexText(caption)}}`,
    `\\label{tab:${dataset.replaceAll(/[^A-Za-z0-9:-]+/g, '-')}}`,
    `\\begin{tabular}{l${'r'.repeat(columns.length)}}`,
    '\\toprule',
    line(['arm', ...columns.map(latexText)]),
    '\\midrule',
    ...lines(learned),
    ...(learned.length > 0 && trivial.length > 0 ? ['\\midrule'] : []),
    ...lines(trivial),
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
    '',
  ].join('\n');
}

function cellLatex({ mean, halfWidth, isBest, isTied }: ScoreCell): string {
  const value = isBest ? `\\textbf{${latexText(mean)}}` : latexText(mean);
  return `${value}${halfWidth === null ? '' : ` $\\pm$ ${latexText(halfWidth)}`}${isTied ? ' $=$' : ''}`;
}

/** Text in which LaTeX sees no command; line breaks become blanks. */
export const latexText = (text: string): string =>
  plainText(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\{}$&#_%~^<>|"[\]*=−±×–…·’“”≥≤°²]/g, (character) => LATEX[character]!);

/** A bracket or star behind a line's end would belong to `\\`. */
const LATEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  _: '\\_',
  '%': '\\%',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': "{''}",
  '[': '{[}',
  ']': '{]}',
  '*': '{*}',
  '=': '$=$',
  '−': '$-$',
  '±': '$\\pm$',
  '×': '$\\times$',
  '–': '--',
  '…': '\\ldots{}',
  '·': '\\textperiodcentered{}',
  '’': "'",
  '“': '``',
  '”': "''",
  '≥': '$\\geq$',
  '≤': '$\\leq$',
  '°': '$^\\circ$',
  '²': '$^2$',
};
