import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';
import { writeSyntheticStore } from '../fixtures/results/synthetic-store.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-published-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('gondwana published', () => {
  it('shows the rows of a table with its source and what is loose in them', async () => {
    const { code, stdout } = await gondwana(['published', 'show', 'pangaea-table-9']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ssl4eo-dino .* resize .* 36\.75 /);
    expect(stdout).toContain('arXiv 2412.04204');
  });

  it('compares a store, and says of every row why it is alone', async () => {
    const store = path.join(folder, 'store');
    await writeSyntheticStore(store, { seeds: [0], trivial: false });
    const args = ['published', 'compare', store, '--with', 'pangaea-table-8'];
    const { code, stdout } = await gondwana([...args, '--json']);
    expect(code).toBe(0);
    const { rows, paper } = JSON.parse(stdout) as {
      rows: { isComparable: boolean; reasons: string[] }[];
      paper: string;
    };
    expect(paper).toBe('pangaea');
    // 72 scores of the table, and the five arms of the study
    expect(rows).toHaveLength(72 + 5);
    expect(rows.every(({ isComparable, reasons }) => !isComparable && reasons.length > 0)).toBe(true);
    const { stdout: text } = await gondwana(args);
    expect(text).toContain('0 of 72 rows');
    expect(text).toContain('Table 8 has no row of efficientnet-lite0 on neon-crowns');
  });

  it.each([
    [['published', 'compare', folder], 2, 'OPTION_MISSING'],
    [['published', 'compare', folder, '--with', 'pangaea-table-8'], 3, 'STORE_EMPTY'],
    [['published', 'show', 'pangaea-tabel-8'], 3, 'TABLE_UNKNOWN'],
  ])('%j exits %i', async (args, exit, expected) => {
    const { code, stdout } = await gondwana([...args, '--json']);
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([exit, expected]);
  });
});
