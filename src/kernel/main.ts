import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { describeError, GondwanaError, UsageError } from '../errors.js';
import { packageVersion } from '../version.js';
import { engineNames, strictnessLevels, type CellEngine, type CellEngineName } from './cell-engine.js';
import { globalsFile, installGlobals } from './globals.js';
import { startLanguageThread } from './language-client.js';
import { createModuleLoader, type ModuleLoader } from './modules/loader.js';
import type { ToMain, ToWire } from './protocol.js';
import { guardProcess } from './runtime/process-guards.js';
import type { TslabWriter } from './runtime/outputs.js';
import { createRuntime } from './runtime/runtime.js';
import { memoryLimit } from './wire/memory-limit.js';
import { startWireThread } from './wire/wire-client.js';

/** The engine of cells where GONDWANA_CELL_ENGINE names none. */
const DEFAULT_ENGINE: CellEngineName = 'typescript';

/** Frames that are kept of an error's stack: cells lie below the library's. */
const STACK_FRAMES = 50;

/**
 * The kernel process: starts the threads, then serves cells. Ends with exit code 3 where the connection file or
 * a setting is wrong.
 */
export function startKernel(args: readonly string[]): void {
  const exit = process.exit.bind(process); // cells are kept from it later
  run(args).catch((error: unknown) => {
    process.stderr.write(`${describeError(error)}\n`);
    exit(error instanceof GondwanaError ? error.exitCode : 1);
  });
}

async function run([connectionFile]: readonly string[]): Promise<void> {
  if (connectionFile === undefined) {
    throw new UsageError('USAGE', 'The kernel needs a connection file.', {
      hint: 'Jupyter starts it; `gondwana kernel install` makes it known to Jupyter.',
    });
  }
  Error.stackTraceLimit = STACK_FRAMES;
  const name = setting('GONDWANA_CELL_ENGINE', engineNames, DEFAULT_ENGINE);
  const strictness = setting('GONDWANA_TYPES', strictnessLevels, 'loose');
  const folder = process.cwd();
  const { port1: wirePort, port2: languagePort } = new MessageChannel();

  /** Requests that come before the runtime is there. */
  const early: ToMain[] = [];
  let receive = (message: ToMain): void => void early.push(message);
  const wire = startWireThread(
    {
      connectionFile,
      language: wirePort,
      banner: `Gondwana ${packageVersion()}: TypeScript cells (engine ${name}), Node ${process.versions.node}`,
      version: packageVersion(),
      languageVersion: typescriptVersion(name),
      memoryLimitBytes: memoryLimit().limitBytes,
    },
    (message) => receive(message),
  );
  const packageRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const modules = createModuleLoader({
    folder,
    kernelPackageRoot: packageRoot,
    beforeTslab: () => connectTslab(packageRoot, runtime.tslabWriter),
  });
  const language = startLanguageThread(
    name,
    { folder, projectRoot: modules.project().root, strictness, globals: globalsFile() },
    languagePort,
  );
  const engine = await createEngine(name, { language, modules, folder });
  const post = (message: ToWire): void => wire.send(message);
  const guards = guardProcess((kind, error) => runtime.reportLate(kind, error));
  const runtime = createRuntime({
    wire: { post },
    engine,
    language,
    exit: guards.exit,
    beginCell() {
      modules.beginCell();
      tellOnce(modules.project().problem);
    },
  });
  installGlobals();
  receive = (message) => {
    guards.renew();
    runtime.receive(message);
  };
  early.splice(0).forEach(receive);
  post({ type: 'ready' });
  await wire.bound;
}

let told: string | undefined;

/** A tsconfig.json that cannot be read: its paths and options are missed, and the cell says so once. */
function tellOnce(problem: GondwanaError | undefined): void {
  const text = problem && describeError(problem);
  if (text !== undefined && text !== told) process.stderr.write(`${text}\n`);
  told = text;
}

interface EngineParts {
  readonly language: ReturnType<typeof startLanguageThread>;
  readonly modules: ModuleLoader;
  readonly folder: string;
}

async function createEngine(name: CellEngineName, parts: EngineParts): Promise<CellEngine> {
  if (name === 'tslab') return (await import('./tslab/engine.js')).createTslabEngine(parts);
  return (await import('./typescript/engine.js')).createTypescriptEngine(parts);
}

/**
 * tslab's public module shows things by this function of its module `jupyter`, which otherwise is its sockets.
 * That module brings a compiler with it, so it is loaded when a cell imports `tslab`: most never do.
 */
function connectTslab(packageRoot: string, write: TslabWriter): void {
  const require = createRequire(path.join(packageRoot, 'package.json'));
  (require('tslab/dist/jupyter.js') as { lastWriteDisplayData: TslabWriter }).lastWriteDisplayData = write;
}

/** A setting from the environment. @throws UsageError OPTION_VALUE */
function setting<T extends string>(variable: string, known: readonly T[], otherwise: T): T {
  const value = process.env[variable];
  if (!value) return otherwise;
  const found = known.find((name) => name === value);
  if (found) return found;
  throw new UsageError('OPTION_VALUE', `${variable} is "${value}".`, { hint: `Known: ${known.join(', ')}.` });
}

/** Read from the package's manifest: the compiler itself is loaded by the language thread alone. */
function typescriptVersion(name: CellEngineName): string {
  const require = createRequire(import.meta.url);
  const manifest = name === 'tslab' ? '@tslab/typescript-for-tslab/package.json' : 'typescript/package.json';
  return (require(manifest) as { version: string }).version;
}

startKernel(process.argv.slice(2));
