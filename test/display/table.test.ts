import { table } from 'arquero';
import { expect, test } from 'vitest';
import { formatColumn, formatCount, formatNumber, formatSeconds } from '../../src/display/numbers.js';
import { tableHtml, tableMarkdown, tableText } from '../../src/display/table.js';

const ROWS = [
  { arm: 'frozen', score: 0.6664, seeds: 3, id: '007' },
  { arm: 'fine-tuned', score: -0.05, seeds: 12, id: '12' },
  { arm: 'missing', score: Number.NaN, seeds: null, id: null },
];

test('a text table aligns numbers on their points and shows gaps as –', () => {
  expect(tableText(ROWS)).toBe(
    [
      'arm          score  seeds  id',
      '──────────  ──────  ─────  ───',
      'frozen       0.666      3  007',
      'fine-tuned  −0.050     12  12',
      'missing          –      –  –',
    ].join('\n'),
  );
});

test('an Arquero table gives the same text as its rows', () => {
  const columns = table({
    arm: ROWS.map((row) => row.arm),
    score: ROWS.map((row) => row.score),
    seeds: ROWS.map((row) => row.seeds),
    id: ROWS.map((row) => row.id),
  });
  expect(tableText(columns)).toBe(tableText(ROWS));
});

test('columns, digits, caption and a limit of rows are honoured, and what is left out is said', () => {
  const text = tableText(ROWS, { columns: ['score', 'arm'], digits: 1, caption: 'Scores', maximumRows: 2 });
  expect(text.split('\n')).toEqual([
    'Scores',
    'score  arm',
    '─────  ──────────',
    '  0.7  frozen',
    ' −0.1  fine-tuned',
    '… 1 more of 3 rows',
  ]);
  expect(tableText([])).toBe('no rows');
});

test('wide characters keep the columns in line and control characters cannot reach the terminal', () => {
  const lines = tableText([
    { a: '木', b: 'x' },
    { a: 'ab', b: '\u001b[31mred\nline' },
  ]).split('\n');
  expect(lines[2]).toBe('木  x');
  expect(lines[3]).toBe('ab   [31mred line');
});

test('HTML and Markdown escape names with markup', () => {
  const rows = [{ '<b>': '<script>alert(1)</script> & "x"' }];
  expect(tableHtml(rows, { caption: '<i>' })).not.toMatch(/<script|<b>|<i>/);
  expect(tableHtml(rows)).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;');
  const markdown = tableMarkdown([{ a: 'x|y', b: 1 }]);
  expect(markdown).toBe('| a | b |\n| --- | ---: |\n| x\\|y | 1 |');
  expect(tableMarkdown(rows)).not.toContain('<script');
});

test('numbers have a true minus sign, no negative zero, and a form for times and counts', () => {
  expect([formatNumber(-0.0001, 3), formatNumber(-1.5, 1), formatNumber(Infinity, 1)]).toEqual([
    '0.000',
    '−1.5',
    '–',
  ]);
  expect(formatColumn([0.00012, 0.0042])).toEqual(['0.000120', '0.004200']);
  expect(formatColumn([1234.5, 2])).toEqual(['1235', '2']);
  expect([3.21, 48, 185, 7830, Number.NaN].map(formatSeconds)).toEqual([
    '3.2 s',
    '48 s',
    '3 min 05 s',
    '2 h 10 min',
    '–',
  ]);
  expect([formatCount(12), formatCount(1234567)]).toEqual(['12', '1,234,567']);
});
