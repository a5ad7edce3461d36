import { describe, expect, it } from 'vitest';
import { latexText, scoresLatex } from '../../../src/report/paper/scores-latex.js';
import { scoresMarkdown } from '../../../src/report/paper/scores-markdown.js';
import { scoreGrid, scoreGrids, type ScoreGrid } from '../../../src/report/paper/score-grid.js';
import { datasetViews } from '../../../src/report/view.js';
import { syntheticRecords } from '../../fixtures/results/synthetic-store.js';

const ODD = String.raw`a_b & 50% {x} $y$ #1 ~ ^ \z | <t> [i] *s*`;
const grid: ScoreGrid = {
  dataset: 'm-euro_sat',
  caption: `Scores of ${ODD}`,
  columns: ['test', 'a_b'],
  rows: [
    {
      arm: ODD,
      isTrivial: false,
      cells: [
        { mean: '0.812', halfWidth: '0.010', isBest: true, isTied: false },
        { mean: '−0.100', halfWidth: null, isBest: false, isTied: false },
      ],
    },
    {
      arm: 'other',
      isTrivial: false,
      cells: [
        { mean: '0.805', halfWidth: '0.020', isBest: false, isTied: true },
        { mean: '–', halfWidth: null, isBest: false, isTied: false },
      ],
    },
    {
      arm: 'majority',
      isTrivial: true,
      cells: [
        { mean: '0.100', halfWidth: null, isBest: false, isTied: false },
        { mean: '0.200', halfWidth: null, isBest: false, isTied: false },
      ],
    },
  ],
};

describe('scores for a paper', () => {
  it('are LaTeX with the best bold, ties marked, special characters escaped', () => {
    const text = scoresLatex([grid]);
    expect(text).toContain('\\textbf{0.812} $\\pm$ 0.010 & $-$0.100 \\\\');
    expect(text).toContain('other & 0.805 $\\pm$ 0.020 $=$ & -- \\\\');
    expect(text).toContain(
      String.raw`a\_b \& 50\% \{x\} \$y\$ \#1 \textasciitilde{} \textasciicircum{} \textbackslash{}z \textbar{} \textless{}t\textgreater{} {[}i{]} {*}s{*} & `,
    );
    expect(text).toContain('\\label{tab:m-euro-sat}');
    expect(text.match(/\\midrule/g)).toHaveLength(2);
    // every row has as many cells as there are columns
    const rows = text.split('\n').filter((line) => line.endsWith('\\\\'));
    for (const row of rows) expect(row.replaceAll('\\&', '').split('&')).toHaveLength(3);
    expect(latexText('a\nb')).toBe('a b');
  });

  it('are Markdown in which no character breaks a table', () => {
    const lines = scoresMarkdown([grid]).trimEnd().split('\n');
    const rows = lines.filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(2 + 3);
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(3 + 2);
    expect(rows[2]).toContain('**0.812** ± 0.010');
    expect(rows[3]).toContain('0.805 ± 0.020 =');
    expect(rows[2]).toContain(String.raw`a\_b &amp; 50% {x} \$y\$ #1 \~ ^ \\z \| &lt;t&gt; \[i\] \*s\*`);
  });

  it('mark the arms that their seeds do not tell apart from the best, never trivial ones', () => {
    const [view] = datasetViews(syntheticRecords());
    const { rows, columns, caption } = scoreGrid(view!);
    const column = columns.indexOf('test');
    const marks = rows.map(({ arm, isTrivial, cells }) => ({ arm, isTrivial, ...cells[column]! }));
    expect(marks.filter(({ isBest }) => isBest).map(({ arm }) => arm)).toEqual(['fine-tuned, z-score']);
    expect(marks.filter(({ isTied }) => isTied).map(({ arm }) => arm)).toEqual(['fine-tuned, none']);
    expect(marks.filter(({ isTrivial }) => isTrivial)).toHaveLength(2);
    expect(caption).toContain('bold: best learned arm');
  });

  it('of several datasets begin with one table of all, a dataset a column', () => {
    const records = syntheticRecords();
    const others = records
      .filter(({ arm }) => arm !== 'frozen, none')
      .map((record) => ({ ...record, definition: { ...record.definition, dataset: 'second' } }));
    const [all, ...each] = scoreGrids(datasetViews([...records, ...others]));
    expect(each).toHaveLength(2);
    expect(all!.columns).toEqual(['neon-crowns (test, mIoU)', 'second (test, mIoU)']);
    const row = all!.rows.find(({ arm }) => arm === 'frozen, none')!;
    expect(row.cells[1]!.mean).toBe('–');
    expect(row.cells[0]).toEqual(each[0]!.rows.find(({ arm }) => arm === row.arm)!.cells[0]);
    expect(scoreGrids(datasetViews(records))).toHaveLength(1);
  });

  it('of one seed have no interval and no ties', () => {
    const [view] = datasetViews(syntheticRecords({ seeds: [0] }));
    const cells = scoreGrid(view!).rows.flatMap((row) => row.cells);
    expect(cells.every(({ halfWidth, isTied }) => halfWidth === null && !isTied)).toBe(true);
  });
});
