import { setTimeout as sleep } from 'node:timers/promises';
import { RunError, type GondwanaError } from '../../errors.js';
import type { RunningKernel } from '../../kernel/client/kernel-process.js';
import type { Content } from '../../kernel/protocol.js';
import { tagsOf, type CodeCell, type Notebook } from './format.js';
import { OutputRecorder } from './outputs.js';
import { requestCell, type CellOutcome, type RequestOptions } from './request-cell.js';

export interface ExecuteOptions extends RequestOptions {
  readonly onCell?: (event: CellEvent) => void;
}

export interface CellEvent {
  readonly kind: 'start' | 'end';
  /** Number among the code cells that run, from 1. */
  readonly number: number;
  readonly total: number;
  readonly cell: CodeCell;
  /** Of the cell, at its end. */
  readonly seconds: number;
  readonly failed: boolean;
}

/** A cell that failed. */
export interface CellFailure {
  readonly number: number;
  readonly id: string;
  readonly ename: string;
  readonly evalue: string;
  /** With the colours of a terminal where the kernel gave them. */
  readonly traceback: readonly string[];
}

export interface Execution {
  /** Code cells that ran to their end. */
  readonly done: number;
  readonly total: number;
  /** In order; with `allowErrors` off at most one that stopped the execution, and those that are tagged. */
  readonly failures: readonly CellFailure[];
  /** The one of them that stopped the execution. */
  readonly stoppedBy?: CellFailure;
  /** Why not all cells ran: a cell's failure, a stop, a time-out, the kernel's end. */
  readonly stopped?: GondwanaError;
}

/** Code cells that are executed: not empty, and not tagged to be passed over. */
export const cellsToRun = (notebook: Notebook): CodeCell[] =>
  notebook.cells.filter(
    (cell): cell is CodeCell =>
      cell.cell_type === 'code' && cell.source.trim() !== '' && !tagsOf(cell).includes('skip-execution'),
  );

/**
 * Runs the code cells of a notebook from top to bottom and puts their outputs into it, in place of those it had.
 * Never throws for what a cell or the kernel does: the result tells it, and the notebook holds the outputs so far.
 */
export async function executeNotebook(
  notebook: Notebook,
  kernel: RunningKernel,
  options: ExecuteOptions,
): Promise<Execution> {
  for (const cell of notebook.cells) {
    if (cell.cell_type === 'code') Object.assign(cell, { outputs: [], execution_count: null });
  }
  const recorder = new OutputRecorder();
  const stopRecording = kernel.client.onMessage((message, channel) => {
    if (channel === 'iopub') recorder.take(message);
  });
  const cells = cellsToRun(notebook);
  const total = cells.length;
  const failures: CellFailure[] = [];
  let done = 0;
  try {
    for (const [i, cell] of cells.entries()) {
      const startedAt = performance.now();
      const tell = (kind: 'start' | 'end', failed = false): void =>
        options.onCell?.({
          kind,
          number: i + 1,
          total,
          cell,
          seconds: (performance.now() - startedAt) / 1000,
          failed,
        });
      tell('start');
      const outcome = await executeCell(cell, kernel, recorder, options);
      if ('stopped' in outcome) {
        tell('end', true);
        return { done, total, failures, stopped: outcome.stopped };
      }
      done++;
      const { content } = outcome.reply;
      if (typeof content.execution_count === 'number') cell.execution_count ??= content.execution_count;
      const failure = failureOf(cell, i + 1, content);
      tell('end', failure !== undefined);
      if (!failure) continue;
      failures.push(failure);
      if (failure.ename === KERNEL_DIED) {
        return { done: done - 1, total, failures, stoppedBy: failure, stopped: died(failure) };
      }
      const isAllowed = options.allowErrors === true || tagsOf(cell).includes('raises-exception');
      if (!isAllowed)
        return { done, total, failures, stoppedBy: failure, stopped: cellFailed(failure, total) };
    }
    return { done, total, failures };
  } finally {
    stopRecording();
  }
}

/** What our kernel's launcher answers in the place of a kernel that is gone. */
const KERNEL_DIED = 'KernelDied';

const died = ({ number, evalue }: CellFailure): RunError =>
  new RunError('KERNEL_DIED', evalue, {
    where: `code cell ${number}`,
    hint: 'Look for what needs much memory, or ends the process, in that cell.',
  });

const cellFailed = ({ number, id, ename, evalue }: CellFailure, total: number): RunError =>
  new RunError('CELL_FAILED', `Cell ${number} of ${total} failed: ${ename}: ${evalue}`, {
    where: `code cell ${number}, id "${id}"`,
    hint: 'Correct the cell; --allow-errors goes on after a cell that fails.',
  });

async function executeCell(
  cell: CodeCell,
  kernel: RunningKernel,
  recorder: OutputRecorder,
  options: ExecuteOptions,
): Promise<CellOutcome> {
  // plain tslab refuses cells for a moment after one that failed
  for (let attempt = 0; ; attempt++) {
    const outcome = await requestCell(cell, kernel, recorder, options);
    const wasRefused = 'reply' in outcome && /^abort(ed)?$/.test(String(outcome.reply.content.status));
    if (!wasRefused || attempt === 10) return outcome;
    await sleep(100);
  }
}

/** From the reply, or from the outputs where the reply says little, as plain tslab's does. */
function failureOf(cell: CodeCell, number: number, content: Content): CellFailure | undefined {
  if (content.status === 'ok') return undefined;
  const shown = cell.outputs.findLast((output) => output.output_type === 'error');
  const printed = cell.outputs.findLast(
    (output) => output.output_type === 'stream' && output.name === 'stderr',
  );
  const stack = printed?.output_type === 'stream' ? printed.text.trim() : '';
  const thrown = /^(?:Uncaught )?(\w*Error): (.*)$/m.exec(stack);
  const member = (name: 'ename' | 'evalue', otherwise: string): string =>
    typeof content[name] === 'string' ? content[name] : (shown?.[name] ?? otherwise);
  return {
    number,
    id: cell.id,
    ename: member('ename', thrown?.[1] ?? 'Error'),
    evalue: member(
      'evalue',
      thrown?.[2] ?? (stack.split('\n', 1)[0] || `answered "${String(content.status)}"`),
    ),
    traceback: shown?.traceback ?? (stack ? [stack] : []),
  };
}
