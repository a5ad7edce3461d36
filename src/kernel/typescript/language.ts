import { TraceMap } from '@jridgewell/trace-mapping';
import type TS from 'typescript';
import type {
  Cell,
  CellDiagnostic,
  CellLanguage,
  ConvertedCell,
  LanguageOptions,
  Strictness,
} from '../cell-engine.js';
import { Checker, toCellDiagnostic } from './checker.js';
import { saveCodeCache } from './code-cache.js';
import { completenessOf, syntaxErrors } from './completeness.js';
import { readDeclarations, type CellDeclarations, type NameKind } from './declarations.js';
import { Files } from './files.js';
import { readMetadata } from './metadata.js';
import { cellFileName, exportsOf, Names, type Prelude } from './names.js';
import { positionOf, type CellPayload } from './payload.js';
import { Reader } from './reader.js';
import { rewriteCell } from './rewrite.js';
import { ts } from './typescript.js';

interface Pending {
  readonly code: string;
  readonly prelude: Prelude;
  readonly written: ReadonlyMap<string, string>;
  readonly declarations: CellDeclarations;
  readonly runtime: ReadonlyMap<string, NameKind>;
}

/**
 * Cells whose types are inferred through more cells than this have theirs written down: a cell that is run again
 * and again, each time from the values before, would otherwise make an endless chain.
 */
const LONG_CHAIN = 20;

/** How long the start waits for a first cell before it reads the types of Node, which keeps a cell waiting. */
const FIRST_CELL_MS = 500;

/**
 * The reading half of the engine `typescript`. It reads the standard library at once, so that the first cell finds
 * it ready.
 */
export function createLanguage(options: LanguageOptions): CellLanguage {
  let strictness = options.strictness;
  const files = new Files(options, strictness);
  const names = new Names();
  const checker = new Checker(files);
  let reader: Reader | undefined;
  /** Cells converted and not yet committed, by id. */
  const pending = new Map<string, Pending>();
  let committed = 0;
  /** Cells that are modules, by path. */
  const modules = new Set<string>();

  const finishStart = (): void => {
    if (!checker.isComplete) checker.complete();
    saveCodeCache();
  };
  warmUp(checker, files);
  setTimeout(finishStart, FIRST_CELL_MS).unref();

  function convert(cell: Cell): ConvertedCell {
    const { id, code } = cell;
    const refused = (diagnostics: readonly CellDiagnostic[]): ConvertedCell => ({
      id,
      diagnostics,
      payload: undefined,
    });
    const { module, isJsx, isBrowser } = readMetadata(code);
    if (isBrowser) return { id, diagnostics: [], payload: { kind: 'nothing' } satisfies CellPayload };
    const fileName = `${module ?? 'cell'}.${module !== undefined && isJsx ? 'tsx' : 'ts'}`;
    const file = ts.createSourceFile(fileName, code, ts.ScriptTarget.Latest, false);
    const errors = syntaxErrors(file);
    if (errors.length > 0) return refused(errors.map((error) => toCellDiagnostic(error, 'error')));
    if (module !== undefined) return convertModule(id, fileName, code);

    files.refresh();
    const declarations = readDeclarations(file);
    const prelude = names.prelude(declarations);
    const isChecked = strictness !== 'off' || declarations.imports.length > 0;
    const checked = isChecked
      ? checker.check(code, prelude.text, strictness)
      : { diagnostics: [], typeImports: new Set<string>() };
    const { typeImports } = checked;
    const diagnostics = checked.diagnostics.map((diagnostic) => names.inPlainWords(diagnostic));
    if (diagnostics.some(({ severity }) => severity === 'error')) return refused(diagnostics);

    const { js, map } = transpile(code, files.options);
    try {
      const rewritten = rewriteCell({
        js,
        identifiers: declarations.identifiers,
        kinds: new Map([...declarations.names].map(([name, { kind }]) => [name, kind])),
        resets: declarations.resets,
        hasValue: declarations.hasValue,
        typeImports,
        known: names.runtime,
      });
      const written =
        isChecked && prelude.depth >= LONG_CHAIN
          ? checker.writtenTypes(declarations, prelude.depth)
          : new Map<string, string>();
      pending.set(id, { code, prelude, written, declarations, runtime: rewritten.names });
      const payload: CellPayload = { kind: 'cell', ...rewritten, js, map };
      return { id, diagnostics, payload };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return refused([ruleBroken(error, js, map)]);
    }
  }

  /** A module of the notebook's folder that is on no disk; a refused one leaves the one before in its place. */
  function convertModule(id: string, name: string, source: string): ConvertedCell {
    const file = files.path(name);
    const before = files.isCell(file) ? files.text(file) : undefined;
    files.setCell(file, source);
    const diagnostics = strictness === 'off' ? [] : checker.checkModule(file, strictness);
    if (diagnostics.some(({ severity }) => severity === 'error')) {
      if (before === undefined) files.removeCell(file);
      else files.setCell(file, before);
      return { id, diagnostics, payload: undefined };
    }
    modules.add(file);
    return { id, diagnostics, payload: { kind: 'module', name, source } satisfies CellPayload };
  }

  return {
    convert,
    commit(id, _failed, kept = []) {
      const cell = pending.get(id);
      if (cell === undefined) return;
      // what was converted before and never ran is forgotten
      pending.clear();
      const number = ++committed;
      const { declarations, runtime, code, prelude, written } = cell;
      files.setCell(files.path(cellFileName(number)), `${code}\n${prelude.text} ${exportsOf(declarations)}`);
      names.commit({ number, declarations, depth: prelude.depth, written }, runtime, new Set(kept));
      // what the next cell will want, while this one's result is shown
      if (number === 1) setImmediate(finishStart);
    },
    complete: (code, position) => (reader ??= new Reader(files, names)).complete(code, position),
    inspect: (code, position, source) =>
      (reader ??= new Reader(files, names)).inspect(code, position, source),
    isComplete: completenessOf,
    setStrictness(level: Strictness) {
      strictness = level;
      files.setStrictness(level);
    },
    reset() {
      for (let number = 1; number <= committed; number++) files.removeCell(files.path(cellFileName(number)));
      for (const file of modules) files.removeCell(file);
      modules.clear();
      names.reset();
      pending.clear();
    },
  };
}

/** Everything a cell needs, once, for one that has a bit of each. */
function warmUp(checker: Checker, files: Files): void {
  const code =
    'const a: number = [1, 2].map((b) => b + 1).length; async function f() { await f(); console.log(a); }';
  checker.check(code, '', 'loose');
  const { js } = transpile(code, files.options);
  const nothing = new Map<string, never>();
  rewriteCell({
    js,
    identifiers: new Set(['a', 'f']),
    kinds: nothing,
    resets: new Set(),
    hasValue: false,
    typeImports: new Set(),
    known: nothing,
  });
}

/** Types are taken out, enums, decorators and `using` become JavaScript; imports stay, also unused ones. */
function transpile(
  code: string,
  { experimentalDecorators = false, emitDecoratorMetadata = false }: TS.CompilerOptions,
): { js: string; map: string } {
  const { outputText, sourceMapText = '' } = ts.transpileModule(code, {
    fileName: 'cell.ts',
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Preserve,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      sourceMap: true,
      experimentalDecorators,
      emitDecoratorMetadata,
    },
  });
  return { js: outputText.replace(/\/\/# sourceMappingURL=\S*\s*$/, ''), map: sourceMapText };
}

/** A rule that acorn knows and TypeScript checks only together with types: `let a; let a`. */
function ruleBroken(error: SyntaxError, js: string, map: string): CellDiagnostic {
  const { pos = 0 } = error as SyntaxError & { readonly pos?: number };
  const place = positionOf(js, pos, new TraceMap(map)) ?? { line: 1, column: 1 };
  return { severity: 'error', code: 0, message: error.message.replace(/ \(\d+:\d+\)$/, ''), ...place };
}
