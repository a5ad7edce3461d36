import path from 'node:path';
import { RunError, StoppedError, UsageError, type GondwanaError } from '../../errors.js';
import { formatSeconds } from '../../display/numbers.js';
import { startKernel } from '../../kernel/client/kernel-process.js';
import { textOption, type Command, type CommandContext, type Options } from '../command.js';
import { findKernelSpec, type KernelSpec } from '../jupyter/kernel-spec.js';
import { executeNotebook, type Execution } from '../notebook/execute.js';
import { withoutColours } from '../notebook/export/ansi.js';
import { followCells } from '../notebook/follow-cells.js';
import { readNotebook, type Notebook } from '../notebook/format.js';
import { injectParameters, parseParameter } from '../notebook/parameters.js';
import { chooseTarget, writeTarget, type Target } from '../notebook/target.js';

export interface NotebookRunDocument {
  readonly notebook: string;
  /** File that was written. */
  readonly out: string;
  readonly kernel: string;
  readonly cells: { readonly done: number; readonly total: number; readonly failed: number };
  readonly seconds: number;
}

/**
 * `gondwana notebook run FILE`: executes a notebook without a browser and without Python. What the cells showed is
 * written in any case, also where one failed or the run was stopped.
 * @throws RunError CELL_FAILED, CELL_TIMEOUT, KERNEL_DIED, KERNEL_START; StoppedError; InputError for the notebook,
 * its parameters and its kernel; UsageError for options
 */
export const notebookRun: Command = async (context, [file], options) => {
  const source = path.resolve(file!);
  const timeoutSeconds = readTimeout(options);
  const target = chooseTarget(source, textOption(options, 'to'), textOption(options, 'out'));
  const pairs = JSON.parse(textOption(options, 'parameter') ?? '[]') as string[];
  const parameters = pairs.map(parseParameter);
  const notebook = await readNotebook(source);
  const spec = findKernelSpec(textOption(options, 'kernel') ?? kernelNameOf(notebook));
  await injectParameters(notebook, parameters, spec.language, source);

  const startedAt = performance.now();
  const execution = await execute(context, notebook, spec, {
    source,
    target,
    timeoutSeconds,
    allowErrors: options.allowErrors === true,
  });
  if (execution.stopped) throw told(execution, source, target);
  const seconds = (performance.now() - startedAt) / 1000;
  const { done, total, failures } = execution;
  const document: NotebookRunDocument = {
    notebook: source,
    out: target.file,
    kernel: spec.name,
    cells: { done, total, failed: failures.length },
    seconds: Math.round(seconds * 100) / 100,
  };
  const failed = failures.length > 0 ? `, ${failures.length} failed as allowed` : '';
  return { document, text: `${total} cells in ${formatSeconds(seconds)}${failed}: ${shown(target.file)}` };
};

interface Job {
  readonly source: string;
  readonly target: Target;
  readonly timeoutSeconds: number | undefined;
  readonly allowErrors: boolean;
}

/** Executes and writes, then ends the kernel. */
async function execute(
  context: CommandContext,
  notebook: Notebook,
  spec: KernelSpec,
  { source, target, timeoutSeconds, allowErrors }: Job,
): Promise<Execution> {
  const { signal, notices, stderr } = context;
  const kernel = await startKernel(spec, { folder: path.dirname(source), signal });
  let execution: Execution;
  try {
    const follower = followCells(context);
    try {
      execution = await executeNotebook(notebook, kernel, {
        kernelName: spec.name,
        timeoutSeconds,
        allowErrors,
        signal,
        onCell: follower.onCell,
        onNotice: (text) => notices.say(text),
      });
    } finally {
      follower.stop();
    }
    const trace = execution.stoppedBy?.traceback.join('\n');
    if (trace) notices.say(stderr.isTTY ? trace : withoutColours(trace));
    nameKernel(notebook, spec, kernel.info);
    await writeTarget(target, notebook, source);
  } finally {
    // a kernel that did not heed an interrupt does not heed a request to end either
    await kernel.stop(signal.aborted ? 1000 : 3000);
  }
  return execution;
}

/** The notebook's kernel is the one that made its outputs. */
function nameKernel(notebook: Notebook, spec: KernelSpec, info: Readonly<Record<string, unknown>>): void {
  notebook.metadata.kernelspec = {
    display_name: spec.displayName,
    language: spec.language,
    name: spec.name,
  };
  if (typeof info.language_info === 'object' && info.language_info !== null)
    notebook.metadata.language_info = info.language_info;
}

function kernelNameOf({ metadata }: Notebook): string {
  const spec = metadata.kernelspec as { name?: unknown } | null | undefined;
  return typeof spec?.name === 'string' && spec.name !== '' ? spec.name : 'gondwana';
}

/** The reason why the notebook did not run through, with the file that holds what it showed. */
function told({ stopped, done, total }: Execution, source: string, target: Target): GondwanaError {
  const { code, message, where, hint } = stopped!;
  const details = {
    where: where ? `${source}, ${where}` : source,
    hint: `${hint} The outputs up to there are in ${shown(target.file)}.`,
    cause: stopped,
  };
  if (stopped instanceof StoppedError)
    return new StoppedError(`Stopped after ${done} of ${total} cells.`, details);
  return new RunError(code, message, details);
}

/** Longest time of Node's timers, about 24 days. */
const LARGEST_SECONDS = 2_147_483;

function readTimeout(options: Options): number | undefined {
  const text = textOption(options, 'timeout');
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() !== '' && seconds > 0 && seconds <= LARGEST_SECONDS) return seconds;
  throw new UsageError('OPTION_VALUE', `--timeout is "${text}".`, {
    hint: `Seconds that one cell may take: a number above 0, ${LARGEST_SECONDS} at most.`,
  });
}

/** Relative to the working folder where it lies in it. */
function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
