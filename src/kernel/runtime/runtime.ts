// not the global one, which ends with the cell
import { setTimeout } from 'node:timers';
import { inspect } from 'node:util';
import { bundleOf } from '../../display/bundle.js';
import { setKernelLink, type KernelLink } from '../../display/kernel-link.js';
import type { MimeBundle } from '../../display/mime.js';
import { StoppedError } from '../../errors.js';
import type { CellEngine, CellOutcome, LanguageClient } from '../cell-engine.js';
import type { Content, ExecuteMessage, ExecuteResult, ToMain } from '../protocol.js';
import { createComms } from './comms.js';
import { LateErrors } from './late-errors.js';
import { runLineMagic } from './line-magics.js';
import { readMagics, type Magic, type MagicCell } from './magics.js';
import { kernelSink, mimeContent, tslabWriter, type TslabWriter } from './outputs.js';
import { Results } from './results.js';
import { RunningCell } from './running-cell.js';
import { captureStreams } from './streams.js';
import { watchTimers } from './timers.js';
import { isError, readThrown } from './thrown.js';
import { prepareTiming, Stopwatch, timedCode, timingText } from './timing.js';
import {
  describeWarnings,
  reportInterrupt,
  reportRefused,
  reportThrown,
  type ErrorReport,
} from './traceback.js';
import { createUserInput } from './user-input.js';
import { createWidgets } from './widget.js';
import type { WireLink } from './wire-link.js';

export interface RuntimeOptions {
  readonly wire: WireLink;
  readonly engine: CellEngine;
  readonly language: LanguageClient;
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** Called before every cell: local modules that were edited are read again. */
  readonly beginCell: () => void;
}

export interface Runtime {
  receive(message: ToMain): void;
  /** What `tslab.display` calls. */
  readonly tslabWriter: TslabWriter;
  /** An error that no cell awaits: a timer's, a promise's. */
  reportLate(kind: string, error: unknown): void;
}

/** What happens to a request on the main thread, from its text to its reply. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { wire, engine, language, beginCell, exit } = options;
  const streams = captureStreams(wire);
  const timers = watchTimers();
  const lateErrors = new LateErrors((text) => streams.write('stderr', text));
  /** The cell at work, or the last one: output that comes late is its. */
  let cell = new RunningCell(NO_CELL);
  const parent = (): string => cell.message.id;
  const comms = createComms(wire, parent);
  const results = new Results();
  const userInput = createUserInput(wire, () => ({ parent: parent(), allowStdin: cell.message.allowStdin }));
  const sink = kernelSink(wire, parent);
  const link: KernelLink = {
    protocol: 1,
    engine: engine.name,
    sink,
    get signal() {
      return cell.signal;
    },
    comms,
    widget: createWidgets(comms),
    clearOutput: (wait) => sink.clear!(wait),
    hold: (work) => cell.hold(work),
    expectStop: () => void (cell.expectsStop = true),
    input: (prompt, password) => userInput.ask(prompt, password),
  };
  setKernelLink(link);
  prepareTiming();

  const locate: CellEngine['originalPosition'] = (...place) => engine.originalPosition(...place);

  /** Answers in any case: cells may have replaced what all this is made with, `Set` and `Promise` too. */
  async function execute(message: ExecuteMessage): Promise<void> {
    try {
      await executeCell(message);
    } catch (error) {
      wire.post({ type: 'done', id: message.id, result: failed(reportThrown(error, locate)) });
    }
  }

  async function executeCell(message: ExecuteMessage): Promise<void> {
    const own = new RunningCell(message);
    cell = own;
    let result: ExecuteResult;
    try {
      lateErrors.flush();
      streams.begin(message.id);
      timers.begin();
      if (message.storeHistory) results.begin(message.count, message.code);
      beginCell();
      result = await run(own);
    } catch (error) {
      result = failed(own.signal.aborted ? interruptReport(error) : reportThrown(error, locate));
    }
    own.isDone = true;
    if (own.isAbandoned) return;
    try {
      userInput.end();
      lateErrors.flush();
      streams.end();
    } finally {
      wire.post({ type: 'done', id: message.id, result });
    }
  }

  async function run(own: RunningCell): Promise<ExecuteResult> {
    const { message } = own;
    const { magics, code, help } = readMagics(message.code, (name) => engine.variables().has(name));
    if (help) return ok([await helpPage(help)]);
    for (const magic of magics) {
      await runLineMagic(magic, { engine, language, streams, results, sink, signal: own.signal });
      if (own.signal.aborted) return failed(reportInterrupt());
    }
    if (code.trim() === '') return ok([]);

    const stopwatch = new Stopwatch();
    const outcome = await engine.execute(
      { id: message.id, count: message.count, code: timedCode(code, magics) },
      {
        onStart: () => stopwatch.start(),
        onDiagnostics: (diagnostics) =>
          streams.write('stderr', `${describeWarnings(diagnostics, { count: message.count, code })}\n`),
      },
    );
    stopwatch.stop();
    if (own.isAbandoned) return ok([]);
    if (outcome.status !== 'ok') return failedCell(own, outcome, code);
    await own.settle();
    if (own.signal.aborted) return failed(reportInterrupt());
    if (magics.some(({ name }) => name === 'time')) streams.write('stdout', timingText(stopwatch));
    if (outcome.hasValue) await show(own, outcome.value, magics);
    if (own.signal.aborted) return failed(reportInterrupt());
    return ok([], await userExpressions(message));
  }

  function failedCell(
    own: RunningCell,
    outcome: Exclude<CellOutcome, { status: 'ok' }>,
    code: string,
  ): ExecuteResult {
    if (outcome.status === 'refused') {
      return failed(reportRefused(outcome.diagnostics, { count: own.message.count, code }));
    }
    if (outcome.status === 'interrupted') return failed(reportInterrupt());
    return failed(own.signal.aborted ? interruptReport(outcome.error) : reportThrown(outcome.error, locate));
  }

  async function show(own: RunningCell, value: unknown, magics: readonly Magic[]): Promise<void> {
    const { silent, storeHistory, count, id } = own.message;
    if (value === undefined || own.isHeld(value) || magics.some(({ name }) => name === 'timeit')) return;
    if (silent) return;
    const bundle = await own.unlessStopped(isPromise(value) ? promiseText(value) : bundleOf(value));
    if (bundle === undefined || Object.keys(bundle).length === 0) return;
    const content = mimeContent(bundle);
    if (storeHistory) results.keep(count, value);
    wire.post({
      type: 'publish',
      kind: 'execute_result',
      content: { ...content, execution_count: count },
      parent: id,
    });
  }

  async function userExpressions({ userExpressions, id, count }: ExecuteMessage): Promise<Content> {
    const values: Record<string, unknown> = {};
    for (const [index, [name, code]] of Object.entries(userExpressions).entries()) {
      const outcome = await engine.execute({ id: `${id}/${index}`, count, code });
      if (outcome.status === 'ok') {
        values[name] = { status: 'ok', ...mimeContent(await bundleOf(outcome.value)) };
      } else if (outcome.status === 'refused') {
        values[name] = { status: 'error', ...reportRefused(outcome.diagnostics, { count, code }) };
      } else {
        const error = outcome.status === 'thrown' ? outcome.error : new StoppedError('Interrupted.');
        values[name] = { status: 'error', ...reportThrown(error, locate) };
      }
    }
    return values;
  }

  async function helpPage({ expression, source }: NonNullable<MagicCell['help']>): Promise<Content> {
    const found = await language.inspect(expression, expression.length, source);
    const text = found?.text ?? `There is no information about "${expression}".`;
    return {
      source: 'page',
      data: { 'text/plain': text, ...(found?.markdown && { 'text/markdown': found.markdown }) },
      start: 0,
    };
  }

  function interrupt(id: string): void {
    if (cell.message.id !== id) return;
    cell.stop();
    userInput.stop();
    timers.stop();
    const own = cell;
    if (!own.expectsStop) return engine.interrupt();
    setTimeout(() => cell === own && !own.isDone && engine.interrupt(), LAST_WORD_MS).unref();
  }

  return {
    tslabWriter: tslabWriter(wire, parent),
    receive(message) {
      switch (message.type) {
        case 'execute':
          return void execute(message);
        case 'interrupt':
          return interrupt(message.id);
        case 'ping':
          if (message.abandon === cell.message.id) {
            cell.isAbandoned = true;
            interrupt(message.abandon);
          }
          return wire.post({ type: 'pong', n: message.n });
        case 'input-reply':
          return userInput.answer(message.n, message.value);
        case 'comm':
          return comms.receive(message);
        case 'comm-info':
          return wire.post({ type: 'comm-info', n: message.n, comms: comms.info(message.target) });
        case 'exit':
          return exit(0);
      }
    },
    reportLate(kind, error) {
      // what a stopped cell leaves behind is no news
      if (cell.signal.aborted && isStop(error)) return;
      lateErrors.report(() => `${kind}: ${reportThrown(error, locate).traceback.join('\n')}`);
    },
  };
}

/** A proxy may refuse the question. */
function isPromise(value: unknown): value is Promise<unknown> {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

/** A promise is not waited for: its cell is over, and what it does may be not. */
function promiseText(promise: Promise<unknown>): MimeBundle {
  const text = inspect(promise);
  const advice = '\nIts value comes later: write `await` before it.';
  return { 'text/plain': text.includes('<pending>') ? text + advice : text };
}

/** How long a stopped cell waits for the library's error that says what was kept; the wire thread waits longer. */
const LAST_WORD_MS = 750;

const NO_CELL: ExecuteMessage = {
  type: 'execute',
  id: '',
  code: '',
  count: 0,
  silent: true,
  storeHistory: false,
  allowStdin: false,
  userExpressions: {},
};

const ok = (payload: readonly Content[], userExpressions: Content = {}): ExecuteResult => ({
  status: 'ok',
  payload,
  userExpressions,
});

const failed = (report: ErrorReport): ExecuteResult => ({ status: 'error', ...report });

/** Errors that stopping causes by itself. */
const isStop = (error: unknown): error is Error =>
  isError(error) && ['AbortError', 'StoppedError'].includes(readThrown(error).errorName);

/** A library's own word about what it kept, where a stopped cell ended with one. */
function interruptReport(error: unknown): ErrorReport {
  const report = reportInterrupt();
  if (!isStop(error)) return report;
  const { errorName, message } = readThrown(error);
  if (errorName === 'AbortError') return report;
  return { ...report, evalue: message, traceback: [...report.traceback, message] };
}
