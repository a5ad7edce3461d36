import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type TS from 'typescript';
import type { CellDiagnostic, Strictness } from '../cell-engine.js';
import { importedNames, type CellDeclarations } from './declarations.js';
import type { Files } from './files.js';
import { withoutCellNames } from './names.js';
import { ts } from './typescript.js';

export interface CheckedCell {
  readonly diagnostics: readonly CellDiagnostic[];
  /** Imported names that stand for types alone. */
  readonly typeImports: ReadonlySet<string>;
}

/**
 * Complaints that say nothing in a notebook: an unused left side of a comma, a variable named as one of Node's,
 * code that is never reached.
 */
const ignored = new Set([2695, 2441, 7027, 7028]);
/** A module without types, and one that TypeScript does not find. */
const WITHOUT_TYPES = 7016;
const notFound = new Set([2307, 2792]);

/** Files larger than this are not checked when a cell imports them. */
const CHECKED_FILE_LENGTH = 200_000;

/** Of Node's globals the one that most first cells use; what is not here is looked up in Node's own types. */
const START_TYPES = `
interface Console { ${['log', 'info', 'warn', 'error', 'debug']
  .map((name) => `${name}(...data: any[]): void;`)
  .join(' ')} }
declare var console: Console;`;

/**
 * One program after another over the same file names, each made from the one before: the cell at hand, under a
 * constant name, and the cells it uses.
 */
export class Checker {
  readonly #files: Files;
  readonly #cell: string;
  /** Local files whose errors were told, in the state they were in. */
  readonly #told = new WeakSet<TS.SourceFile>();
  readonly #start: string;
  #program: TS.Program | undefined;
  #isComplete = false;

  constructor(files: Files) {
    this.#files = files;
    this.#cell = files.path('__cell__.ts');
    this.#start = files.path('__cell_start__.d.ts');
    files.setCell(this.#start, START_TYPES);
  }

  /** Whether the types of Node are read: that takes most of the start. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Reads what the first cell could do without. */
  complete(): void {
    if (!this.#isComplete) this.#check('setTimeout(() => {}, 1);', '', 'loose');
  }

  /**
   * @param code the cell; where `strictness` is `off` it is looked at only for which imports are types
   * @param prelude what its names of earlier cells mean
   */
  check(code: string, prelude: string, strictness: Strictness): CheckedCell {
    return this.#quickCheck(code, prelude, strictness) ?? this.#check(code, prelude, strictness);
  }

  /**
   * A first cell that is right by the language's own library alone runs before anything else is read; any doubt,
   * and any import, is for the whole program.
   */
  #quickCheck(code: string, prelude: string, strictness: Strictness): CheckedCell | undefined {
    if (this.#isComplete || strictness === 'off' || /\bimport\b|\brequire\b/.test(code)) return undefined;
    const options = { ...this.#files.options, types: [] };
    const { program, file } = this.#createProgram(code, prelude, this.#start, options);
    const isRight = program.getSemanticDiagnostics(file).length === 0;
    return isRight ? { diagnostics: [], typeImports: new Set() } : undefined;
  }

  #check(code: string, prelude: string, strictness: Strictness): CheckedCell {
    this.#isComplete = true;
    const { globals } = this.#files.language;
    const { program, file } = this.#createProgram(code, prelude, globals, this.#files.options);
    const typeImports = this.#typeImports(program, file, code.length);
    if (strictness === 'off') return { diagnostics: [], typeImports };
    const diagnostics = program
      .getSemanticDiagnostics(file)
      .filter(({ start = 0 }) => start <= code.length)
      .flatMap((diagnostic) => this.#describe(diagnostic, strictness));
    return { diagnostics: [...diagnostics, ...this.#importedFiles(program, file)], typeImports };
  }

  /** Checks a cell that is a module by itself. */
  checkModule(file: string, strictness: Strictness): CellDiagnostic[] {
    const program = this.#programOf([this.#files.language.globals, file], this.#files.options);
    return program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .flatMap((diagnostic) => this.#describe(diagnostic, strictness));
  }

  #createProgram(
    code: string,
    prelude: string,
    globals: string,
    options: TS.CompilerOptions,
  ): { program: TS.Program; file: TS.SourceFile } {
    this.#files.setCell(this.#cell, `${code}\n${prelude} export {};`);
    const program = this.#programOf([globals, this.#cell], options);
    this.#program = program;
    return { program, file: program.getSourceFile(this.#cell)! };
  }

  #programOf(rootNames: readonly string[], options: TS.CompilerOptions): TS.Program {
    const { host } = this.#files;
    return ts.createProgram({
      rootNames,
      options,
      host,
      ...(this.#program && { oldProgram: this.#program }),
    });
  }

  /**
   * Types of the variables of the cell that was checked last, as text without names of its own; `any` where that
   * is not possible and the chain is far too long.
   */
  writtenTypes({ names }: CellDeclarations, depth: number): Map<string, string> {
    const written = new Map<string, string>();
    const file = this.#program?.getSourceFile(this.#cell);
    const checker = this.#program?.getTypeChecker();
    if (file === undefined || checker === undefined) return written;
    for (const symbol of checker.getSymbolsInScope(file, ts.SymbolFlags.Variable)) {
      const declared = names.get(symbol.name);
      if (!declared?.isValue || declared.isType || symbol.valueDeclaration?.getSourceFile() !== file)
        continue;
      const type = checker.getTypeOfSymbol(symbol);
      // `const n = 5` says more than `5`: `let m = n` is a number
      if (type.flags & ts.TypeFlags.Literal) continue;
      const text = checker.typeToString(
        type,
        undefined,
        ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType,
      );
      if (isPortable(text)) written.set(symbol.name, text);
      else if (depth > ENDLESS_CHAIN) written.set(symbol.name, 'any');
    }
    return written;
  }

  #describe(diagnostic: TS.Diagnostic, strictness: Strictness): CellDiagnostic[] {
    const { code, category } = diagnostic;
    if (ignored.has(code) || category === ts.DiagnosticCategory.Suggestion) return [];
    const isOnlyUntyped =
      code === WITHOUT_TYPES || (notFound.has(code) && this.#existsAtRunTime(moduleOf(diagnostic)));
    if (isOnlyUntyped && strictness === 'loose') return [];
    const severity = isOnlyUntyped || category !== ts.DiagnosticCategory.Error ? 'warning' : 'error';
    return [toCellDiagnostic(diagnostic, severity)];
  }

  /** The loader of modules finds more than TypeScript: packages that bring no types and hide their files. */
  #existsAtRunTime(specifier: string): boolean {
    const { folder } = this.#files.language;
    if (/^\.{0,2}\//.test(specifier)) return existsSync(path.resolve(folder, specifier));
    try {
      createRequire(path.join(folder, '__cell__.js')).resolve(specifier);
      return true;
    } catch (error) {
      // the package is there, and only `import` may load it
      return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    }
  }

  #typeImports(program: TS.Program, file: TS.SourceFile, length: number): Set<string> {
    const checker = program.getTypeChecker();
    const found = new Set<string>();
    for (const statement of file.statements) {
      if (statement.pos > length || !ts.isImportDeclaration(statement)) continue;
      for (const name of importedNames(statement)) {
        const symbol = checker.getSymbolAtLocation(name);
        if (symbol === undefined || !(symbol.flags & ts.SymbolFlags.Alias)) continue;
        // a symbol that cannot be resolved counts as a value
        if (!(checker.getAliasedSymbol(symbol).flags & ts.SymbolFlags.Value)) found.add(name.text);
      }
    }
    return found;
  }

  /** Errors in local modules that the cell imports: told once, as what runs is their JavaScript. */
  #importedFiles(program: TS.Program, cell: TS.SourceFile): CellDiagnostic[] {
    const files = cell.statements.flatMap((statement) => {
      if (!ts.isImportDeclaration(statement)) return [];
      const symbol = program.getTypeChecker().getSymbolAtLocation(statement.moduleSpecifier);
      const file = symbol?.declarations?.find(ts.isSourceFile);
      return file === undefined || !this.#isChecked(file) ? [] : [file];
    });
    return files.flatMap((file) => {
      this.#told.add(file);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
        .filter(({ code, category }) => !ignored.has(code) && category === ts.DiagnosticCategory.Error)
        .map((diagnostic) => ({ ...toCellDiagnostic(diagnostic, 'warning'), file: file.fileName }));
    });
  }

  #isChecked(file: TS.SourceFile): boolean {
    const { fileName, text } = file;
    return (
      !this.#files.isCell(fileName) &&
      !file.isDeclarationFile &&
      /\.[cm]?tsx?$/.test(fileName) &&
      !fileName.includes('/node_modules/') &&
      text.length <= CHECKED_FILE_LENGTH &&
      !this.#told.has(file)
    );
  }
}

/** Inference through this many cells nears the end of the stack. */
const ENDLESS_CHAIN = 100;

/** Names that mean the same in every module. */
const portable =
  /^(any|unknown|never|void|undefined|null|true|false|number|string|boolean|bigint|symbol|object|readonly|Array|ReadonlyArray|Map|Set|Promise|Date|RegExp|Error|Record|Partial|URL|ArrayBuffer|SharedArrayBuffer|ArrayBufferLike|(Big)?(Int|Uint|Float)(8|16|32|64)(Clamped)?Array)$/;

/** Names of properties and parameters may be any; a type parameter or an imported type stands for itself only here. */
function isPortable(text: string): boolean {
  if (text.length > 2000 || /\b(typeof|import|this|infer|keyof)\b/.test(text)) return false;
  const types = text.replace(/'(?:[^'\\]|\\.)*'|[\p{ID_Start}$_][\p{ID_Continue}$]*\??:/gu, '');
  return (types.match(/[\p{ID_Start}$_][\p{ID_Continue}$.]*/gu) ?? []).every((name) => portable.test(name));
}

/** The quoted name in the text of "Cannot find module 'x'". */
const moduleOf = ({ messageText }: TS.Diagnostic): string =>
  /'([^']+)'/.exec(ts.flattenDiagnosticMessageText(messageText, '\n'))?.[1] ?? '';

export function toCellDiagnostic(
  { file, start = 0, messageText, code }: TS.Diagnostic,
  severity: CellDiagnostic['severity'],
): CellDiagnostic {
  const { line, character } = file
    ? ts.getLineAndCharacterOfPosition(file, start)
    : { line: 0, character: 0 };
  return {
    severity,
    code,
    message: withoutCellNames(ts.flattenDiagnosticMessageText(messageText, '\n')),
    line: line + 1,
    column: character + 1,
  };
}
