import { createRequire } from 'node:module';
import vm from 'node:vm';
import type {
  Cell,
  CellEngine,
  CellHooks as CellEvents,
  CellOutcome,
  LanguageClient,
  OriginalPosition,
} from '../cell-engine.js';
import type { NameKind } from './declarations.js';
import { restoreNames } from './error-text.js';
import { Boxes, CellHooks } from './hooks.js';
import type { ModuleLoader } from '../modules/loader.js';
import { isTooDeep, tooDeep } from '../too-deep.js';
import { positionInCell, type CellPayload, type CodePayload } from './payload.js';

/** Modules as the cells of a notebook see them: a part of the loader. */
export type CellModules = Pick<
  ModuleLoader,
  'importModule' | 'requireModule' | 'importMeta' | 'originalPosition' | 'defineModule'
>;

export interface TypescriptEngineOptions {
  readonly language: LanguageClient;
  readonly modules: CellModules;
  /** The notebook's folder, absolute. */
  readonly folder: string;
}

interface RunningCell {
  readonly cell: Cell;
  readonly payload: CodePayload;
  readonly hooks: CellHooks;
  isCommitted: boolean;
}

interface Script {
  readonly cell: Cell;
  readonly payload: CodePayload;
}

/** Scripts whose positions are known; the oldest go first. */
const SCRIPTS = 2000;

type CellFunction = (hooks: CellHooks, require: NodeJS.Require, dirname: string, filename: string) => unknown;

/** The running half of the engine `typescript`: cells are functions over one set of variables. */
export function createTypescriptEngine({ language, modules, folder }: TypescriptEngineOptions): CellEngine {
  const boxes = new Boxes();
  const kinds = new Map<string, NameKind>();
  const scripts = new Map<string, Script>();
  const meta = modules.importMeta();
  const { filename } = meta;
  const require = requireFor(filename, modules);
  let running: RunningCell | undefined;
  let stop: (() => void) | undefined;

  /** What a cell declared is there for later ones, once, however it ended. */
  function commit(ended: RunningCell, failed: boolean): void {
    if (ended.isCommitted) return;
    ended.isCommitted = true;
    const { payload, hooks, cell } = ended;
    const kept = failed
      ? payload.redeclared.filter(([, step]) => step > hooks.step).map(([name]) => name)
      : [];
    for (const [name, kind] of payload.names) if (!kept.includes(name)) kinds.set(name, kind);
    language.commit(cell.id, failed, kept);
  }

  async function execute(cell: Cell, { onDiagnostics, onStart }: CellEvents = {}): Promise<CellOutcome> {
    // ended by force: its own end never came
    if (running) commit(running, true);
    running = undefined;
    const interrupted = new Promise<typeof INTERRUPTED>((resolve) => (stop = () => resolve(INTERRUPTED)));
    const converted = await Promise.race([language.convert(cell), interrupted]);
    if (converted === INTERRUPTED) return { status: 'interrupted' };
    const { diagnostics } = converted;
    if (diagnostics.some(({ severity }) => severity === 'error')) return { status: 'refused', diagnostics };
    if (diagnostics.length > 0) onDiagnostics?.(diagnostics);

    const payload = converted.payload as CellPayload;
    if (payload.kind === 'module') modules.defineModule(payload.name, payload.source);
    if (payload.kind !== 'cell') return { status: 'ok', hasValue: false, value: undefined };
    const own: RunningCell = {
      cell,
      payload,
      hooks: new CellHooks(boxes, modules, meta),
      isCommitted: false,
    };
    running = own;
    try {
      const run = compile(own);
      onStart?.();
      const result = run(own.hooks, require, folder, filename);
      if (payload.isAsync && (await Promise.race([result, interrupted])) === INTERRUPTED) {
        commit(own, true);
        return { status: 'interrupted' };
      }
      commit(own, false);
      return { status: 'ok', hasValue: payload.hasValue, value: own.hooks.value };
    } catch (error) {
      commit(own, true);
      restoreNames(error);
      return { status: 'thrown', error };
    } finally {
      if (running === own) running = undefined;
    }
  }

  function compile({ cell, payload }: RunningCell): CellFunction {
    let file = `cell-${cell.count}.ts`;
    for (let again = 2; scripts.has(file); again++) file = `cell-${cell.count}-${again}.ts`;
    scripts.set(file, { cell, payload });
    if (scripts.size > SCRIPTS) scripts.delete(scripts.keys().next().value!);
    try {
      return new vm.Script(payload.code, { filename: file }).runInThisContext() as CellFunction;
    } catch (error) {
      throw isTooDeep(error) ? tooDeep(error) : error;
    }
  }

  return {
    name: 'typescript',
    execute,
    interrupt: () => stop?.(),
    variables: () =>
      new Map(
        [...kinds]
          .filter(([, kind]) => kind !== 'import')
          .map(([name]) => [name, boxes.value(name)] as const),
      ),
    originalPosition(file, line, column): OriginalPosition | undefined {
      const script = scripts.get(file);
      if (script === undefined) return modules.originalPosition(file, line, column);
      const place = positionInCell(script.payload, line, column);
      return place && { source: `Cell [${script.cell.count}]`, ...place, text: script.cell.code };
    },
    reset() {
      boxes.clear();
      kinds.clear();
      language.reset();
    },
  };
}

const INTERRUPTED = Symbol('interrupted');

function requireFor(filename: string, modules: CellModules): NodeJS.Require {
  const native = createRequire(filename);
  return Object.assign((specifier: string) => modules.requireModule(specifier), native) as NodeJS.Require;
}
