import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as zmq from 'zeromq';
import type { KernelClient } from '../../support/kernel/client.js';
import { address } from '../../support/kernel/process.js';
import { startStandIn } from '../../support/kernel/stand-in.js';
import { pack, unpack } from '../../support/kernel/wire-format.js';

let kernel: KernelClient;
beforeAll(async () => {
  kernel = await startStandIn();
});
afterAll(() => kernel?.stop());

describe('a cell', () => {
  it('is busy, input, output, reply and idle, in this order', async () => {
    const cell = await kernel.execute('print("a\\n"); printError("b\\n"); return 6 * 7');
    expect(
      cell.messages.map(({ type, content }) => [type, content['execution_state'] ?? content['name']]),
    ).toEqual([
      ['status', 'busy'],
      ['execute_input', undefined],
      ['stream', 'stdout'],
      ['stream', 'stderr'],
      ['execute_result', undefined],
      ['status', 'idle'],
    ]);
    expect(cell.reply).toEqual({
      status: 'ok',
      execution_count: cell.count,
      payload: [],
      user_expressions: {},
    });
    expect(cell.messages[1]!.content).toMatchObject({ execution_count: cell.count });
    expect(cell.result).toBe('42');
  });

  it('is counted, unless it is silent or not to be kept', async () => {
    const { count } = await kernel.execute('return 1');
    const silent = await kernel.execute('return request', { silent: true });
    expect(silent.messages.map(({ type }) => type)).toEqual(['status', 'status']);
    const unkept = await kernel.execute('return request.count', { storeHistory: false });
    expect([silent.count, unkept.count]).toEqual([count, count]);
    expect(unkept.result).toBe(String(count));
    expect((await kernel.execute('return 2')).count).toBe(count! + 1);
    const inputs = await kernel.history({ hist_access_type: 'tail', n: 2 });
    expect(inputs).toEqual([
      [0, count, 'return 1'],
      [0, count! + 1, 'return 2'],
    ]);
  });

  it('tells the main thread of stdin, expressions and the cell of the front end', async () => {
    const cell = await kernel.execute('return [request.allowStdin, request.cellId]', {
      allowStdin: true,
      metadata: { cellId: 'c7' },
      userExpressions: { two: '1 + 1' },
    });
    expect(cell.result).toBe("[ true, 'c7' ]");
    expect(cell.reply['user_expressions']).toMatchObject({ two: { data: { 'text/plain': '2' } } });
  });

  it('that fails is an error message and an error reply', async () => {
    const cell = await kernel.execute('print("before"); throw new RangeError("too far")');
    expect(cell.error).toEqual({
      ename: 'RangeError',
      evalue: 'too far',
      traceback: ['RangeError: too far'],
    });
    expect(cell.reply).toMatchObject({ status: 'error', ename: 'RangeError', execution_count: cell.count });
    expect(cell.outputs.map(({ type }) => type)).toEqual(['stream', 'error']);
  });

  it('that prints ten thousand lines has them all, in order, in few messages, before it is idle', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`).join('');
    const cell = await kernel.execute('for (let i = 0; i < 10000; i++) print(`line ${i}\\n`)');
    expect(cell.stdout).toBe(lines);
    expect(cell.messages.length).toBeLessThan(200);
    expect(cell.messages.at(-1)!.content).toEqual({ execution_state: 'idle' });
  });

  it('that prints 30 MB at once sends it in messages of less than 1 MB', async () => {
    const cell = await kernel.execute('print("x".repeat(30e6))');
    expect(cell.stdout).toHaveLength(30e6);
    const sizes = cell.messages
      .filter(({ type }) => type === 'stream')
      .map((m) => String(m.content['text']).length);
    expect(Math.max(...sizes)).toBeLessThan(1e6);
  });

  it('that prints while it runs is heard while it runs', async () => {
    const { id, done } = kernel.submit('print("now"); await sleep(500)');
    await kernel.waitFor((m) => m.type === 'stream' && m.parent.msg_id === id);
    expect((await done).messages.at(-1)!.type).toBe('status');
    expect(kernel.messages.findLast((m) => m.type === 'stream')!.content).toEqual({
      name: 'stdout',
      text: 'now',
    });
  });

  it('without code is refused and does not stop the next', async () => {
    const bad = await kernel.request('execute_request', { code: 5 });
    expect(bad.content).toMatchObject({ status: 'error', ename: 'BadRequest' });
    expect((await kernel.execute('return 1')).result).toBe('1');
  });

  it('may publish a display, a result with buffers and clear its output, with metadata', async () => {
    const cell = await kernel.execute(`
      publish('display_data', { data: { 'text/plain': 'd' }, metadata: {}, transient: { display_id: 'x' } });
      publish('clear_output', { wait: true });
      publish('comm_msg', { comm_id: 'c', data: {} }, { buffers: [new Uint8Array([7, 8])], metadata: { v: 1 } });`);
    expect(cell.outputs).toEqual([
      { type: 'display_data', data: { 'text/plain': 'd' }, metadata: {}, transient: { display_id: 'x' } },
      { type: 'clear_output', wait: true },
    ]);
    const comm = cell.messages.find(({ type }) => type === 'comm_msg')!;
    expect([comm.buffers, comm.metadata]).toEqual([[Buffer.from([7, 8])], { v: 1 }]);
  });
});

describe('cells that wait', () => {
  it('are aborted after an error, without a number, and those sent after the reply run', async () => {
    const cells = ['await sleep(100); throw new Error("first")', 'return 1', 'return 2'].map((code) =>
      kernel.submit(code),
    );
    const [first, ...others] = await Promise.all(cells.map(({ done }) => done));
    expect(first!.status).toBe('error');
    for (const other of others) {
      expect(other.reply).toEqual({ status: 'aborted' });
      expect(other.messages.map(({ content }) => content)).toEqual([
        { execution_state: 'busy' },
        { execution_state: 'idle' },
      ]);
    }
    const next = await kernel.execute('return 3');
    expect([next.result, next.count]).toEqual(['3', first!.count! + 1]);
  });

  it('are aborted too where they were sent with a cell that fails at once', async () => {
    const cells = ['throw new Error("at once")', ...Array.from({ length: 30 }, () => 'return 1')].map(
      (code) => kernel.submit(code),
    );
    const statuses = (await Promise.all(cells.map(({ done }) => done))).map(({ status }) => status);
    expect(statuses).toEqual(['error', ...Array.from({ length: 30 }, () => 'aborted')]);
  });

  it('are aborted too where they come in after the error and were sent before it', async () => {
    const first = kernel.submit('await sleep(100); throw new Error("first")');
    const content = { code: 'globalThis.wasRun = true' };
    const late = pack(kernel.connection, { type: 'execute_request', content, session: kernel.session });
    expect((await first.done).status).toBe('error');
    kernel.sendFrames(late.frames);
    const { content: status } = await kernel.waitFor((m) => m.parent.msg_id === late.id);
    expect(status).toEqual({ execution_state: 'busy' });
    expect((await kernel.execute('return typeof wasRun')).result).toBe("'undefined'");
  });

  it('run all the same where the failing cell says so', async () => {
    const cells = ['throw new Error("first")', 'return 1'].map((code) =>
      kernel.submit(code, { stopOnError: false }),
    );
    const statuses = (await Promise.all(cells.map(({ done }) => done))).map(({ status }) => status);
    expect(statuses).toEqual(['error', 'ok']);
  });

  it('one after the other right after an error reply are never skipped', async () => {
    for (let i = 0; i < 20; i++) {
      expect((await kernel.execute('throw new Error("x")')).status).toBe('error');
      expect((await kernel.execute(`return ${i}`)).result).toBe(String(i));
    }
  });
});

describe('questions', () => {
  it('are answered while a cell runs a loop', async () => {
    const { done } = kernel.submit('const end = Date.now() + 1500; while (Date.now() < end) {}');
    const started = performance.now();
    expect(await kernel.kernelInfo()).toMatchObject({ status: 'ok', protocol_version: '5.5' });
    expect(await kernel.complete('🛰ab', 2)).toMatchObject({
      matches: ['🛰a'],
      cursor_start: 1,
      cursor_end: 2,
    });
    expect(await kernel.inspect('🛰ab', 2, 1)).toMatchObject({
      found: true,
      data: { 'text/plain': '3 true' },
    });
    expect(await kernel.isComplete('if (a) {')).toEqual({ status: 'incomplete', indent: '  ' });
    expect(await kernel.history({ hist_access_type: 'tail', n: 1 })).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(1400); // none waited for the loop
    expect((await done).status).toBe('ok');
  });

  it('about the kernel are answered with its language', async () => {
    expect(await kernel.kernelInfo()).toMatchObject({
      implementation: 'gondwana',
      banner: 'Stand-in',
      language_info: { name: 'typescript', version: '5.9.3', file_extension: '.ts' },
    });
  });

  it('that take too long are answered empty', async () => {
    const started = performance.now();
    expect(await kernel.inspect('slow:4000')).toEqual({ status: 'ok', found: false, data: {}, metadata: {} });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('have statuses of their own', async () => {
    const { parent } = await kernel.request('is_complete_request', { code: 'a' });
    await kernel.waitFor((m) => m.parent.msg_id === parent.msg_id && m.content['execution_state'] === 'idle');
    const states = kernel.messages.filter((m) => m.parent.msg_id === parent.msg_id).map((m) => m.content);
    expect(states).toEqual([{ execution_state: 'busy' }, { execution_state: 'idle' }]);
  });

  it('that the kernel does not know are answered with an error, notices with nothing', async () => {
    const { type, content } = await kernel.request('debug_request', {}, { channel: 'control' });
    expect([type, content['status'], content['ename']]).toEqual(['debug_reply', 'error', 'UnknownRequest']);
    kernel.send('news', {});
    expect((await kernel.request('connect_request')).content).toMatchObject({
      hb_port: kernel.connection.hb_port,
    });
  });
});

describe('the history', () => {
  it('holds results', async () => {
    const { count } = await kernel.execute('return "abc"');
    const found = await kernel.history({ hist_access_type: 'search', pattern: '*"abc"*', output: true });
    expect(found.at(-1)).toEqual([0, count, ['return "abc"', "'abc'"]]);
  });
});

describe('input', () => {
  it('is asked of the front end that sent the cell, after what was printed', async () => {
    let printed = '';
    kernel.onInput = async (prompt, password) => {
      // output and questions come by sockets of their own; the cell cannot go on before the answer
      const stream = await kernel.waitFor((m) => m.type === 'stream' && m.content['text'] === 'before');
      printed = stream.content['text'] as string;
      return `${prompt}${password}!`;
    };
    const cell = await kernel.execute('print("before"); return await input("name? ", true)', {
      allowStdin: true,
    });
    expect(cell.result).toBe("'name? true!'");
    expect(printed).toBe('before');
  });

  it('that nobody waits for any more is not given to the next question', async () => {
    kernel.onInput = () => new Promise(() => {}); // the answer comes by hand, late
    const { id, done } = kernel.submit('return await input("first")', { allowStdin: true });
    await kernel.waitFor((m) => m.type === 'execute_input' && m.parent.msg_id === id);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await kernel.interrupt();
    expect((await done).reply['ename']).toBe('KeyboardInterrupt');
    kernel.answerInput('late');
    kernel.onInput = () => 'right';
    expect((await kernel.execute('return await input("second")', { allowStdin: true })).result).toBe(
      "'right'",
    );
  });
});

describe('comms', () => {
  it('go to the main thread and back with metadata and buffers, and idle comes after the answer', async () => {
    const id = kernel.send(
      'comm_msg',
      { comm_id: 'c1', data: { x: 1 } },
      { metadata: { version: '2.1.0' }, buffers: [new Uint8Array([1, 2, 3])] },
    );
    await kernel.waitFor((m) => m.parent.msg_id === id && m.content['execution_state'] === 'idle');
    const types = kernel.messages.filter((m) => m.parent.msg_id === id).map((m) => m.type);
    expect(types).toEqual(['status', 'comm_msg', 'status']);
    const echo = kernel.messages.find((m) => m.parent.msg_id === id && m.type === 'comm_msg')!;
    expect(echo.content).toEqual({ comm_id: 'c1', data: { kind: 'comm_msg', got: { x: 1 } } });
    expect([echo.metadata, echo.buffers]).toEqual([{ version: '2.1.0' }, [Buffer.from([1, 2, 3])]]);
  });

  it('are listed, by target where asked', async () => {
    const { content } = await kernel.request('comm_info_request', { target_name: 'jupyter.widget' });
    expect(content).toEqual({ status: 'ok', comms: { c1: { target_name: 'jupyter.widget' } } });
  });
});

describe('a new client', () => {
  it('was welcomed when it subscribed', () => {
    const welcome = kernel.messages.find(({ type }) => type === 'iopub_welcome')!;
    expect([welcome.topic, welcome.content]).toEqual(['', { subscription: '' }]);
  });

  it('is welcomed too where another one subscribed before', async () => {
    const second = new zmq.Subscriber({ linger: 0, receiveTimeout: 5000 });
    second.connect(address(kernel.connection, 'iopub'));
    second.subscribe('');
    const welcome = unpack(kernel.connection, await second.receive());
    second.close();
    expect(welcome.type).toBe('iopub_welcome');
  });

  it('hears the heart beat', async () => {
    expect(await kernel.heartbeat('ping')).toBe('ping');
  });
});
