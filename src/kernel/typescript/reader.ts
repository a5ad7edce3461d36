import type TS from 'typescript';
import type { Completion, Inspection } from '../cell-engine.js';
import { readDeclarations } from './declarations.js';
import { documentationOf } from './documentation.js';
import type { Files } from './files.js';
import { createService } from './language-service.js';
import { withoutCellNames, type Names } from './names.js';
import { ts } from './typescript.js';

/** Names offered at once; a list that is longer is of no use. */
const MATCHES = 1000;

/**
 * Completion and documentation: TypeScript's language service over the same files as the checker, made when it is
 * first asked.
 */
export class Reader {
  readonly #files: Files;
  readonly #names: Names;
  readonly #probe: string;
  readonly #service: TS.LanguageService;

  constructor(files: Files, names: Names) {
    this.#files = files;
    this.#names = names;
    this.#probe = files.path('__cell_read__.ts');
    this.#service = createService(files, this.#probe);
  }

  complete(code: string, position: number): Completion | undefined {
    this.#open(code);
    const found = this.#service.getCompletionsAtPosition(this.#probe, position, {
      includeCompletionsWithInsertText: false,
      includeCompletionsForModuleExports: false,
    });
    if (found === undefined) return undefined;
    const span = found.optionalReplacementSpan ?? found.entries[0]?.replacementSpan;
    const start = span?.start ?? startOfWord(code, position);
    const end = span ? Math.max(position, span.start + span.length) : position;
    const typed = code.slice(start, position);
    const entries = matching(found.entries, typed).slice(0, MATCHES);
    if (entries.length === 0) return undefined;
    return {
      start,
      end,
      matches: entries.map(({ name }) => name),
      types: entries.map(({ kind }) => kinds[kind] ?? kind),
    };
  }

  inspect(code: string, position: number, source: boolean): Inspection | undefined {
    this.#open(code);
    const at = this.#describedPosition(code, position);
    if (at === undefined) return undefined;
    const info = this.#service.getQuickInfoAtPosition(this.#probe, at)!;
    const signature = tidy(ts.displayPartsToString(info.displayParts));
    const declarations = this.#declarations(at);
    const written = [
      ts.displayPartsToString(info.documentation),
      ...(info.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`.trimEnd()),
    ]
      .join('\n')
      .trim();
    const documentation = written || (declarations.map(documentationOf).find((text) => text !== '') ?? '');
    const definition = source ? declarations.map(sourceOf).find((text) => text !== '') : undefined;
    const parts = [signature, documentation, ...(definition ? [definition] : [])].filter(
      (part) => part !== '',
    );
    const fenced = (text: string): string => `\`\`\`typescript\n${text}\n\`\`\``;
    return {
      text: parts.join('\n\n'),
      markdown: [
        fenced(signature),
        ...(documentation === '' ? [] : [documentation]),
        ...(definition ? [fenced(definition)] : []),
      ].join('\n\n'),
    };
  }

  /** The name at the position, the one it follows, or the function whose arguments are being written. */
  #describedPosition(code: string, position: number): number | undefined {
    const candidates = [position, position - 1];
    const call = this.#calledAt(position);
    if (call !== undefined) candidates.push(call);
    return candidates.find(
      (at) => at >= 0 && at <= code.length && this.#service.getQuickInfoAtPosition(this.#probe, at),
    );
  }

  #calledAt(position: number): number | undefined {
    const help = this.#service.getSignatureHelpItems(this.#probe, position, undefined);
    if (help === undefined) return undefined;
    // the span is that of the arguments, without the parenthesis before them
    const text = this.#service.getProgram()!.getSourceFile(this.#probe)!.text;
    const before = text.slice(0, help.applicableSpan.start).trimEnd().replace(/\($/, '').trimEnd();
    return before.length - 1;
  }

  #declarations(at: number): TS.Node[] {
    const program = this.#service.getProgram()!;
    const checker = program.getTypeChecker();
    const node = nodeAt(program.getSourceFile(this.#probe)!, at);
    let symbol = node && checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    return [...(symbol?.declarations ?? [])];
  }

  #open(code: string): void {
    const file = ts.createSourceFile('cell.ts', code, ts.ScriptTarget.Latest, false);
    const prelude = this.#names.readingPrelude(readDeclarations(file));
    this.#files.setCell(this.#probe, `${code}\n;${prelude} export {};`);
  }
}

/** Letters of a name before the position. */
const startOfWord = (code: string, position: number): number =>
  position - /[\p{ID_Continue}$\u200c\u200d]*$/u.exec(code.slice(0, position))![0].length;

/** Those that begin with what was typed, its case respected where any does; in the service's order. */
function matching(entries: readonly TS.CompletionEntry[], typed: string): TS.CompletionEntry[] {
  const ordered = [...entries].sort((a, b) =>
    a.sortText === b.sortText ? compare(a.name, b.name) : compare(a.sortText, b.sortText),
  );
  const exact = ordered.filter(({ name }) => name.startsWith(typed));
  if (exact.length > 0) return exact;
  const lower = typed.toLowerCase();
  return ordered.filter(({ name }) => name.toLowerCase().startsWith(lower));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** TypeScript's kinds of names in the words of Jupyter's front ends. */
const kinds: Readonly<Record<string, string>> = {
  var: 'variable',
  let: 'variable',
  const: 'variable',
  'local var': 'variable',
  alias: 'variable',
  parameter: 'variable',
  'local function': 'function',
  'local class': 'class',
  method: 'method',
  getter: 'property',
  setter: 'property',
  'external module name': 'module',
  directory: 'folder',
  script: 'file',
  'primitive type': 'type',
  'type parameter': 'type',
  'enum member': 'property',
};

/** Names of earlier cells are imported behind the scenes: that is no news. */
const tidy = (signature: string): string =>
  withoutCellNames(signature.replace(/^\(alias\) /, '').replace(/\nimport [^\n]*$/, ''));

/** Text of a declaration, that of the whole statement for a variable; none for whole files and long namespaces. */
function sourceOf(declaration: TS.Node): string {
  if (ts.isSourceFile(declaration)) return '';
  const list = declaration.parent;
  const isVariable =
    ts.isVariableDeclaration(declaration) &&
    ts.isVariableDeclarationList(list) &&
    ts.isVariableStatement(list.parent) &&
    list.declarations.length === 1;
  const text = (isVariable ? list.parent : declaration).getText();
  return text.length > SOURCE_LENGTH ? `${text.slice(0, SOURCE_LENGTH)}…` : text;
}

const SOURCE_LENGTH = 8000;

/** The innermost node at an offset. */
function nodeAt(file: TS.SourceFile, offset: number): TS.Node | undefined {
  const within = (node: TS.Node): boolean => node.getStart(file) <= offset && offset <= node.getEnd();
  let found: TS.Node | undefined;
  const visit = (node: TS.Node): void => {
    if (!within(node)) return;
    found = node;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found;
}
