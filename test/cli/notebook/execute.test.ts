import { describe, expect, it } from 'vitest';
import { executeNotebook, type CellEvent, type ExecuteOptions } from '../../../src/cli/notebook/execute.js';
import { newCodeCell, type CodeCell, type Notebook } from '../../../src/cli/notebook/format.js';
import type { Channel, IncomingMessage } from '../../../src/kernel/client/client.js';
import type { KernelExit, RunningKernel } from '../../../src/kernel/client/kernel-process.js';

type Say = (channel: Channel, type: string, content: object) => void;

/** A kernel that answers a cell by the function named in its code. */
function fakeKernel(cells: Record<string, (say: Say) => void>, onInterrupt = (_say: Say): void => undefined) {
  const listeners = new Set<(message: IncomingMessage, channel: Channel) => void>();
  const requests: Record<string, unknown>[] = [];
  let exit: (exit: KernelExit) => void = () => undefined;
  let say: Say = () => undefined;
  const kernel: RunningKernel = {
    pid: 0,
    info: {},
    exited: new Promise((resolve) => (exit = resolve)),
    interrupt: () => onInterrupt(say),
    stop: () => Promise.resolve(),
    client: {
      send(_channel, _type, content) {
        requests.push(content);
        const id = `request-${requests.length}`;
        say = (channel, type, answer) => {
          const message = { header: { msg_type: type }, parentHeader: { msg_id: id }, content: answer };
          for (const listener of listeners) listener(message as unknown as IncomingMessage, channel);
        };
        const mine = say;
        setImmediate(() => cells[content.code as string]!(mine));
        return id;
      },
      request: () => Promise.reject(new Error('not used')),
      onMessage(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      close: () => undefined,
    },
  };
  return { kernel, requests, listeners, exit: (value: KernelExit) => exit(value) };
}

const idle = (say: Say): void => say('iopub', 'status', { execution_state: 'idle' });
const ok = (say: Say): void => {
  say('shell', 'execute_reply', { status: 'ok', execution_count: 1 });
  idle(say);
};
const fail = (say: Say): void => {
  const error = { ename: 'RangeError', evalue: 'too far', traceback: ['RangeError: too far'] };
  say('iopub', 'error', error);
  say('shell', 'execute_reply', { status: 'error', ...error });
  idle(say);
};

const notebook = (...codes: (string | CodeCell)[]): Notebook => ({
  cells: codes.map((code, i) => (typeof code === 'string' ? newCodeCell(code, `cell-${i}`) : code)),
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

const run = (content: Notebook, kernel: RunningKernel, options: Partial<ExecuteOptions> = {}) =>
  executeNotebook(content, kernel, { kernelName: 'fake', ...options });

describe('executing a notebook', () => {
  it('runs its cells in order, after outputs of before are gone, and tells each', async () => {
    const content = notebook('ok', 'print');
    (content.cells[1] as CodeCell).outputs = [{ output_type: 'stream', name: 'stdout', text: 'old' }];
    const events: CellEvent[] = [];
    const { kernel, requests, listeners } = fakeKernel({
      ok,
      print(say) {
        say('iopub', 'stream', { name: 'stdout', text: 'new' });
        ok(say);
      },
    });
    const execution = await run(content, kernel, { onCell: (event) => events.push(event) });
    expect(execution).toEqual({ done: 2, total: 2, failures: [] });
    expect(requests.map(({ code }) => code)).toEqual(['ok', 'print']);
    expect(requests[0]).toMatchObject({ silent: false, store_history: true, allow_stdin: false });
    expect(events.map(({ kind, number, total }) => [kind, number, total])).toEqual([
      ['start', 1, 2],
      ['end', 1, 2],
      ['start', 2, 2],
      ['end', 2, 2],
    ]);
    expect(content.cells[1]).toMatchObject({
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'new' }],
      execution_count: 1,
    });
    expect(listeners.size).toBe(0);
  });

  it('passes over empty cells and those tagged skip-execution', async () => {
    const { kernel, requests } = fakeKernel({ ok });
    const content = notebook('ok', '  \n', newCodeCell('never', 'x', ['skip-execution']));
    expect(await run(content, kernel)).toMatchObject({ done: 1, total: 1 });
    expect(requests).toHaveLength(1);
  });

  it('stops at the first cell that fails, and names it', async () => {
    const { kernel, requests } = fakeKernel({ ok, fail });
    const content = notebook('ok', 'fail', 'ok');
    (content.cells[2] as CodeCell).execution_count = 9;
    const { stopped, done, failures } = await run(content, kernel);
    expect(stopped).toMatchObject({
      code: 'CELL_FAILED',
      message: 'Cell 2 of 3 failed: RangeError: too far',
      where: 'code cell 2, id "cell-1"',
      exitCode: 1,
    });
    expect(done).toBe(2);
    expect(failures).toHaveLength(1);
    expect(requests).toHaveLength(2);
    expect((content.cells[1] as CodeCell).outputs).toHaveLength(1);
    expect((content.cells[2] as CodeCell).execution_count).toBeNull();
  });

  it('goes on where errors are allowed, or the cell is tagged to raise one', async () => {
    const { kernel, requests } = fakeKernel({ ok, fail });
    const allowed = await run(notebook('fail', 'ok'), kernel, { allowErrors: true });
    expect(allowed).toMatchObject({ done: 2, failures: [{ number: 1, ename: 'RangeError' }] });
    expect(requests[0]).toMatchObject({ stop_on_error: false });
    const tagged = await run(notebook(newCodeCell('fail', 'x', ['raises-exception']), 'ok'), kernel);
    expect(tagged.stopped).toBeUndefined();
    expect(tagged.done).toBe(2);
  });

  it('asks again where the kernel refuses a cell for a moment after an error', async () => {
    let refusals = 2;
    const { kernel } = fakeKernel({
      late: (say) =>
        refusals-- > 0 ? (say('shell', 'execute_reply', { status: 'abort' }), idle(say)) : ok(say),
    });
    expect(await run(notebook('late'), kernel)).toMatchObject({ done: 1, failures: [] });
    expect(refusals).toBe(-1);
  });

  it('takes what comes between the reply and idle', async () => {
    const { kernel } = fakeKernel({
      slow(say) {
        say('shell', 'execute_reply', { status: 'ok', execution_count: 1 });
        setTimeout(() => {
          say('iopub', 'stream', { name: 'stdout', text: 'last words' });
          idle(say);
        }, 50);
      },
    });
    const content = notebook('slow');
    await run(content, kernel);
    expect((content.cells[0] as CodeCell).outputs).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'last words' },
    ]);
  });

  it('goes on and says so where idle never comes', async () => {
    const { kernel } = fakeKernel({
      ok,
      lost: (say) => say('shell', 'execute_reply', { status: 'ok', execution_count: 1 }),
    });
    const notices: string[] = [];
    const execution = await run(notebook('lost', 'ok'), kernel, { onNotice: (text) => notices.push(text) });
    expect(execution.done).toBe(2);
    expect(notices.join()).toContain('may be missing');
  });

  it("names the kernel's death, with its signal and what it printed last", async () => {
    const { kernel, exit } = fakeKernel({
      die: () => exit({ code: null, signal: 'SIGKILL', printed: 'out of memory\n' }),
    });
    const { stopped, done } = await run(notebook('die', 'die'), kernel);
    expect(stopped).toMatchObject({ code: 'KERNEL_DIED', exitCode: 1 });
    expect(stopped?.message).toContain('by signal SIGKILL');
    expect(stopped?.message).toContain('out of memory');
    expect(done).toBe(0);
  });

  it("takes the launcher's answer for a kernel that is gone, also where errors are allowed", async () => {
    const { kernel, requests } = fakeKernel({
      die(say) {
        say('shell', 'execute_reply', { status: 'error', ename: 'KernelDied', evalue: 'killed (SIGKILL)' });
        idle(say);
      },
    });
    const { stopped, done } = await run(notebook('die', 'die'), kernel, { allowErrors: true });
    expect(stopped).toMatchObject({ code: 'KERNEL_DIED', message: 'killed (SIGKILL)', where: 'code cell 1' });
    expect(done).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it('interrupts a cell that takes too long', async () => {
    const { kernel } = fakeKernel({ hang: () => undefined }, fail);
    const content = notebook('hang', 'hang');
    const { stopped, done } = await run(content, kernel, { timeoutSeconds: 0.05 });
    expect(stopped).toMatchObject({ code: 'CELL_TIMEOUT', exitCode: 1 });
    expect(done).toBe(0);
    // what the cell said of its end is kept
    expect((content.cells[0] as CodeCell).outputs).toMatchObject([{ output_type: 'error' }]);
  });

  it('interrupts the cell at work when it is stopped, and starts no other', async () => {
    const { kernel, requests } = fakeKernel({ hang: () => undefined }, fail);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { stopped } = await run(notebook('hang', 'hang'), kernel, { signal: controller.signal });
    expect(stopped).toMatchObject({ code: 'STOPPED', exitCode: 130 });
    expect(requests).toHaveLength(1);
  });
});
