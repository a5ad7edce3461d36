import type * as TS from '@tslab/typescript-for-tslab';
import type { Inspection } from '../cell-engine.js';
import type { CellCompiler } from './compiler.js';
import { LINES_BEFORE } from './diagnostics.js';
import type { TypeScript } from './package.js';

/** Longer declarations, of generated packages mostly, are cut. */
const MAXIMUM_LINES = 200;

/** What is known about a name, as text and as Markdown. */
export function inspectionOf(
  { displayParts = [], documentation = [], tags = [] }: TS.QuickInfo,
  source: string | undefined,
): Inspection {
  const join = (parts: readonly TS.SymbolDisplayPart[]): string => parts.map(({ text }) => text).join('');
  const signature = join(displayParts);
  const docs = join(documentation);
  const marked = tags.map(({ name, text = [] }) => `@${name} ${join(text)}`.trim());
  const paragraphs = [docs, marked.join('\n')].filter((text) => text !== '');
  return {
    text: [signature, ...paragraphs, ...(source === undefined ? [] : [source])].join('\n\n'),
    markdown: [
      fenced(signature),
      docs,
      ...marked.map((tag) => `*${tag.replace(/^(@\w+)/, '$1*')}`),
      ...(source === undefined ? [] : [fenced(source)]),
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
  };
}

const fenced = (code: string): string => `\`\`\`typescript\n${code}\n\`\`\``;

interface Internals {
  getTouchingPropertyName(file: TS.SourceFile, position: number): TS.Node;
}

/** The declaration a name at this place of the cell stands for, from the file it stands in. */
export function sourceOf(
  ts: TypeScript,
  { program, cellFile }: CellCompiler,
  position: number,
): string | undefined {
  const file = program?.getSourceFile(cellFile);
  if (program === undefined || file === undefined) return undefined;
  const checker = program.getTypeChecker();
  const before = file.getPositionOfLineAndCharacter(LINES_BEFORE, 0);
  const node = (ts as unknown as Internals).getTouchingPropertyName(file, before + position);
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  let declaration: TS.Node | undefined = symbol?.valueDeclaration ?? symbol?.declarations?.[0];
  if (declaration === undefined) return undefined;
  if (ts.isVariableDeclaration(declaration)) declaration = declaration.parent.parent;
  const from = declaration.getSourceFile();
  const lines = declaration.getText().split('\n');
  const text = lines.slice(0, MAXIMUM_LINES).join('\n') + (lines.length > MAXIMUM_LINES ? '\n…' : '');
  return from === file ? text : `// ${from.fileName}\n${text}`;
}
