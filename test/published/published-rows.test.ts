import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBenchmarkManifest } from '../../src/manifests/benchmark-manifest.js';
import { readPublishedManifest } from '../../src/manifests/published-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';
import { listPublished, publishedRows } from '../../src/published/published-rows.js';
import { published } from '../../src/published/published.js';
import { root } from '../support/needs.js';

const tables = listPublished();
const idsIn = (table: string, column: string): string[] =>
  [...new Set(publishedRows(table).map((row) => row[column]))].filter((id) => typeof id === 'string');

describe('published tables', () => {
  it('are those of the manifests, and each has its file', () => {
    const files = readdirSync(path.join(root, 'data-manifests', 'published')).filter((name) =>
      name.endsWith('.csv'),
    );
    expect(tables.map(({ table }) => `${table}.csv`).sort()).toEqual(files.sort());
    for (const { table, rows } of tables) expect(publishedRows(table)).toHaveLength(rows);
  });

  it('have a source, a protocol and a benchmark that are there', () => {
    for (const id of listManifests('published')) {
      const paper = readPublishedManifest(id);
      expect(paper.id).toBe(id);
      expect(listManifests('benchmarks')).toContain(paper.benchmark);
      expect(listManifests('protocols')).toContain(paper.protocol);
      for (const table of paper.tables) expect(Object.keys(paper.sources)).toContain(table.source);
    }
  });

  it('name encoders and datasets by the ids of manifests', () => {
    const encoders = listManifests('encoders');
    for (const { table, kind, paper } of tables) {
      if (kind === 'description') continue;
      expect(idsIn(table, 'encoder').filter((id) => !encoders.includes(id))).toEqual([]);
      const datasets = readBenchmarkManifest(paper).datasets.map(({ dataset }) => dataset);
      expect(idsIn(table, 'dataset').filter((id) => id !== 'all' && !datasets.includes(id))).toEqual([]);
    }
  });

  it('hold what PANGAEA prints: 3,998 values in 30 tables', () => {
    const printed = tables.filter(({ table }) => table.startsWith('pangaea-') && table !== 'pangaea-table-2');
    expect(printed).toHaveLength(30);
    expect(printed.reduce((sum, { rows }) => sum + rows, 0)).toBe(3998);
  });

  it('keep what is printed, and say what exchanged headings mean', () => {
    const croma = publishedRows('pangaea-table-5').find(
      ({ dataset, encoder }) => dataset === 'pastis-r' && encoder === 'croma-joint',
    );
    expect(croma).toMatchObject({
      value: 32.32,
      unit: '%',
      temporal: 'ltae',
      settingsFrom: 'pangaea-table-a3',
    });
    const recall = publishedRows('pangaea-table-a17').find(({ printed }) => printed === 'precision');
    expect(recall).toMatchObject({ metric: 'recall', class: 'Crop Field', value: 86.83 });
  });

  it('note where the main part and the appendix have other numbers', () => {
    const notes = publishedRows('pangaea-table-5').filter(({ note }) => /^table A\d+: \d/.test(String(note)));
    const count = (id: string): number => notes.filter(({ dataset }) => dataset === id).length;
    expect([count('hls-burn-scars'), count('five-billion-pixels')]).toEqual([11, 7]);
  });

  it('agree with the benchmark on which datasets make a capability', () => {
    const members = publishedRows('geobench2-table-3').filter(({ value }) => value === 1);
    const { capabilities } = readBenchmarkManifest('geobench2');
    for (const [capability, datasets] of Object.entries(capabilities)) {
      const own = members.filter(({ property }) => property === capability).map(({ dataset }) => dataset);
      expect([capability, own.sort()]).toEqual([capability, [...datasets].sort()]);
    }
  });

  it('are Arquero tables for those who want them', () => {
    const runs = published.table('geobench2-runs-frozen');
    expect(runs.numRows()).toBe(750);
    expect(runs.columnNames().slice(0, 4)).toEqual(['table', 'encoder', 'decoder', 'dataset']);
    expect(runs.get('value', 0)).toBe(0.533467710018158);
  });

  it('and what can not be recomputed stand in the guide', () => {
    const guide = readFileSync(path.join(root, 'docs', 'guide', 'published.md'), 'utf8').replaceAll(
      / +/g,
      ' ',
    );
    for (const paper of listManifests('published').map(readPublishedManifest))
      for (const { what, why } of paper.notRecomputable) expect(guide).toContain(`| ${what} | ${why} |`);
  });

  it('that are not there are an error with the nearest id', () => {
    expect(() => publishedRows('pangaea-table-55')).toThrowError(
      expect.objectContaining({ code: 'TABLE_UNKNOWN', hint: expect.stringContaining('"pangaea-table-5"') }),
    );
  });
});
