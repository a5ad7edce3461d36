import { Worker, type MessagePort } from 'node:worker_threads';
import { compiledFile } from '../compiled.js';
import { errorFromData, RunError, type ErrorData } from '../errors.js';
import type {
  Cell,
  CellEngineName,
  ConvertedCell,
  Inspection,
  LanguageClient,
  LanguageOptions,
  Strictness,
} from './cell-engine.js';

/** `workerData` of the language thread. */
export interface LanguageThreadData {
  readonly engine: CellEngineName;
  readonly options: LanguageOptions;
  /** Port to the wire thread; transferred. */
  readonly wire: MessagePort;
}

/** From the main thread to the language thread; those with `n` are answered, all are done in order. */
export type LanguageRequest =
  | { readonly kind: 'convert'; readonly n: number; readonly cell: Cell }
  | {
      readonly kind: 'inspect';
      readonly n: number;
      readonly code: string;
      readonly position: number;
      readonly source: boolean;
    }
  | {
      readonly kind: 'commit';
      readonly id: string;
      readonly failed: boolean;
      readonly kept?: readonly string[];
    }
  | { readonly kind: 'strictness'; readonly level: Strictness }
  | { readonly kind: 'reset' };

export type LanguageReply =
  | { readonly n: number; readonly answer: ConvertedCell | Inspection | undefined }
  | { readonly n: number; readonly error: ErrorData };

export interface LanguageThread extends LanguageClient {
  close(): Promise<void>;
}

/** New objects live here until they prove long-lived: with room for a parsed library it is not copied again and again. */
const YOUNG_GENERATION_MB = 128;

/**
 * Starts the thread that reads code. It loads its compiler at once.
 * @param wire port over which the wire thread asks; its other end stays with the caller
 */
export function startLanguageThread(
  engine: CellEngineName,
  options: LanguageOptions,
  wire: MessagePort,
): LanguageThread {
  const data: LanguageThreadData = { engine, options, wire };
  const worker = new Worker(compiledFile('kernel/language-worker.js'), {
    name: 'gondwana-language',
    workerData: data,
    transferList: [wire],
    // the kernel's flags are about the main thread
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: unknown) => void }>();
  let count = 0;
  let failure: RunError | undefined;

  worker.on('message', (reply: LanguageReply) => {
    const asked = waiting.get(reply.n);
    waiting.delete(reply.n);
    if ('error' in reply) asked?.reject(errorFromData(reply.error));
    else asked?.resolve(reply.answer as never);
  });
  const fail = (cause: unknown): void => {
    failure ??= new RunError('LANGUAGE_THREAD', 'The thread that reads cells has ended.', {
      where: cause instanceof Error ? cause.message : String(cause),
      hint: 'Restart the kernel. If it was short of memory, a project with fewer types may help.',
      cause,
    });
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  worker.on('error', fail);
  worker.on('exit', (code) => fail(`exit code ${code}`));

  const send = (request: LanguageRequest): void => worker.postMessage(request);
  const ask = <T>(request: (n: number) => LanguageRequest): Promise<T> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      const n = ++count;
      waiting.set(n, { resolve, reject });
      send(request(n));
    });

  return {
    convert: (cell) => ask((n) => ({ kind: 'convert', n, cell })),
    inspect: (code, position, source) => ask((n) => ({ kind: 'inspect', n, code, position, source })),
    commit: (id, failed, kept) => send({ kind: 'commit', id, failed, ...(kept && { kept }) }),
    setStrictness: (level) => send({ kind: 'strictness', level }),
    reset: () => send({ kind: 'reset' }),
    async close() {
      await worker.terminate();
    },
  };
}
