import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { datasetSheet } from '../../src/manifests/dataset-sheet.js';
import { listManifests } from '../../src/manifests/read-manifest.js';

const sheetOf = (id: string): ReturnType<typeof datasetSheet> => datasetSheet(readDatasetManifest(id));
const factOf = (id: string, name: string): unknown =>
  sheetOf(id).facts!.find(([label]) => label === name)?.[1];
const rowsWith = (id: string, column: string): readonly object[] =>
  (sheetOf(id).tables ?? [])
    .map(({ rows }) => rows as readonly object[])
    .find((rows) => rows[0] && column in rows[0]) ?? [];

describe('what is shown of a dataset', () => {
  it('names every source of statistics, and the one that normalises unless another is named', () => {
    const rows = rowsWith('gb2-treesatai', 'source of statistics');
    const { modalities } = readDatasetManifest('gb2-treesatai');
    const sources = Object.values(modalities).flatMap(({ statistics }) => statistics);
    expect(rows).toHaveLength(sources.length);
    const cautioned = rows.filter((row) => (row as { caution: string }).caution !== '');
    expect(cautioned).toMatchObject([{ modality: 's1', 'normalises by default': '' }]);
    expect(rows.filter((row) => Object.values(row).includes('yes'))).toHaveLength(
      Object.keys(modalities).length,
    );
  });

  it('says how stored labels become classes', () => {
    expect(factOf('mados', 'labels')).toBe('stored labels − 1');
    expect(factOf('ai4smallfarms', 'labels')).toBe('stored 255 → 1');
    expect(factOf('crop-type-mapping-ss', 'labels')).toMatch(/^stored 1 → 0, .*; all others → -1$/);
    expect(factOf('gb2-caffe', 'labels')).toMatch(/: 0 \(N\/A\)$/);
    expect(factOf('hls-burn-scars', 'labels')).toBeUndefined();
  });

  it('has metrics, sampling, parameters, dates and no-data values', () => {
    expect(factOf('mados', 'metrics')).toContain('mIoU');
    expect(factOf('mados', 'crop')).toMatch(/focus crop/);
    expect(rowsWith('m-eurosat', 'parameter')).toMatchObject([
      { parameter: 'partition', default: '"default"' },
    ]);
    expect(rowsWith('spacenet7-change', 'times a sample')).toMatchObject([
      { 'times a sample': 2, 'stored values': '0 … 255' },
    ]);
    expect(rowsWith('crop-type-mapping-ss', 'no value')).not.toEqual([]);
  });

  it.each(listManifests('datasets'))('names classes that there are in its label rules: %s', (id) => {
    expect(String(factOf(id, 'labels') ?? '')).not.toContain('undefined');
  });
});
