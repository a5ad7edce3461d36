import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportFiles } from '../../src/report/report-target.js';
import { tempFolder } from '../support/temp-folder.js';

describe('the place of a report', () => {
  it.each(['', ' ', 'folder', 'new/', '/dev/null'])('is refused where it is no file: "%s"', (out) => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'folder'));
    const target = out === 'folder' ? path.join(folder, out) : out;
    expect(() => reportFiles(target)).toThrow(
      expect.objectContaining({ code: 'NOT_A_FILE', hint: expect.stringContaining('index.html') }),
    );
    expect(readdirSync(folder)).toEqual(['folder']);
  });

  it('is refused where a table would go over a folder', () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'results.csv'));
    expect(() => reportFiles(path.join(folder, 'a.html'))).toThrow(
      expect.objectContaining({ code: 'NOT_A_FILE', where: path.join(folder, 'results.csv') }),
    );
  });

  it('is a page, two tables and two forms of scores for a paper beside it', () => {
    const folder = tempFolder();
    expect(Object.values(reportFiles(path.join(folder, 'r', 'a.html')))).toEqual(
      ['a.html', 'results.csv', 'results.parquet', 'scores.md', 'scores.tex'].map((name) =>
        path.join(folder, 'r', name),
      ),
    );
  });
});
