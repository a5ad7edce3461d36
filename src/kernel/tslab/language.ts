import type * as TS from '@tslab/typescript-for-tslab';
import type {
  Cell,
  CellDiagnostic,
  CellLanguage,
  Completeness,
  Completion,
  ConvertedCell,
  Inspection,
  LanguageOptions,
} from '../cell-engine.js';
import { findProject, projectStamp } from '../modules/project.js';
import { saveCodeCache } from '../typescript/code-cache.js';
import { CellCompiler, type Emitted } from './compiler.js';
import { completenessOf } from './completeness.js';
import { Declarations } from './declarations.js';
import {
  cellDiagnostic,
  LINES_BEFORE,
  missingModule,
  MODULE_NOT_FOUND,
  TOP_LEVEL_AWAIT,
} from './diagnostics.js';
import { hasTopLevelAwait, fixCell } from './fix-cell.js';
import { isTooDeep } from '../too-deep.js';
import { LocalChecks } from './local-checks.js';
import { MissingModules } from './missing-modules.js';
import { loadTslab, loadTypeScript } from './package.js';
import type { TslabPayload } from './payload.js';
import { inspectionOf, sourceOf } from './inspection.js';

interface Pending {
  readonly declarations: string;
  readonly sources: ReadonlyMap<string, string>;
  readonly declared: ReadonlySet<string>;
  readonly ambient: ReadonlySet<string>;
}

/** How long the start waits for a first cell before it reads the types of Node, which keeps a cell waiting. */
const FIRST_CELL_MS = 500;

/**
 * The reading half of the engine `tslab`: tslab 1.0.22's converter, with cells and its options adapted. It starts at
 * once, which takes about a second.
 */
export function createLanguage(options: LanguageOptions): CellLanguage {
  const ts = loadTypeScript();
  const { getCodeMetadata } = loadTslab();
  let { strictness } = options;
  let compiler: CellCompiler | undefined = new CellCompiler(options, strictness);
  let project = findProject(options.folder);
  let configuration = projectStamp(options.folder, project);
  let declarations = new Declarations(ts);
  /** Names that cells only declared: globals of somebody else. */
  const ambient = new Set<string>();
  /** Cells converted and not yet committed, by id. */
  const pending = new Map<string, Pending>();
  const modules = new Map<string, { readonly code: string; readonly isJsx: boolean }>();
  const missing = new MissingModules(options.folder);
  const localChecks = new LocalChecks(ts);

  /** tslab's converter does not recover from an error inside it: it then refuses every cell that follows. */
  function discard(): void {
    const before = compiler;
    compiler = undefined;
    quietly(() => before?.close());
  }

  /** Once more on a new compiler: a question about half a line may have upset the one before. */
  function convertAtLast(cell: Cell): ConvertedCell {
    try {
      return convert(cell);
    } catch (error) {
      discard();
      if (isTooDeep(error)) throw error;
    }
    try {
      return convert(cell);
    } catch (error) {
      discard();
      throw error;
    }
  }

  /** The compiler, made anew where its options changed: the kernel's, or those of a tsconfig.json. */
  function current(): CellCompiler {
    const stamp = projectStamp(options.folder, project);
    if (stamp !== configuration) {
      project = findProject(options.folder);
      configuration = projectStamp(options.folder, project);
      discard();
    }
    if (compiler === undefined) {
      compiler = new CellCompiler(options, strictness);
      for (const [name, { code, isJsx }] of modules) compiler.addModule(name, code, isJsx);
    }
    if (missing.anyFound()) compiler.forgetResolutions();
    return compiler;
  }

  let isWarm = false;
  /** Reads what the first cell did not wait for. */
  function warmUp(): void {
    if (isWarm) return;
    isWarm = true;
    const at = current();
    at.loadNodeTypes();
    at.convert(declarations.text, { code: '', disposals: new Map() }, ambient);
    saveCodeCache();
  }
  setTimeout(warmUp, FIRST_CELL_MS).unref();

  function convert({ id, code }: Cell): ConvertedCell {
    const metadata = code.includes('@') ? getCodeMetadata(code) : {};
    if (metadata.module !== undefined) return addModule(id, metadata.module, code, metadata.jsx === true);
    if (metadata.mode === 'browser')
      return { id, diagnostics: [], payload: { kind: 'none' } satisfies TslabPayload };
    const at = current();
    const fixed = fixCell(ts, code);
    // what is imported may speak of Node's types, and be taken for `any` without them
    if (/\b(import|require)\b/.test(fixed.code)) at.loadNodeTypes();
    let { conversion, emitted } = at.convert(declarations.text, fixed, ambient);
    if (conversion.output === undefined && !at.hasNodeTypes) {
      at.loadNodeTypes();
      ({ conversion, emitted } = at.convert(declarations.text, fixed, ambient));
    }
    const cell = { file: at.cellFile, code, folder: options.folder };
    const told = (diagnostic: TS.Diagnostic, severity: CellDiagnostic['severity']): CellDiagnostic =>
      cellDiagnostic(ts, diagnostic, severity, cell);
    const { output } = conversion;
    if (output === undefined) {
      const fatal = fatalOf(emitted, conversion.diagnostics).map((diagnostic) => told(diagnostic, 'error'));
      missing.note(
        fatal.filter((one) => one.code === MODULE_NOT_FOUND).map(({ message }) => missingModule(message)),
      );
      return { id, diagnostics: fatal, payload: undefined };
    }
    const { declared, file, imports, maps } = emitted;
    pending.set(id, {
      declarations: emitted.declarations || declaredAsAny(declared),
      sources: sourcesOf(ts, file),
      declared,
      ambient: emitted.ambient,
    });
    const payload: TslabPayload = {
      kind: 'cell',
      output,
      isAsync: file !== undefined && hasTopLevelAwait(ts, file),
      value: conversion.lastExpressionVar,
      names: [...declared].filter((name) => !isImport(ts, file, name)),
      imported: [...declared].filter((name) => isImport(ts, file, name)),
      imports,
      source: code,
      maps: [...maps].reverse(),
      linesBefore: LINES_BEFORE,
    };
    const warnings =
      strictness === 'off'
        ? []
        : localChecks.check(at.program, file).map((diagnostic) => told(diagnostic, 'warning'));
    return { id, diagnostics: warnings, payload };
  }

  function addModule(id: string, name: string, code: string, isJsx: boolean): ConvertedCell {
    modules.set(name, { code, isJsx });
    current().addModule(name, code, isJsx);
    const payload: TslabPayload = {
      kind: 'module',
      name: isJsx ? `${name}.tsx` : `${name}.ts`,
      source: code,
    };
    return { id, diagnostics: [], payload };
  }

  function commit(id: string, kept: readonly string[]): void {
    const cell = pending.get(id);
    pending.clear(); // what was converted before and never ran is never asked for again
    if (!isWarm) setImmediate(warmUp); // while this cell's result is shown
    if (cell === undefined) return;
    declarations.add(cell.declarations, cell.sources, kept);
    for (const name of cell.declared) ambient.delete(name);
    for (const name of cell.ambient) ambient.add(name);
  }

  function complete(code: string, position: number): Completion | undefined {
    const at = current();
    at.loadNodeTypes();
    const found = at.complete(declarations.text, fixCell(ts, code).code, position);
    if (found.candidates.length === 0) return undefined;
    const kinds = new Map((found.original?.entries ?? []).map(({ name, kind }) => [name, String(kind)]));
    return {
      start: found.start,
      end: found.end,
      matches: found.candidates,
      types: found.candidates.map((name) => kinds.get(name) ?? ''),
    };
  }

  function inspect(code: string, position: number, source: boolean): Inspection | undefined {
    const { code: text } = fixCell(ts, code);
    const at = current();
    at.loadNodeTypes();
    // the cursor may stand behind the name
    for (const offset of [position, position - 1]) {
      const info = offset < 0 ? undefined : at.inspect(declarations.text, text, offset);
      if (info === undefined) continue;
      const { start, length } = info.textSpan;
      const name = text.slice(start, start + length);
      return inspectionOf(
        info,
        source ? (declarations.sourceOf(name) ?? sourceOf(ts, at, start)) : undefined,
      );
    }
    return undefined;
  }

  return {
    convert: convertAtLast,
    commit: (id, _failed, kept = []) => commit(id, kept),
    complete: (code, position) => quietly(() => complete(code, position)),
    inspect: (code, position, source) => quietly(() => inspect(code, position, source)),
    isComplete: (code): Completeness => completenessOf(ts, code),
    setStrictness(level) {
      strictness = level;
      if (compiler !== undefined && !compiler.setStrictness(level)) discard();
    },
    reset() {
      declarations = new Declarations(ts);
      ambient.clear();
      pending.clear();
    },
  };
}

/** Questions about code in the middle of being typed may upset the compiler: then there is no answer. */
function quietly<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** Without the complaints about `await` at the top level, which tslab takes for a sign and no error. */
function fatalOf(
  { diagnostics, file }: Emitted,
  kept: readonly { readonly code: number; readonly start: object }[],
): readonly TS.Diagnostic[] {
  const prefix = file === undefined ? 0 : file.text.indexOf('\n') + 1;
  const awaits = new Set(
    kept
      .filter(({ code }) => code === TOP_LEVEL_AWAIT)
      .map(({ start }) => (start as { offset: number }).offset + prefix),
  );
  return diagnostics.filter(({ code, start }) => code !== TOP_LEVEL_AWAIT || awaits.has(start ?? -1));
}

const declaredAsAny = (names: ReadonlySet<string>): string =>
  [...names].map((name) => `declare let ${name}: any;`).join('\n');

const isImport = (ts: typeof TS, file: Emitted['file'], name: string): boolean =>
  ((file?.locals?.get(ts.escapeLeadingUnderscores(name) as string)?.flags ?? 0) & ts.SymbolFlags.Alias) !== 0;

/** The statements of a cell by the names they declare, as they were typed. */
function sourcesOf(ts: typeof TS, file: Emitted['file']): Map<string, string> {
  const sources = new Map<string, string>();
  for (const [name, { declarations = [] }] of file?.locals ?? []) {
    const statements = new Set<string>();
    for (const declaration of declarations) {
      let node: TS.Node = declaration;
      while (node.parent !== file && node.parent !== undefined) node = node.parent;
      if (!ts.isImportDeclaration(node)) statements.add(node.getText(file));
    }
    if (statements.size > 0)
      sources.set(ts.unescapeLeadingUnderscores(name as TS.__String), [...statements].join('\n'));
  }
  return sources;
}
