import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';
import { root } from '../support/needs.js';
import { readNotebook, textOf } from '../support/notebook.js';

const folder = path.join(root, 'notebooks');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ipynb') && !name.includes('.ipynb_checkpoints'),
);

/** Names that a cell declares at its top level, and shorthand properties it uses. */
function readCell(source: string): { declared: string[]; shorthand: string[]; isExporting: boolean } {
  const file = ts.createSourceFile('cell.ts', source, ts.ScriptTarget.ES2022, true);
  const declared: string[] = [];
  const shorthand: string[] = [];
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) {
        if (ts.isIdentifier(name)) declared.push(name.text);
        else
          declared.push(
            ...name.elements.flatMap((element) => ('name' in element ? [element.name.getText()] : [])),
          );
      }
    } else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
      declared.push(statement.name.text);
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isShorthandPropertyAssignment(node)) shorthand.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { declared, shorthand, isExporting: /^\s*export\s/m.test(source) };
}

describe.each(files)('notebooks/%s', (name) => {
  const notebook = readNotebook(path.join(folder, name));
  const cells = notebook.cells.filter((cell) => cell.cell_type === 'code');

  it('begins with a title and names a kernel of kernels/', () => {
    expect(textOf(notebook.cells[0]?.source)).toMatch(/^# /);
    expect(['gondwana', 'tslab']).toContain(notebook.metadata.kernelspec.name);
  });

  it('is stored without outputs', () => {
    expect(cells.flatMap((cell) => cell.outputs ?? [])).toEqual([]);
  });

  it('has a parameters cell with quick', () => {
    const parameters = cells.filter((cell) => cell.metadata.tags?.includes('parameters'));
    expect(parameters).toHaveLength(1);
    expect(textOf(parameters[0]!.source)).toMatch(/^let quick = false;/m);
  });

  it('uses nothing that plain tslab gets wrong: shorthand with names of earlier cells, export', () => {
    const earlier = new Set<string>();
    for (const cell of cells) {
      const { declared, shorthand, isExporting } = readCell(textOf(cell.source));
      expect(shorthand.filter((used) => earlier.has(used))).toEqual([]);
      expect(isExporting).toBe(false);
      for (const declaredName of declared) earlier.add(declaredName);
    }
    expect(earlier.size).toBeGreaterThan(0);
  });
});
