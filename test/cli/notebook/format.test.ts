import { describe, expect, it } from 'vitest';
import { notebookText, parseNotebook } from '../../../src/cli/notebook/format.js';

const minimal = {
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', 'text'], metadata: {} },
    {
      cell_type: 'code',
      source: 'a\nb\n',
      metadata: {},
      execution_count: 3,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['one\n', 'two'] },
        {
          output_type: 'execute_result',
          execution_count: 3,
          data: { 'text/plain': ['x\n', 'y'], 'application/vnd.a+json': ['kept', 'a list'] },
          metadata: {},
        },
      ],
    },
  ],
  metadata: { kernelspec: { name: 'tslab' }, own: { kept: true } },
  nbformat: 4,
  nbformat_minor: 2,
};

describe('reading a notebook', () => {
  it('joins texts that are lists of lines, and leaves JSON outputs as they are', () => {
    const { cells, metadata } = parseNotebook(JSON.stringify(minimal), 'a.ipynb');
    expect(cells[0]!.source).toBe('# Title\ntext');
    expect(cells[1]).toMatchObject({
      outputs: [
        { text: 'one\ntwo' },
        { data: { 'text/plain': 'x\ny', 'application/vnd.a+json': ['kept', 'a list'] } },
      ],
    });
    expect(metadata.own).toEqual({ kept: true });
  });

  it('gives every cell an id of its own, as format 4.5 wants, and keeps those that are good', () => {
    const cell = (id?: string) => ({
      cell_type: 'code',
      source: '',
      metadata: {},
      outputs: [],
      ...(id && { id }),
    });
    const cells = [cell('keep-me'), cell('keep-me'), cell(), cell('not allowed!')];
    const read = parseNotebook(JSON.stringify({ ...minimal, cells }), 'a.ipynb');
    const ids = read.cells.map(({ id }) => id);
    expect(ids[0]).toBe('keep-me');
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(read.nbformat_minor).toBe(5);
  });

  it.each([
    ['{ "cells": ', 'NOTEBOOK_MALFORMED'],
    ['null', 'NOTEBOOK_MALFORMED'],
    ['[1]', 'NOTEBOOK_MALFORMED'],
    [JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'code' }] }), 'NOTEBOOK_MALFORMED'],
    [JSON.stringify({ nbformat: 3, worksheets: [] }), 'NOTEBOOK_VERSION'],
  ])('refuses %s', (content, code) => {
    expect(() => parseNotebook(content, 'a.ipynb')).toThrow(
      expect.objectContaining({ code, where: 'a.ipynb' }),
    );
  });
});

describe('writing a notebook', () => {
  it('writes lists of lines, sorted names and one blank of indent, as Jupyter does', () => {
    const text = notebookText(parseNotebook(JSON.stringify(minimal), 'a.ipynb'));
    expect(text).toMatch(/^\{\n "cells": \[\n/);
    expect(text.endsWith('}\n')).toBe(true);
    const written = JSON.parse(text) as typeof minimal;
    expect(written.cells[0]!.source).toEqual(['# Title\n', 'text']);
    expect(written.cells[1]!.source).toEqual(['a\n', 'b\n']);
    expect(written.cells[1]!.outputs![1]).toEqual({
      output_type: 'execute_result',
      execution_count: 3,
      data: { 'text/plain': ['x\n', 'y'], 'application/vnd.a+json': ['kept', 'a list'] },
      metadata: {},
    });
    expect(Object.keys(written.cells[1]!)).toEqual([...Object.keys(written.cells[1]!)].sort());
  });

  it('is the same when it is read and written again', () => {
    const once = notebookText(parseNotebook(JSON.stringify(minimal), 'a.ipynb'));
    expect(notebookText(parseNotebook(once, 'a.ipynb'))).toBe(once);
  });
});
