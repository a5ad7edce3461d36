import { escapeHtml, plainText } from '../../display/mime.js';
import type { ScoreCell, ScoreGrid } from './score-grid.js';

/** Tables of scores as GitHub-flavoured Markdown: the best bold, ties marked by `=`. */
export const scoresMarkdown = (grids: readonly ScoreGrid[]): string =>
  `${grids.map(gridMarkdown).join('\n\n')}\n`;

function gridMarkdown({ caption, columns, rows }: ScoreGrid): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    escaped(caption),
    '',
    line(['arm', ...columns.map(escaped)]),
    line(['---', ...columns.map(() => '---:')]),
    ...rows.map(({ arm, cells }) => line([escaped(arm), ...cells.map(cellMarkdown)])),
  ].join('\n');
}

function cellMarkdown({ mean, halfWidth, isBest, isTied }: ScoreCell): string {
  const value = isBest ? `**${mean}**` : mean;
  return `${value}${halfWidth === null ? '' : ` ± ${halfWidth}`}${isTied ? ' =' : ''}`;
}

const escaped = (text: string): string =>
  escapeHtml(plainText(text))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[|\\`*_~$[\]]/g, '\\$&');
