import vm from 'node:vm';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type {
  Cell,
  CellEngine,
  CellHooks,
  CellOutcome,
  LanguageClient,
  OriginalPosition,
} from '../cell-engine.js';
import { exportMissing } from '../modules/local-module.js';
import type { ModuleLoader } from '../modules/loader.js';
import { Boxes, type Access, type Before } from './boxes.js';
import { Disposer } from './disposer.js';
import { restoreNames } from './error-text.js';
import { loadTslab, type TslabConversion } from './package.js';
import type { TslabPayload } from './payload.js';

export interface TslabEngineOptions {
  readonly language: LanguageClient;
  readonly modules: ModuleLoader;
  /** Folder of the notebook. Absolute. */
  readonly folder: string;
}

type CellPayload = Extract<TslabPayload, { kind: 'cell' }>;

/** `__tslab__` of the cells: what their code calls. */
interface Context {
  exports: Record<string, unknown>;
  readonly require: (specifier: string) => unknown;
  readonly import: (specifier: unknown) => Promise<unknown>;
  readonly meta: object;
  readonly dirname: string;
  readonly filename: string;
  readonly box: Boxes['get'];
  readonly restore: typeof restoreNames;
  /** That of the cell at work. */
  disposer: Disposer;
  readonly newDisposer: () => Disposer;
  connect: (accesses: Readonly<Record<string, Access>>) => void;
}

/** A cell that has begun. */
interface Running {
  readonly cell: Cell;
  readonly payload: CellPayload;
  /** What the names that it declares were before. */
  before: Before;
}

/** Stack traces name scripts so: frames that lead nowhere are then known as none of the user's. */
const SCRIPT = '__tslab__/';
/** Scripts whose positions are known; the oldest go first. */
const SCRIPTS = 2000;

const interruption = new Error('interrupted');

/** The running half of the engine `tslab`: tslab's executor, fed with what the reading half converted. */
export function createTslabEngine({ language, modules, folder }: TslabEngineOptions): CellEngine {
  let boxes = new Boxes();
  let running: Running | undefined;
  let stop: ((reason: Error) => void) | undefined;
  /** Scripts by the name that stack traces show. */
  const scripts = new Map<
    string,
    { readonly cell: Cell; readonly payload: CellPayload; maps?: readonly TraceMap[] }
  >();
  let conversion: TslabConversion = { diagnostics: [] };
  let report: (error: unknown) => void = () => {};
  let scriptCount = 0;

  const { createExecutor } = loadTslab();
  const executor = createExecutor(
    folder,
    { node: { convert: () => conversion } },
    { log() {}, error: (error) => report(error) },
  );
  const meta = modules.importMeta();
  const context: Context = {
    exports: {},
    require: (specifier) => modules.requireModule(specifier),
    import: (specifier) => modules.importModule(String(specifier)),
    meta,
    dirname: meta.dirname,
    filename: meta.filename,
    box: (name) => boxes.get(name),
    restore: restoreNames,
    disposer: new Disposer(),
    newDisposer: () => new Disposer(),
    connect() {},
  };

  publish(context);

  async function execute(cell: Cell, { onDiagnostics, onStart }: CellHooks = {}): Promise<CellOutcome> {
    if (running) finish(running, true); // it was ended by force and never came to its end
    try {
      const { diagnostics, payload } = await untilStopped(language.convert(cell));
      if (payload === undefined) return { status: 'refused', diagnostics };
      if (diagnostics.length > 0) onDiagnostics?.(diagnostics);
      const read = payload as TslabPayload;
      if (read.kind === 'module') modules.defineModule(read.name, read.source);
      if (read.kind !== 'cell') return { status: 'ok', hasValue: false, value: undefined };
      return await run({ cell, payload: read, before: new Map() }, onStart);
    } catch (error) {
      return outcomeOf(error);
    }
  }

  async function run(own: Running, onStart: CellHooks['onStart']): Promise<CellOutcome> {
    const { payload } = own;
    running = own;
    let outcome: CellOutcome = { status: 'interrupted' };
    try {
      await untilStopped(preload(payload.imports));
      onStart?.();
      outcome = await runScript(own);
    } catch (error) {
      outcome = outcomeOf(error);
    } finally {
      if (running === own) finish(own, outcome.status !== 'ok');
    }
    if (outcome.status === 'thrown') restoreNames(outcome.error);
    return outcome;
  }

  async function runScript(own: Running): Promise<CellOutcome> {
    const { cell, payload } = own;
    const imported = new Set(payload.imported);
    const exports: Record<string, unknown> = {};
    const disposer = new Disposer();
    context.exports = exports;
    context.disposer = disposer;
    context.connect = (accesses) => void (own.before = boxes.connect(accesses, imported));
    publish(context);
    const script = `${SCRIPT}cell-${cell.count}-${++scriptCount}`;
    scripts.set(script, { cell, payload });
    if (scripts.size > SCRIPTS) scripts.delete(scripts.keys().next().value!);
    conversion = {
      diagnostics: [],
      output: `"use strict";\n${payload.output}`,
      hasToplevelAwait: payload.isAsync,
    };
    let failure: { readonly error: unknown } | undefined;
    report = (error) => void (failure = { error });
    nameNextScript(script);
    const isDone = await executor.execute('');
    if (!disposer.isEmpty) {
      if (failure) disposer.fail((failure as { error: unknown }).error);
      await untilStopped(disposer.endAsync());
    }
    if (isDone) {
      const hasValue = payload.value !== undefined;
      return { status: 'ok', hasValue, value: hasValue ? exports[payload.value] : undefined };
    }
    return outcomeOf((failure as { error: unknown } | undefined)?.error);
  }

  /** In the order of the imports, as modules would be. */
  async function preload(imports: CellPayload['imports']): Promise<void> {
    for (const { specifier, names } of imports) {
      const namespace = await modules.importModule(specifier);
      const missing = names.find((name) => !(name in namespace));
      if (missing !== undefined)
        throw exportMissing(missing, specifier, meta.dirname, Object.keys(namespace));
    }
  }

  function untilStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      stop = reject;
      void work.then(resolve, reject).finally(() => {
        if (stop === reject) stop = undefined;
      });
    });
  }

  function finish(own: Running, isFailed: boolean): void {
    running = undefined;
    const kept = isFailed ? boxes.settle(own.before) : [];
    // names that it never came to connect are undefined too
    if (isFailed) boxes.declare([...own.payload.names, ...own.payload.imported]);
    language.commit(own.cell.id, isFailed, kept);
  }

  function originalPosition(file: string, line: number, column: number): OriginalPosition | undefined {
    const script = scripts.get(file);
    if (script === undefined) return modules.originalPosition(file, line, column);
    const { cell, payload } = script;
    script.maps ??= payload.maps.map((map) => new TraceMap(map));
    // the line before is "use strict"
    let at = { line: line - 1, column: column - 1 };
    for (const map of script.maps) {
      if (at.line < 1) return undefined;
      const found = originalPositionFor(map, at);
      if (found.line === null) return undefined;
      at = { line: found.line, column: found.column };
    }
    const text = payload.source;
    const lineInCell = at.line - payload.linesBefore;
    const columnInCell = startOfCall(text.split('\n')[lineInCell - 1] ?? '', at.column);
    return { source: `Cell [${cell.count}]`, line: lineInCell, column: columnInCell + 1, text };
  }

  return {
    name: 'tslab',
    execute,
    interrupt() {
      stop?.(interruption);
      executor.interrupt();
    },
    variables: () => boxes.variables(),
    originalPosition,
    reset() {
      if (running) finish(running, true);
      boxes = new Boxes();
      executor.reset();
      language.reset();
    },
  };
}

/** Where the code of cells looks for it. A cell may have frozen the global object: it is there from the start. */
function publish(context: Context): void {
  const globals = globalThis as { __tslab__?: Context };
  if (globals.__tslab__ !== context) globals.__tslab__ = context;
}

/**
 * tslab gives its scripts no name: the one it runs next gets this. It also lets SIGINT end them, for which Node takes
 * all handlers of that signal away while a script begins and ends: one that comes just then would end the kernel.
 */
function nameNextScript(filename: string): void {
  const { runInThisContext } = vm;
  vm.runInThisContext = (code, options) => {
    vm.runInThisContext = runInThisContext;
    const given = typeof options === 'object' ? options : {};
    return runInThisContext(code, { ...given, filename, breakOnSigint: false }) as unknown;
  };
}

/**
 * V8 gives the place of a call as that of the name; only where the name became `(0, box)` it gives the parenthesis
 * behind it, from which this leads back.
 */
function startOfCall(line: string, column: number): number {
  if (line[column] !== '(') return column;
  return column - (/[\p{ID_Continue}$]*$/u.exec(line.slice(0, column))?.[0].length ?? 0);
}

/** tslab rejects with an error of its own where it was asked to stop. */
function outcomeOf(error: unknown): CellOutcome {
  const isStop = error === interruption || isInterruptOfTslab(error);
  return isStop ? { status: 'interrupted' } : { status: 'thrown', error };
}

/** Whatever a cell throws: reading it may throw too. */
function isInterruptOfTslab(error: unknown): boolean {
  try {
    return error instanceof Error && error.message === 'Interrupted asynchronously';
  } catch {
    return false;
  }
}
